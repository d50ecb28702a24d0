"""The bench of a check: sample instances, references, and the honest answers where attacks start."""

from __future__ import annotations

import copy
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeGuard, TypeVar

from ...evaluators.base import Reference
from ...evaluators.numbers import SCORABLE, better_than, scorable, written
from ...evaluators.scoring import tolerance_of
from ...problems.base import Instance, Json, Number, Problem, Sense, Verdict, VerdictStatus, canonical_json
from ...problems.plain import brief
from ..plugins.loader import LoadedProblem
from .answers import Path, at, numbers, put
from .findings import CheckReport

SEED = 1
CALL_CPU_SECONDS = 2.0
QUICK_SECONDS = 0.5
"""A reference that takes less is computed again, here and in another process (wall seconds)."""
CALL_MEMORY_BYTES = 2 * 1024**3


class Overrun(BaseException):
    """A call exceeded its CPU time; no `except Exception` of a plug-in catches this."""


@dataclass(slots=True)
class SampleCase:
    """One sample instance.

    Attributes:
        instance: the parent's own.
        reference: None if it was not asked for, or failed.
        answers: program → valid answer with its objective.
    """

    instance: Instance
    reference: Reference | None = None
    answers: dict[str, tuple[Json, Number]] = field(default_factory=dict)


@dataclass(slots=True)
class Bench:
    """What all checks of one problem share.

    Attributes:
        loaded: the problem under test.
        report: where findings go.
        splits: split → instances.
        cases: sample instances of all splits, the smallest first.
        reference_elsewhere: kind and value of the quick reference in a process that verified nothing.
        deadline: `time.monotonic()` by which checks should come to an end (seconds).
    """

    loaded: LoadedProblem
    report: CheckReport
    deadline: float
    splits: dict[str, list[Instance]] = field(default_factory=dict)
    cases: list[SampleCase] = field(default_factory=list)
    reference_elsewhere: str | None = None

    def quick_reference(self) -> SampleCase | None:
        """The first case with a reference, if references take no time that would matter."""
        case = next((case for case in self.cases if case.reference is not None), None)
        slowest = self.report.measured.get("reference_seconds_max")
        return case if slowest is not None and slowest < QUICK_SECONDS else None

    @property
    def problem(self) -> Problem:
        """The problem under test."""
        return self.loaded.problem

    @property
    def remaining(self) -> float:
        """Wall seconds left, at least 0."""
        return max(0.0, self.deadline - time.monotonic())

    def beats(self, objective: Number, reference: Reference | None) -> bool:
        """Whether an objective is better than a proven bound."""
        return (
            reference is not None and reference.bound is not None and self.better(objective, reference.bound)
        )

    def better(self, left: Number, right: Number) -> bool:
        """Whether one objective is strictly better than another, floats within the problem's tolerance."""
        minimise = self.problem.sense is Sense.MINIMISE
        return better_than(left, right, minimise, tolerance_of(self.problem))

    def judge(self, instance: Instance, answer: Json, sent: str) -> Verdict | None:
        """The problem's verdict on an answer; None, with a finding, if there is no proper one."""
        try:
            slow = any(finding.check == "verify-slow" for finding in self.report.findings)
            with limited(CALL_CPU_SECONDS / (10 if slow else 1)):
                verdict: Any = self.problem.verify(instance, copy.deepcopy(answer))
        except Overrun:
            self.report.add(
                "verify-slow",
                sent=sent,
                got=f"no verdict within {CALL_CPU_SECONDS:g} s of CPU time",
                why="any candidate could bring a campaign to a stop by returning this",
                fix="look at types, lengths and ranges before the first loop",
            )
            return None
        except BaseException as error:
            self.report.add(
                "verify-raises",
                sent=sent,
                got=f"{type(error).__name__}: {error}",
                why="an answer is untrusted input; a verdict says more than an exception",
                fix="return Verdict.invalid(…) for what is not of the right form",
            )
            return None
        if not _scored(verdict):
            self.report.add(
                "verify-result",
                sent=sent,
                got=_words(verdict),
                why=f"a candidate can be scored only by a Verdict whose objective is {SCORABLE}",
                fix="return Verdict.valid(objective), Verdict.infeasible(…) or Verdict.invalid(…)",
            )
            return None
        return verdict


@contextmanager
def limited(seconds: float = CALL_CPU_SECONDS, memory: int = CALL_MEMORY_BYTES) -> Iterator[None]:
    """Ends a call of plug-in code that uses too much CPU time (main thread, Unix) or memory (Linux).

    Raises:
        Overrun: CPU seconds are used up.
    """
    with _limited_memory(memory):
        if not hasattr(signal, "setitimer"):
            yield
            return

        def stop(number: int, frame: object) -> None:
            raise Overrun

        try:
            before = signal.signal(signal.SIGVTALRM, stop)
        except ValueError:  # not the main thread
            yield
            return
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _limited_memory(extra: int) -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    limit = used + extra
    if soft != resource.RLIM_INFINITY and soft < limit:
        limit = soft
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def attempt(call: Callable[[], Any], seconds: float = 30.0) -> tuple[Any, BaseException | None]:
    """Result of a call of plug-in code under limits (CPU seconds), or the exception that it raised."""
    try:
        with limited(seconds):
            return call(), None
    except KeyboardInterrupt:  # a person's: lists of problems try optional parts in their own process
        raise
    except BaseException as error:  # a plug-in may raise whatever it likes
        return None, error


def _scored(verdict: object) -> TypeGuard[Verdict]:
    if not isinstance(verdict, Verdict):
        return False
    return verdict.status is not VerdictStatus.VALID or scorable(verdict.objective)


def _words(verdict: object) -> str:
    return f"{written(verdict.objective)} as objective" if isinstance(verdict, Verdict) else brief(verdict)


# Valid answers of the problem's own programs, where attacks start, and groups of like values in them.

MOST = 8
"""Answers from which an attack starts (count)."""
CPU_SECONDS = 1.0
"""CPU seconds after which an attack starts from no further answer."""
T = TypeVar("T")
LABEL = "*"
"""Stands in a pattern for any position of a list, or any key of an object whose keys are labels."""


@dataclass(frozen=True, slots=True)
class HonestAnswer:
    """A valid answer of the problem's own program, from which an attack starts."""

    case: SampleCase
    program: str
    answer: Json
    objective: Number

    @property
    def words(self) -> str:
        """The answer in words, for a finding."""
        return f"answer of {self.program} to {self.case.instance.id}"


def origins(bench: Bench) -> list[HonestAnswer]:
    """One valid answer for each sample instance that has one, the smallest instance first."""
    return [
        HonestAnswer(case, name, answer, objective)
        for case in bench.cases
        for name, (answer, objective) in list(case.answers.items())[:1]
    ]


def all_origins(bench: Bench) -> list[HonestAnswer]:
    """Different valid answers of all programs; each instance has one before any instance has a second one."""
    ranked: list[tuple[int, int, HonestAnswer]] = []
    for place, case in enumerate(bench.cases):
        seen: set[str] = set()
        for name, (answer, objective) in case.answers.items():
            text = canonical_json(answer)
            if text not in seen:
                ranked.append((len(seen), place, HonestAnswer(case, name, answer, objective)))
            seen.add(text)
    ranked.sort(key=lambda entry: entry[:2])
    return [origin for _, _, origin in ranked]


def in_time(items: Iterable[T], cpu_seconds: float = CPU_SECONDS) -> Iterator[T]:
    """The items until CPU seconds are used up; the first one always."""
    started = time.process_time()
    for number, item in enumerate(items):
        if number and time.process_time() - started > cpu_seconds:
            return
        yield item


def send(bench: Bench, origin: HonestAnswer, answer: Json, words: str) -> Number | None:
    """Objective of a changed answer to an origin's instance; None if it is refused."""
    verdict = bench.judge(origin.case.instance, answer, f"{origin.words} with {words}")
    return None if verdict is None else verdict.objective


def groups(answer: Json) -> dict[Path, list[Path]]:
    """Pattern → places of the numbers that mean the same kind of thing.

    `items[3]` and `items[4]` are alike, and so are the values of an object whose keys are labels; the two
    numbers of `[type, slices]` are not.
    """
    folders: dict[Path, list[Path]] = {}
    for path in numbers(answer):
        pattern = tuple(
            LABEL if _labels(at(answer, path[:depth])) else step for depth, step in enumerate(path)
        )
        folders.setdefault(pattern, []).append(path)
    return {pattern: paths for pattern, paths in folders.items() if LABEL in pattern}


def common(some: list[HonestAnswer]) -> list[Path]:
    """Patterns of groups that every answer has with four numbers or more."""
    every = [{p for p, paths in groups(o.answer).items() if len(paths) >= 4} for o in some]
    return sorted(set.intersection(*every), key=repr) if every else []


def without(answer: Json, path: Path) -> Json:
    """A copy of an answer without one element of a list or one key of an object."""
    changed = copy.deepcopy(answer)
    inside: Any = at(changed, path[:-1])
    del inside[path[-1]]
    return changed


def with_copy(answer: Json, path: Path) -> Json | None:
    """A copy of an answer with one element of its list once more at the end; None if it is in no list."""
    inside = at(answer, path[:-1])
    if not isinstance(inside, list):
        return None
    return put(answer, path[:-1], [*inside, copy.deepcopy(at(answer, path))])


def mapped(answer: Json, paths: list[Path], change: Callable[[int, Json], Json]) -> Json:
    """A copy of an answer with the values at some places changed; `change` takes position and value."""
    changed = copy.deepcopy(answer)
    for position, path in enumerate(paths):
        if not path:
            return change(position, changed)
        inside = at(changed, path[:-1])
        inside[path[-1]] = change(position, inside[path[-1]])
    return changed


def put_all(answer: Json, paths: list[Path], new: int) -> Json:
    """A copy of an answer with one number at many places; where a float was, as a float."""
    return mapped(answer, paths, lambda _, value: float(new) if isinstance(value, float) else new)


def fields(answer: Json) -> Iterator[Path]:
    """Places of numbers that stand alone: under a name, or beside lists and objects."""
    for path in numbers(answer):
        if path and not _labels(at(answer, path[:-1])) and LABEL not in _pattern(answer, path):
            yield path


def _pattern(answer: Json, path: Path) -> Path:
    return tuple(LABEL if _labels(at(answer, path[:d])) else step for d, step in enumerate(path))


def _labels(value: Json) -> bool:
    """Whether a list holds things of one kind, or an object has labels rather than names as keys."""
    if isinstance(value, list):
        plain = [not isinstance(item, list | dict) for item in value]
        return all(plain) or not any(plain)
    if isinstance(value, dict):
        digits = all(key.strip().lstrip("-").isdigit() for key in value)
        alike = len(value) >= 4 and len({type(item) for item in value.values()}) == 1
        return bool(value) and (digits or alike)
    return False
