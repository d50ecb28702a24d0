"""Runs evaluation jobs on worker slots: threads of this process, one sandbox slot each."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from ..evaluators.base import Evaluation, Evaluator, Race
from ..sandbox.base import Description, Dialogue, Execution, Led, Limits, Program, Sandbox


@dataclass(frozen=True, slots=True)
class Job:
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


def evaluate(evaluator: Evaluator, slot: Sandbox, job: Job) -> Evaluation:
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

    def submit(self, job: Job) -> Future[Evaluation]:
        """Queues a job."""

    def close(self) -> None:
        """Drops what is queued and ends the slots; evaluations that run may be dropped, too."""


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
        executor.submit(Job(program, split, whole=True, first=first, last=min(size, first + step)))
        for first in range(0, size, step)
    ]


class ThreadExecutor:
    """An executor with a fixed number of slots; a job runs on one slot from first instance to last."""

    def __init__(self, evaluator: Evaluator, open_slot: Callable[[], Sandbox], slots: int) -> None:
        """Opens `slots` (count, ≥ 1) sandbox slots.

        Raises:
            SandboxError: a slot cannot be opened.
        """
        self._evaluator = evaluator
        self._closing = threading.Event()
        self._queue: queue.SimpleQueue[tuple[Job, Future[Evaluation]] | None] = queue.SimpleQueue()
        with ThreadPoolExecutor(slots, "open-slot") as opening:  # each imports numpy in a process of its own
            self._slots = list(opening.map(lambda _: open_slot(), range(slots)))
        self._threads = [
            threading.Thread(target=self._work, args=(slot,), name=f"slot-{number}", daemon=True)
            for number, slot in enumerate(self._slots)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job) -> Future[Evaluation]:
        """Queues a job, first in, first out."""
        future: Future[Evaluation] = Future()
        self._queue.put((job, future))
        return future

    def close(self) -> None:
        """Drops what is queued, waits for the executions that run, ends the slots."""
        self._closing.set()
        while not self._queue.empty():
            item = self._queue.get()
            if item is not None:
                item[1].cancel()
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
        for slot in self._slots:
            slot.close()

    def _work(self, slot: Sandbox) -> None:
        while (item := self._queue.get()) is not None:
            job, future = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(evaluate(self._evaluator, _Ending(slot, self._closing), job))
            except BaseException as error:  # handed to the loop, which decides
                future.set_exception(error)


class _Ended(Exception):
    """The executor was closed in the middle of an evaluation."""


class _Ending:
    """A slot that begins no execution once its executor closes: nobody waits for the evaluation any more."""

    def __init__(self, slot: Sandbox, closing: threading.Event) -> None:
        self._slot, self._closing = slot, closing

    def execute(
        self,
        program: Program,
        instance: bytes,
        limits: Limits,
        seed: int,
        dialogue: Dialogue | Led | None = None,
    ) -> Execution:
        """See `Sandbox`.

        Raises:
            _Ended: the executor closes.
        """
        if self._closing.is_set():
            raise _Ended
        return self._slot.execute(program, instance, limits, seed, dialogue)

    def describe(self, text: str, entry_point: str) -> Description:
        """See `Sandbox`."""
        return self._slot.describe(text, entry_point)

    def close(self) -> None:
        """See `Sandbox`."""
        self._slot.close()
