"""Checks a problem, or a task of another tool, before it is trusted: contract and attacks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import inf
from queue import Empty, SimpleQueue
from typing import IO, Any

from ...problems.foreign.task import ReportedTask
from ...sandbox.base import ExecutionStatus, SandboxError
from ...sandbox.interpreter import START_FOLDER, environment, module_places, python
from ..errors import MISSING, ProblemError
from ..plugins.foreign import check_packages, evaluate_start, load_foreign
from .findings import CheckReport, Finding

__all__ = ["CheckReport", "Finding", "check_problem"]

SECONDS = 12.0
PATIENCE_SECONDS = 90.0
"""Wall seconds that one check may take; then its process is ended."""
_GRACE_SECONDS = 1.0
"""Wall seconds from the limit until the check at work is ended."""


def check_problem(
    problem: Any,
    parameters: Mapping[str, Any] | None = None,
    *,
    seconds: float = SECONDS,
    patience: float = PATIENCE_SECONDS,
    notify: Callable[[str], None] = lambda name: None,
    quick: bool = False,
    limit: float | None = None,
) -> CheckReport:
    """Runs every check on a problem in a separate process, so that a check without end can be stopped.

    Args:
        problem: a name, a file, `module:attribute`, or an object as for `run_campaign`.
        parameters: its `[problem]` table.
        seconds: wall seconds in all, about; samples are smaller when they are few.
        patience: wall seconds that one check may take.
        notify: called with the name of each check as it starts.
        quick: make only the checks that take about a second or less each.
        limit: wall seconds of the whole check, about; the checks that do not fit are left out and named.

    Raises:
        ProblemError: the problem cannot be loaded at all.
        SandboxError: its programs cannot be run safely here.
    """
    from ..plugins.foreign import is_foreign
    from ..plugins.loader import load_problem
    from ..plugins.session_problems import spec_of

    spec = spec_of(problem)
    if is_foreign(spec):
        return check_task(spec, parameters or {}, notify, inf if limit is None else limit)
    report = CheckReport(load_problem(spec, parameters).name)
    started = time.monotonic()
    ends = inf if limit is None else started + limit + _GRACE_SECONDS
    place = [os.getcwd(), module_places()]
    job = json.dumps([spec, dict(parameters or {}), min(seconds, limit or seconds), *place, quick, limit])
    process = subprocess.Popen(
        python("-m", f"{__name__}.check_process"),
        cwd=START_FOLDER,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    name = "start"
    ended = False
    names = list[str]()
    try:
        for line in _lines(process, job, patience, ends):
            kind, value = json.loads(line)
            if kind == "checks":
                names = value
            elif kind == "check":
                name = value
                notify(name)
            elif kind == "report":
                report = CheckReport.of(value)
            elif kind == "sandbox":
                raise SandboxError(*value)
            ended = kind == "end"
        if not ended and (time.monotonic() < ends or process.poll() is not None):
            _not_ended(report, name, process, patience)
        elif not ended and not names:
            names = ["all, for the instances were not drawn in time"]
    finally:
        _end(process)
    if limit is not None:
        report.left_out = [name for name in names if name not in report.checks]
    report.measured.setdefault("seconds", round(time.monotonic() - started, 2))
    return report


def _lines(process: subprocess.Popen[str], job: str, patience: float, ends: float) -> Iterator[str]:
    """Lines of the process, until it ends, says nothing for too long, or its time is over (`monotonic`)."""
    assert process.stdin is not None
    assert process.stdout is not None
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_copy, args=(process.stdout, lines), daemon=True).start()
    try:
        process.stdin.write(job)
        process.stdin.close()
        while line := lines.get(timeout=max(0.0, min(patience, ends - time.monotonic()))):
            yield line
    except (Empty, BrokenPipeError):
        return


def _copy(source: IO[str], lines: SimpleQueue[str]) -> None:
    for line in source:
        lines.put(line)
    lines.put("")


def _not_ended(report: CheckReport, name: str, process: subprocess.Popen[str], patience: float) -> None:
    code = process.poll()
    report.add(
        "check-failed",
        sent=f"the check: {name}",
        got=f"no end within {patience:g} s" if code is None else f"its process ended with exit code {code}",
        why="a candidate that comes across this would stop a campaign; the checks behind it were not made",
        fix="look for a loop or a recursion over what an answer holds, and for an `except` that swallows "
        "everything",
    )


def _end(process: subprocess.Popen[str]) -> None:
    """Ends the process and those that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


# Checks a task of another tool: three evaluations of its start program, and what they say.

_RUNS = 3


def check_task(
    spec: str, parameters: Mapping[str, Any], notify: Callable[[str], None], limit: float = inf
) -> CheckReport:
    """Evaluates the start program three times in a workshop, but begins nothing after `limit` wall seconds.

    Raises:
        ProblemError: the folder is no task.
        SandboxError: no evaluator can be run safely here.
    """
    loaded = load_foreign(spec, parameters)
    problem = loaded.problem
    assert isinstance(problem, ReportedTask)
    report = CheckReport(loaded.name, checks=["packages", "start-program", "repeats"])
    scores = []
    seconds = []
    instances = [one for split in ("train", "valid") for one in problem.instances(split, 1)]
    started = time.monotonic()
    for number, instance in enumerate(instances[:_RUNS], 1):
        what = f"evaluation {number} of {_RUNS}"
        if time.monotonic() - started > limit:
            report.left_out.append(what)
            continue
        notify(what)
        execution = evaluate_start(problem, instance, number)
        seconds.append(execution.wall_seconds)
        try:
            check_packages(problem, execution)
        except ProblemError as error:
            if error.code != MISSING:
                raise
            report.add(
                "packages",
                sent="the start program",
                got=error.message,
                why="many evaluators report that as a score of 0, so every candidate would have that score",
                fix=error.hint or "",
            )
            break
        verdict = problem.verify(instance, execution.answer)
        if execution.status is not ExecutionStatus.OK or verdict.objective is None:
            report.add(
                "start-program",
                sent="the start program",
                got=f"{execution.status}: {execution.error or '; '.join(verdict.violations)}",
                why="candidates are compared with the start program's score, and there is none",
                fix="correct the task, raise `evaluator.timeout` in its configuration, or "
                "--set problem.python=PATH",
            )
            break
        scores.append(float(verdict.objective))
    if scores:
        report.measured |= {"score_least": min(scores), "score_most": max(scores)}
    report.measured["seconds"] = round(sum(seconds), 3)
    report.measured["evaluation_seconds"] = round(max(seconds), 3)
    report.unseen += _unseen(problem, scores)
    return report


def _unseen(problem: ReportedTask, scores: list[float]) -> list[str]:
    """What a person should know of the task, and what no check of a reported score can see."""
    lines = ["a score that the evaluator reports is unverified: a program can forge its own"]
    if scores and min(scores) < max(scores):
        lines.append(
            f"the score of one program differs from run to run: {min(scores):.6g} to {max(scores):.6g}"
        )
    if problem.configuration.unused:
        lines.append(
            f"keys of the configuration that are not used: {', '.join(problem.configuration.unused)}"
        )
    return lines
