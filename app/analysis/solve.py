"""The best verified answer to a user's instances within a few seconds; apart, as it runs programs."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Attaining, Reference, ReferenceKind, Score, ScoreStatus
from ...evaluators.cache import Cache
from ...evaluators.judging import Judgement
from ...evaluators.numbers import better_than
from ...evaluators.scoring import score as score_of
from ...evaluators.scoring import tolerance_of
from ...problems.base import Instance, Json, Sense, Verdict
from ...sandbox.base import MAIN_FILE, MOST_OUTPUT_BYTES, Execution, ExecutionStatus, Limits, Program, Sandbox
from ..runs.figures import plain
from ..setup.baselines import UNKNOWN, shipped_programs
from ..setup.references import stored
from ..setup.setup import Setup

if TYPE_CHECKING:
    from ...evaluators.evaluator import GapEvaluator
    from ..config import Config
    from ..plugins.loader import LoadedProblem

GALLERY = Path(__file__).parents[2] / "gallery"
"""Programs that campaigns found, a folder each; part of the package."""
_LEAST_SECONDS = 0.05
"""CPU seconds below which no execution begins."""
_GRACE = 0.5
"""Wall seconds after the budget for which executions that reach their limit are waited for."""
_PATIENCE = 5.0
"""Wall seconds after the budget for which the first program is waited for at least."""
_ROOM = 12
"""Bytes of memory that a program needs for a byte of an instance, as text, numbers and lists."""
_PROOF_BYTES = 10_000_000
"""Of an instance, for each second of the budget: an exact method would spend it on reading a larger one."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What one program answered to an instance.

    Attributes:
        program: its name: `run/…`, `gallery/…` or that of a program of the problem.
        score: of the answer; only its objective, status and time count.
        answer: None unless it is valid.
    """

    program: str
    score: Score
    answer: Json | None


def gallery_programs(problem: str) -> dict[str, str]:
    """Name (`gallery/NAME`) → source of the programs that campaigns found for a built-in problem."""
    found = dict[str, str]()
    for entry in sorted(GALLERY.glob("*/entry.toml")):
        if tomllib.loads(entry.read_text("utf-8"))["problem"] == problem:
            found[f"gallery/{entry.parent.name}"] = (entry.parent / "found.py").read_text("utf-8")
    return found


def known_programs(loaded: LoadedProblem, own: Mapping[str, str]) -> dict[str, str]:
    """Name → source: programs of a user's run, the gallery's, and those that the problem ships."""
    found = gallery_programs(loaded.name) if loaded.source is None else {}
    return {**own, **found, **shipped_programs(loaded.problem)}


def solve(
    loaded: LoadedProblem,
    config: Config,
    instances: Sequence[Instance],
    programs: Mapping[str, str],
    seconds: float,
    *,
    fixed: bool = False,
) -> list[dict[str, Any]]:
    """One document for each instance: the best answer, its gap, and what every program did.

    Args:
        loaded: the problem.
        config: whole configuration, for limits and layers of the sandbox.
        instances: the user's.
        programs: name → source, those that are tried first at the front.
        seconds: wall seconds for all instances together, > 0, from when the sandbox is open. On a machine so
            busy that no program ends in them, an instance takes up to twice its share.
        fixed: whether the CPU limit of the configuration holds for each program. Else a program may take half
            of what is left, and at least that limit.
    """
    setup = Setup.of(loaded, config, {"own": instances}, lambda id: UNKNOWN, Cache())
    setup.evaluator.prepare()
    slots = _Slots([setup.open_slot() for _ in range(min(config.run.slots, len(programs)))], fixed)
    try:
        until = time.monotonic() + seconds
        found = []
        for number, instance in enumerate(instances):
            share = (until - time.monotonic()) / (len(instances) - number)
            found.append(_solve_one(setup, slots, instance, programs, max(_LEAST_SECONDS, share)))
        return found
    finally:
        slots.close()
        setup.evaluator.close()


def _solve_one(
    setup: Setup, slots: _Slots, instance: Instance, programs: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    began = time.monotonic()
    loaded = setup.loaded
    proof = _Proof(loaded, instance, seconds)
    trials = slots.trials(setup.evaluator, instance, programs, began, seconds)
    reference, proof_seconds = proof.result(began + seconds)
    if (shipped := _shipped_answer(loaded, instance, reference)) is not None:
        trials = [*trials, shipped]
    best = _best(loaded, trials)
    return {
        "instance": instance.id,
        "instance_bytes": len(instance.encoded),
        "program": best and best.program,
        "objective": best and plain(best.score.objective),
        "unit": loaded.problem.unit,
        "cpu_seconds": best and best.score.cpu_seconds,
        "answer": best and best.answer,
        **_certificate(loaded, instance, best, reference),
        "exact_seconds": proof_seconds,
        "wall_seconds": time.monotonic() - began,
        "tried": [
            {
                "program": one.program,
                "status": one.score.status.value,
                "objective": plain(one.score.objective),
                "cpu_seconds": one.score.cpu_seconds,
                "message": one.score.message,
            }
            for one in trials
        ],
        "left_out": [name for name in programs if name not in {one.program for one in trials}],
    }


def _certificate(
    loaded: LoadedProblem, instance: Instance, best: Trial | None, reference: Reference | None
) -> dict[str, Any]:
    """Reference and gap of the best answer; nulls where there is none."""
    empty = dict.fromkeys(("reference", "reference_kind", "solver", "gap_percent", "proved"))
    if reference is None:
        return empty
    facts = {
        "reference": plain(reference.value),
        "reference_kind": reference.kind.value,
        "solver": reference.solver,
    }
    if best is None or best.score.objective is None:
        return {**empty, **facts}
    judged = Judgement(Verdict.valid(best.score.objective), None)
    made = score_of(loaded.problem, instance, reference, Execution(ExecutionStatus.OK), judged)
    gap = None if made.gap is None else float(made.gap) * 100
    return {**facts, "gap_percent": gap, "proved": made.excess == 0}


def _best(loaded: LoadedProblem, trials: Sequence[Trial]) -> Trial | None:
    """The trial with the best objective; of equal ones the first."""
    minimise = loaded.problem.sense is Sense.MINIMISE
    tolerance = tolerance_of(loaded.problem)
    best: Trial | None = None
    for one in trials:
        mine = one.score.objective
        if one.answer is None or mine is None:
            continue
        held = None if best is None else best.score.objective
        if held is None or better_than(mine, held, minimise, tolerance):
            best = one
    return best


class _Proof:
    """A reference that is computed beside the programs."""

    def __init__(self, loaded: LoadedProblem, instance: Instance, seconds: float) -> None:
        """Begins, with wall seconds that it may take; the thread does not hold up the end."""
        self._reference: Reference | None = None
        self._seconds: float | None = None
        self._error: BaseException | None = None
        self._done = Event()
        Thread(target=self._work, args=(loaded, instance, seconds), daemon=True).start()

    def _work(self, loaded: LoadedProblem, instance: Instance, seconds: float) -> None:
        began = time.monotonic()
        try:
            if loaded.references is not None and len(instance.encoded) <= _PROOF_BYTES * seconds:
                known = stored(loaded, instance, seconds)
                self._reference = known or loaded.reference(instance, seconds)
                self._seconds = time.monotonic() - began
                if known is not None and known.seconds is not None:
                    self._seconds = known.seconds
        except BaseException as error:  # raised where the result is asked for
            self._error = error
        finally:
            self._done.set()

    def result(self, until: float) -> tuple[Reference | None, float | None]:
        """The reference and its wall seconds; None where it is not there until then (monotonic clock)."""
        if not self._done.wait(max(0.0, until + _GRACE - time.monotonic())):
            return None, None
        if self._error is not None:
            raise self._error
        return self._reference, self._seconds


def _shipped_answer(loaded: LoadedProblem, instance: Instance, reference: Reference | None) -> Trial | None:
    """The exact method's answer where one is stored and the problem's own verification agrees."""
    references = loaded.references
    optimum = reference is not None and reference.kind is ReferenceKind.OPTIMUM
    if not optimum or reference is None or not isinstance(references, Attaining):
        return None
    answer = references.attained(instance)
    if answer is None:
        return None
    verdict = loaded.problem.verify(instance, answer)
    if verdict.objective is None:
        return None
    made = score_of(
        loaded.problem, instance, UNKNOWN, Execution(ExecutionStatus.OK), Judgement(verdict, None)
    )
    return Trial(f"exact method ({reference.solver})", made, answer)


class _Limited:
    """A slot whose limits grow with the instance and with the seconds that are left until a moment."""

    def __init__(self, slot: Sandbox, until: float, fixed: bool) -> None:
        self._slot = slot
        self._until = until
        self._fixed = fixed
        self.describe = slot.describe
        self.close = slot.close

    def execute(self, program: Program, instance: bytes, limits: Limits, *more: Any) -> Execution:
        """See `Sandbox`."""
        left = max(_LEAST_SECONDS, self._until - time.monotonic())
        usual = limits.cpu_seconds if self._fixed else max(limits.cpu_seconds, left / 2)
        limited = replace(
            limits,
            cpu_seconds=min(usual, left),
            memory_bytes=limits.memory_bytes + _room(len(instance)),
            output_bytes=min(MOST_OUTPUT_BYTES, limits.output_bytes + 2 * len(instance)),
        )
        return self._slot.execute(program, instance, limited, *more)


def _room(size: int) -> int:
    """Bytes of memory for an instance of this size (bytes); 0 where that is a quarter of the machine's."""
    needed = _ROOM * size
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return needed if needed <= whole // 4 else 0


class _Slots:
    """Sandbox slots that try programs side by side."""

    def __init__(self, slots: list[Sandbox], fixed: bool) -> None:
        self._free = slots
        self._fixed = fixed

    def trials(
        self,
        evaluator: GapEvaluator,
        instance: Instance,
        programs: Mapping[str, str],
        began: float,
        seconds: float,
    ) -> list[Trial]:
        """What the programs answer within seconds of a moment (monotonic clock), in their order.

        Each slot tries at least one. A slot that is not back then is given up. Where no program has ended,
        the first is waited for as long again, and at least `_PATIENCE`.
        """
        until = began + seconds
        waiting: SimpleQueue[tuple[str, str]] = SimpleQueue()
        for pair in _in_turns(programs):
            waiting.put(pair)
        made: dict[str, Trial] = {}
        lock = Lock()

        def work(slot: Sandbox) -> None:
            limited = _Limited(slot, until, self._fixed)
            while True:
                try:
                    name, text = waiting.get_nowait()
                except Empty:
                    return
                trial = _trial(evaluator, name, text, instance, limited)
                with lock:
                    made[name] = trial
                if until - time.monotonic() < _LEAST_SECONDS:
                    return

        threads = [Thread(target=work, args=(slot,), daemon=True) for slot in self._free]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, until + _GRACE - time.monotonic()))
        latest = until + max(seconds, _PATIENCE)
        while not made and any(thread.is_alive() for thread in threads) and time.monotonic() < latest:
            time.sleep(0.01)
        pairs = zip(self._free, threads, strict=True)
        self._free = [slot for slot, thread in pairs if not thread.is_alive()]
        with lock:
            return [made[name] for name in programs if name in made]

    def close(self) -> None:
        """Ends the slots that are back; the others end with this process."""
        for slot in self._free:
            slot.close()


def _in_turns(programs: Mapping[str, str]) -> list[tuple[str, str]]:
    """The programs from the front and from the back in turn, the shortest of all second.

    Champions stand at the front. The shortest is a simple rule, which ends on an instance of any size.
    """
    pairs = list(programs.items())
    shortest = min(range(1, len(pairs)), key=lambda k: len(pairs[k][1]), default=None)
    simple = [] if shortest is None else [pairs.pop(shortest)]
    middle = (len(pairs) + 1) // 2
    back = pairs[middle:][::-1]
    found = []
    for number, pair in enumerate(pairs[:middle]):
        found += [pair, *back[number : number + 1]]
    return [*found[:1], *simple, *found[1:]]


def _trial(evaluator: GapEvaluator, name: str, text: str, instance: Instance, slot: Any) -> Trial:
    program = evaluator.program({MAIN_FILE: text})
    execution, score, _ = evaluator.probe(program, instance, slot)
    valid = score.status is ScoreStatus.OK or score.objective is not None
    return Trial(name, score, execution.answer if valid else None)
