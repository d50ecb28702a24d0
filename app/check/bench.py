"""The bench of a check: sample instances, their references, answers of the problem's own programs."""

from __future__ import annotations

import copy
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from ...evaluators.base import Reference
from ...evaluators.numbers import SCORABLE, better_than, scorable, written
from ...evaluators.scoring import tolerance_of
from ...problems.base import Instance, Json, Number, Problem, Sense, Verdict, VerdictStatus
from ...problems.plain import brief
from ..door.plugins import LoadedProblem
from .findings import Report

SEED = 1
CALL_CPU_SECONDS = 2.0
QUICK_SECONDS = 0.5
"""A reference that takes less is computed again, here and in another process (wall seconds)."""
CALL_MEMORY_BYTES = 2 * 1024**3


class Overrun(BaseException):
    """A call exceeded its CPU time; no `except Exception` of a plug-in catches this."""


@dataclass(slots=True)
class Case:
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
    report: Report
    deadline: float
    splits: dict[str, list[Instance]] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    reference_elsewhere: str | None = None

    def quick_reference(self) -> Case | None:
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
        except Exception as error:
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
    except (Exception, Overrun) as error:
        return None, error


def _scored(verdict: object) -> TypeGuard[Verdict]:
    if not isinstance(verdict, Verdict):
        return False
    return verdict.status is not VerdictStatus.VALID or scorable(verdict.objective)


def _words(verdict: object) -> str:
    return f"{written(verdict.objective)} as objective" if isinstance(verdict, Verdict) else brief(verdict)
