"""Runs evaluation jobs on worker slots; an error of our own in one proposal costs that proposal only."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from ..evaluators.base import Evaluation, Evaluator, Race
from ..sandbox.base import Execution, Program, Sandbox
from .types import Origin, Proposal, Rejection, RejectionReason


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """One evaluation to make: plain data, so that another process could do it.

    Attributes:
        program: what is evaluated.
        split: name of the set.
        whole: score all instances also after a failure (reports), or end at the first one (a search).
        race: ends the evaluation early; None scores every instance.
        first, last: the instances from `first` up to but without `last` in the order of execution (counts);
            None is to the end.
    """

    program: Program
    split: str
    whole: bool = False
    race: Race | None = None
    first: int = 0
    last: int | None = None


def evaluate(evaluator: Evaluator, slot: Sandbox, job: EvaluationJob) -> Evaluation:
    """Does a job on a slot."""
    return evaluator.evaluate(
        job.program,
        job.split,
        slot,
        stop_at_failure=not job.whole,
        race=job.race,
        part=slice(job.first, job.last),
    )


class Executor(Protocol):
    """Does jobs, in any order."""

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """Queues a job."""

    def close(self) -> None:
        """Drops what is queued and ends the slots; evaluations that run may be dropped, too."""


@runtime_checkable
class Leaving(Protocol):
    """An executor that ends a job early, between two executions."""

    def leave(self, job: Future[Evaluation]) -> None:
        """Ends a job for which nobody waits any more; its result is an exception."""


def leave(executor: Executor, job: Future[Evaluation]) -> None:
    """Ends a job for which nobody waits any more, as soon as the executor can."""
    if not job.cancel() and isinstance(executor, Leaving):
        executor.leave(job)


_PARTS = 40
"""Jobs into which the instances of a set are divided (count), about."""


def in_parts(
    executor: Executor, program: Program, split: str, size: int, *, divided: bool
) -> list[Future[Evaluation]]:
    """Evaluations of a program on all instances of a set, also after a failure, one part after the other.

    Args:
        executor: whose slots share the parts.
        program: what is evaluated.
        split: name of the set.
        size: its instances (count).
        divided: whether there is more than one part.
    """
    step = max(1, size // _PARTS) if divided else size
    return [
        executor.submit(EvaluationJob(program, split, whole=True, first=first, last=min(size, first + step)))
        for first in range(0, size, step)
    ]


class ThreadExecutor:
    """An executor with a number of slots at most; a job runs on one slot from first instance to last.

    The first slot is opened at once and each further one when all others are at work.
    """

    def __init__(self, evaluator: Evaluator, open_slot: Callable[[], Sandbox], slots: int) -> None:
        """Opens the first of at most `slots` (count, ≥ 1) sandbox slots.

        Raises:
            SandboxError: a slot cannot be opened.
        """
        self._evaluator = evaluator
        self._open_slot = open_slot
        self._closing = threading.Event()
        self._slots: list[Sandbox] = []
        self._own = threading.local()
        self._left: WeakKeyDictionary[Future[Evaluation], threading.Event] = WeakKeyDictionary()
        self._threads = ThreadPoolExecutor(slots, "slot")
        self._threads.submit(self._slot).result()

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """Queues a job, first in, first out."""
        left = threading.Event()
        future = self._threads.submit(self._evaluated, job, left)
        self._left[future] = left
        return future

    def leave(self, job: Future[Evaluation]) -> None:
        """See `Leaving`."""
        self._left[job].set()

    def close(self) -> None:
        """Drops what is queued, waits for the executions that run, ends the slots."""
        self._closing.set()
        self._threads.shutdown(cancel_futures=True)
        for slot in self._slots:
            slot.close()

    def _slot(self) -> Sandbox:
        """The slot of this thread."""
        slot: Sandbox | None = getattr(self._own, "slot", None)
        if slot is None:
            slot = self._own.slot = self._open_slot()
            self._slots.append(slot)
        return slot

    def _evaluated(self, job: EvaluationJob, left: threading.Event) -> Evaluation:
        return evaluate(self._evaluator, _Ending(self._slot(), self._closing, left), job)


class _Ended(Exception):
    """The executor was closed, or the job was left, in the middle of an evaluation."""


class _Ending:
    """A slot that begins no execution once one of these events is set: nobody waits for the evaluation."""

    def __init__(self, slot: Sandbox, *ends: threading.Event) -> None:
        self._slot = slot
        self._ends = ends
        self.describe = slot.describe
        self.close = slot.close

    def execute(self, *job: Any, **named: Any) -> Execution:
        """See `Sandbox`.

        Raises:
            _Ended: one of the events is set.
        """
        if any(end.is_set() for end in self._ends):
            raise _Ended
        return self._slot.execute(*job, **named)


# An error of Gapsmith's own code while it makes one proposal costs that proposal, not the campaign.

_OWN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
_CHARACTERS = 300


def sheltered(make: Callable[[], Proposal | Rejection]) -> Proposal | Rejection:
    """The result of `make`, or a rejection if `make` raises an exception that only a fault in Gapsmith
    raises.

    Texts of candidates are hostile input to the code that reads them. What a person must act on (a model's
    trouble, a full disk, a template that is no template) is raised.
    """
    from ..prompts.builder import TemplateInvalid  # with Jinja2, which those who read a run need not load

    try:
        return make()
    except TemplateInvalid:
        raise
    except _OWN as error:
        return Rejection(RejectionReason.FAULT, describe(error), Origin.MUTATE, "none")


def describe(error: BaseException) -> str:
    """An error in one line: its kind, the function and line that raised it, its message."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    text = f"{type(error).__name__}{where}: {error}"[:_CHARACTERS]
    return text.encode("utf-8", "backslashreplace").decode()
