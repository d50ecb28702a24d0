"""`agent:PROGRAM`: a coding agent works at a run's bench; apart, as only such a campaign starts one."""

from __future__ import annotations

import math
import os
import shlex
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.budget import StopReason
from ...evolve.llm.base import ErrorKind, ModelError
from ...evolve.llm.chat import MOST_BYTES
from ...evolve.llm.command_model import CommandProgram, ProgramEnd, program_of, run_program
from ...evolve.store.course import operations
from ...evolve.store.reader import Reader
from ...evolve.store.schema import FILE_NAME
from ...evolve.store.statistics import admitted
from ...evolve.store.store import Store
from ...sandbox.interpreter import python
from ..compose import Watcher, read_summary
from ..proposers import agent_of
from ..runs.folders import AGENT_NAME, STOP_NAME, at_work, run_log
from ..runs.resume import used
from ..setup.prepare import record_setup
from ..setup.reruns import stored_setup
from .completion import finish
from .creation import bench_document, open_bench
from .inspection import said
from .session import WAIT_SECONDS, Session

if TYPE_CHECKING:
    from ...evolve.llm.settings import ModelSettings
    from ..config import Config
    from ..runs.folders import Group

EVENT = "agent"
"""Kind of the events at a start and at the end of an agent."""
AGENT_SECONDS = 7_200.0
"""Wall seconds of an agent where neither its table nor the budget names others."""
_GRACE = 120.0
"""Wall seconds that an agent has for its last words when the budget is spent."""
_LOOK = 1.0
"""Wall seconds between looks at the budget."""
_SKILL = Path(__file__).parents[2] / "skills" / "gapsmith" / "SKILL.md"
_TASK = """Find the best program you can for the problem below. Work alone until your budget ends: nobody
answers questions. Read SKILL.md in this folder first: it says how to work at the bench.
`gapsmith` is on your PATH, and the run {run} is open. Write your own files into this folder.

## The problem: {problem}

{statement}

A program is one Python file that defines `{signature}`. {calls}
Limits of an execution: {cpu_seconds:g} s of CPU time, {memory_mb:g} MiB. Modules: {modules}.

## What is left

{evaluations}, {experiments} CPU seconds of experiments, {minutes:.0f} minutes.
The best program so far is {best}, with a mean gap of {gap:.4g} % in training.
Notes of those who worked here before: `gapsmith bench note {run}`.

## Commands

    gapsmith bench read {run} best
    gapsmith bench instance {run}
    gapsmith bench probe {run} FILE
    gapsmith bench submit {run} FILE --idea "what changes, and why"
    gapsmith bench experiment {run} FILE --cpu-seconds 60
    gapsmith bench compare {run} best CANDIDATE
    gapsmith bench note {run} "what was learnt"

Submit what you want to be judged: a program that is only in this folder counts for nothing. Do not call
`bench finish`: the bench is finished when you end.
"""
_WRAPPER = """#!/bin/sh
kill -0 {campaign} 2>/dev/null || {{ echo "the campaign that began this agent has ended" >&2; exit 1; }}
exec {command} "$@"
"""
_TIED = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"
"""Starts a program that the system kills when the campaign dies (PR_SET_PDEATHSIG)."""


def work(
    config: Config,
    folder: Path,
    *,
    start: Mapping[str, Mapping[str, str]] | None = None,
    group: Group | None = None,
    watcher: Watcher | None = None,
    adopt: bool = False,
) -> dict[str, Any]:
    """A campaign whose programs an agent submits: opens the bench, or goes on at it, and finishes it.

    Takes and gives what `compose.run` does, for a configuration that names an agent.

    Raises:
        UserError: whatever a person can mend.
        ModelError: the agent cannot work, or submits nothing; the run goes on by `resume`.
    """
    table = agent_of(config)
    assert table is not None, "the configuration names an agent"
    watcher = watcher or Watcher()
    program = program_of(table, os.environ)
    (folder / AGENT_NAME).mkdir(exist_ok=True)
    with at_work(folder / AGENT_NAME):
        (folder / STOP_NAME).unlink(missing_ok=True)
        if not (folder / FILE_NAME).is_file():
            open_bench(config, folder, start=start, notify=watcher.notify, group=group)
        else:
            _go_on(config, folder, group, start, adopt)
        reason = _worked(program, table, config, folder, watcher)
        (folder / STOP_NAME).unlink(missing_ok=True)
    if reason is None:
        return finish(folder, WAIT_SECONDS, watcher.notify)
    _store(folder, stop_reason=reason)
    return read_summary(folder)


def _go_on(
    config: Config,
    folder: Path,
    group: Group | None,
    start: Mapping[str, Mapping[str, str]] | None,
    adopt: bool,
) -> None:
    """Records the configuration, whose budget may be new, for the operations to come."""
    setup = stored_setup(folder, config)
    assert setup is not None, "the configuration of the run was just read"
    with at_work(folder, WAIT_SECONDS), closing(Store(folder)) as store:
        if store.read.record("champion") is None:
            record_setup(store, setup, folder, group, start, adopt)


def _worked(
    program: CommandProgram, table: ModelSettings, config: Config, folder: Path, watcher: Watcher
) -> StopReason | None:
    """Lets the agent work with what is left; why it was stopped, None at its own or the budget's end."""
    watch = _Watch(folder, config, watcher)
    with closing(Reader.open(folder)) as reader:
        before, seconds, ended = admitted(reader), _seconds(reader), _ended(reader)
    left = min(_limit(table, config), (config.budget.seconds or math.inf) - seconds)
    if ended or watch.spent() or left <= 0:
        return None
    session = Session(folder, WAIT_SECONDS)
    with session.sitting() as at:
        document = bench_document(at)
    session.close()
    _store(folder, event={"spec": program.spec})
    try:
        ending = _run(program, folder, _task(document, left), left, watch)
    except OSError as error:
        raise program.error(ErrorKind.MISSING, f"cannot be started: {error.strerror or error}") from None
    except KeyboardInterrupt:
        return StopReason.INTERRUPTED
    with closing(Reader.open(folder)) as reader:
        total = admitted(reader)
    fault = None if watch.spent() else _fault(program, ending, total, total - before, watch.asked, left)
    printed = program.read(ending.output)
    row = {
        "spec": program.spec,
        "seconds": ending.seconds,
        "code": ending.code,
        "submissions": total - before,
        "printed": said(program.keys.hide(printed.text[-4_000:]), 4_000),
        "errors": said(program.keys.hide(ending.errors[-2_000:])),
        "tokens_in": printed.tokens_in,
        "tokens_out": printed.tokens_out,
        "cost_usd": printed.cost_usd,
        "fault": None if fault is None else fault.sentence,
        "ended": fault is None and not watch.asked,
    }
    _store(folder, event=row, stop_reason=None if fault is None else StopReason.PROVIDER)
    if fault is not None:
        raise fault
    return StopReason.STOP_FILE if watch.asked else None


def _limit(table: ModelSettings, config: Config) -> float:
    """Wall seconds of one start; the default of `timeout_seconds` is meant for a reply."""
    if table.timeout_seconds != type(table).model_fields["timeout_seconds"].default:
        return table.timeout_seconds
    return AGENT_SECONDS if config.budget.seconds is None else math.inf


def _fault(
    program: CommandProgram, ending: ProgramEnd, total: int, brought: int, asked: bool, seconds: float
) -> ModelError | None:
    """What the person must hear of an agent's end; None after work, a time limit included.

    Words alone are no fault of an agent that submitted programs: it may speak of limits in its last message.
    """
    printed = program.read(ending.output)
    if asked:
        return None
    judged = not (ending.late or ending.stopped) and (ending.code or printed.fault or not brought)
    fault = program.fault(ending, printed) if judged else None
    if fault is not None or total:
        return fault
    if ending.late:
        return program.error(ErrorKind.TIMEOUT, f"submitted no program within {seconds:g} seconds")
    words = said(program.keys.hide(printed.text.strip()[-300:])) or "nothing"
    return program.error(ErrorKind.EMPTY, f"ended without a submission; it said: {' '.join(words.split())}")


def _run(program: CommandProgram, folder: Path, task: str, seconds: float, watch: _Watch) -> ProgramEnd:
    """Runs the agent in an empty folder with the task and the skill; `gapsmith` in its PATH is this one."""
    with tempfile.TemporaryDirectory(prefix="gapsmith-agent-", ignore_cleanup_errors=True) as place:
        tools, desk = Path(place, "tools"), Path(place, "work")
        tools.mkdir()
        desk.mkdir()
        wrapper = tools / "gapsmith"
        wrapper.write_text(
            _WRAPPER.format(campaign=os.getpid(), command=shlex.join(python("-m", "gapsmith.cli")))
        )
        wrapper.chmod(0o755)
        (desk / "SKILL.md").write_text(_SKILL.read_text("utf-8"), "utf-8")
        (desk / "TASK.md").write_text(task, "utf-8")
        variables = {**program.environment, "GAPSMITH_RUNS": str(folder.resolve().parent)}
        variables["PATH"] = f"{tools}:{variables['PATH']}"
        if cache := os.environ.get("GAPSMITH_CACHE"):
            variables["GAPSMITH_CACHE"] = os.path.abspath(cache)
        return run_program(
            python("-I", "-S", "-c", _TIED, *program.arguments),
            task,
            variables,
            str(desk),
            seconds=seconds,
            most=MOST_BYTES,
            stop=watch,
            floods=True,
        )


class _Watch:
    """Whether the agent is given up: somebody asked for it, or the budget has been spent for a while."""

    def __init__(self, folder: Path, config: Config, watcher: Watcher) -> None:
        self._folder = folder
        self._budget = replace(config.budget, seconds=None)
        self._notify = watcher.notify
        self._look = 0.0
        self._shown: int | None = None
        self._until: float | None = None
        self.asked = False

    def __call__(self) -> bool:
        now = time.monotonic()
        if now < self._look:
            return False
        self._look = now + _LOOK
        self.asked = (self._folder / STOP_NAME).exists()
        if self._until is None and self.spent():
            self._until = now + _GRACE
        return self.asked or (self._until is not None and now >= self._until)

    def spent(self) -> bool:
        """Whether a count of the budget is used up."""
        with closing(Reader.open(self._folder)) as reader:
            done = used(reader)
        most = self._budget.evaluations or self._budget.iterations
        if most is not None and done["evaluations"] != self._shown:
            self._shown = done["evaluations"]
            self._notify("submissions of the agent", done["evaluations"], most)
        limits = {key: getattr(self._budget, key) for key in done}
        return any(limit is not None and done[key] >= limit for key, limit in limits.items())


def _seconds(reader: Reader) -> float:
    """Wall seconds that agents worked at this run; one that was killed, until its last operation."""
    signs = [operation.at for operation in operations(reader)]
    total, began = 0.0, None
    for event in reader.events(EVENT):
        if began is not None:
            until = event.at if "seconds" in event.data else _last(signs, began, event.at)
            total += until - began
        began = None if "seconds" in event.data else event.at
    return total if began is None else total + _last(signs, began, time.time()) - began


def _last(signs: list[float], began: float, until: float) -> float:
    return max((sign for sign in signs if began < sign < until), default=began)


def _ended(reader: Reader) -> bool:
    """Whether the last agent ended its work, so that the bench is only to be finished."""
    events = reader.events(EVENT)
    return bool(events) and bool(events[-1].data.get("ended")) and reader.record("bench") is not None


def _store(
    folder: Path, event: Mapping[str, Any] | None = None, stop_reason: StopReason | None = None
) -> None:
    with at_work(folder, WAIT_SECONDS), run_log(folder) as log, closing(Store(folder)) as store:
        if event is not None:
            store.event(0, EVENT, event)
            log.info("agent %s", {key: value for key, value in event.items() if value is not None})
        if stop_reason is not None:
            store.set("stop_reason", stop_reason.value)


def _task(document: Mapping[str, Any], seconds: float) -> str:
    """One page on the problem, the budget and the commands."""
    limits = document["limits"]
    done, most = document["budget"]["evaluations"]
    if most is None:
        done, most = document["budget"]["iterations"]
    used_seconds, allowed = document["budget"]["experiment_cpu_seconds"]
    return _TASK.format(
        run=document["run"],
        problem=document["problem"],
        statement=said(document["statement"], 20_000),
        signature=document["signature"],
        calls=said(document["calls"]) or "",
        cpu_seconds=limits["cpu_seconds"],
        memory_mb=limits["memory_mb"],
        modules=", ".join(limits["modules"]),
        evaluations="any number of submissions" if most is None else f"{most - done} submissions",
        experiments=f"{max(0.0, allowed - used_seconds):.0f}" if allowed is not None else "any number of",
        minutes=seconds / 60,
        best=document["best"]["candidate"],
        gap=document["best"]["mean_gap_percent"],
    )
