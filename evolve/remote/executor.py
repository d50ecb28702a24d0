"""Runs jobs and drafts on workers in other processes, and the side that answers there.

Jobs and drafts are pure: a repetition gives the same result, so another worker can repeat lost work.
"""

from __future__ import annotations

import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from ...evaluators.base import Evaluation, Evaluator
from ...sandbox.base import SandboxError
from ...sandbox.unseen import clean
from ..admission import Admission
from ..executor import EvaluationJob, evaluate
from ..types import Proposal, Rejection
from .proposals import Draft, RemoteProposer, drafted
from .protocol import (
    LineError,
    Made,
    Work,
    WorkerFault,
    confirm_drafted,
    decode_reply,
    decode_work,
    encode_reply,
    encode_work,
)

MOST_TRIES = 3
"""How often a job is begun before its campaign ends."""
_MOST_STRAYS = 100
"""Replies to other jobs that a worker may send before its reply to this one (count)."""
_SENTENCE = 1000
"""Longest sentence about a lost worker, which quotes what it sent (characters)."""


class WorkerLost(Exception):
    """A worker has ended or cannot be reached; this says nothing about the worker's job."""


class WorkersLost(Exception):
    """One job lost several workers, or no worker is left; a person must act."""


class Worker(Protocol):
    """A process that does jobs one after another, as one thread of the driver sees it."""

    @property
    def name(self) -> str:
        """Of the process and its machine, for messages."""

    def send(self, line: str) -> None:
        """Hands over a job's line.

        Raises:
            WorkerLost: nobody takes it.
        """

    def receive(self) -> str:
        """Waits for the next line.

        Raises:
            WorkerLost: no line will come.
        """

    def close(self) -> None:
        """Ends the worker, even during a job; any thread may call `close`, also more than once."""


@dataclass(slots=True)
class _Task:
    work: Work
    future: Future[Any]
    number: int
    tries: int = 0
    lost: list[str] = field(default_factory=list)


class RemoteExecutor:
    """An executor over workers; each has a thread of this process that waits for its replies."""

    def __init__(
        self,
        workers: Sequence[Worker],
        replace: Callable[[Worker], Worker],
        note: Callable[[str], None] = lambda sentence: None,
        confirm: Callable[[EvaluationJob, Evaluation], None] = lambda job, evaluation: None,
    ) -> None:
        """Takes workers that are ready.

        Args:
            workers: at least one.
            replace: starts a worker in the place of a lost one, from the lost one's thread; any exception
                of it leaves the place empty.
            note: called for each lost worker, in that worker's thread; an exception leaves the place empty.
            confirm: holds an evaluation against what this process has; a `ValueError` loses the worker.
        """
        self._replace = replace
        self._note = note
        self._confirm = confirm
        self._numbers = count(1)
        self._drafts: deque[_Task] = deque()
        self._jobs: deque[_Task] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._at_work = list(workers)
        self._places = len(self._at_work)
        self._trouble: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._work, args=(worker,), name=f"worker-{number}", daemon=True)
            for number, worker in enumerate(workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def size(self) -> int:
        """Workers that can do something at once (count)."""
        return self._places

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """Queues a job, first in, first out."""
        return self._queue(job, self._jobs)

    def draft(self, draft: Draft) -> Future[Proposal | Rejection]:
        """Queues a draft, first in, first out; drafts come before jobs: later candidates wait for them."""
        return self._queue(draft, self._drafts)

    def _queue(self, work: Work, queue: deque[_Task]) -> Future[Any]:
        task = _Task(work, Future(), next(self._numbers))
        with self._changed:
            if self._trouble is not None:
                task.future.set_exception(self._trouble)
            else:
                queue.append(task)
                self._changed.notify()
        return task.future

    def _waiting(self) -> deque[_Task]:
        """The queue whose turn it is; empty if nothing waits."""
        return self._drafts or self._jobs

    def close(self) -> None:
        """Drops what is queued, waits for what runs, ends the workers."""
        self._drop()
        for thread in self._threads:
            thread.join()
        self._end()

    def kill(self) -> None:
        """Drops what is queued and ends the workers without waiting for what runs."""
        self._drop()
        self._end()
        for thread in self._threads:
            thread.join()

    def _drop(self) -> None:
        with self._changed:
            self._closed = True
            while waiting := self._waiting():
                task = waiting.popleft()
                if not task.future.cancel():  # it was begun, by a worker that is lost
                    task.future.set_exception(WorkersLost("; ".join(task.lost)))
            self._changed.notify_all()

    def _end(self) -> None:
        with self._changed:
            workers = list(self._at_work)
        if workers:
            with ThreadPoolExecutor(len(workers), "end-worker") as ending:
                list(ending.map(lambda worker: worker.close(), workers))

    def _work(self, worker: Worker) -> None:
        """The thread of one worker and of those that take its place."""
        while (task := self._next()) is not None:
            try:
                outcome = self._done(worker, task)
            except (WorkerLost, LineError) as error:
                replaced = self._lose(worker, task, f"{worker.name}: {error}", replaceable=True)
            except SandboxError as error:
                replaced = self._lose(worker, task, f"{worker.name}: {error}", replaceable=False, error=error)
            except BaseException as error:  # handed to the loop, which decides
                task.future.set_exception(error)
                continue
            else:
                task.future.set_result(outcome)
                continue
            if replaced is None:
                return
            worker = replaced

    def _next(self) -> _Task | None:
        """The next job, None at the end."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._waiting() or self._closed or self._trouble is not None)
                if not (waiting := self._waiting()):
                    return None
                task = waiting.popleft()
                if task.tries or task.future.set_running_or_notify_cancel():
                    task.tries += 1
                    return task

    def _done(self, worker: Worker, task: _Task) -> Made:
        """The result of a job or draft; replies to others, late or doubled, are passed over."""
        worker.send(encode_work(task.number, task.work))
        for _ in range(_MOST_STRAYS):
            number, outcome = decode_reply(worker.receive())
            if number != task.number:
                continue
            if isinstance(outcome, SandboxError | WorkerFault):
                raise outcome
            if isinstance(outcome, Evaluation) is isinstance(task.work, Draft):
                raise LineError(f"reply to job {number}: got {type(outcome).__name__}, expected another kind")
            self._check(task.work, outcome)
            return outcome
        raise LineError(f"{_MOST_STRAYS} replies to other jobs, expected one to job {task.number}")

    def _check(self, work: Work, outcome: Made) -> None:
        """Refuses a result that this process can tell to be wrong."""
        try:
            if isinstance(outcome, Evaluation) and isinstance(work, EvaluationJob):
                self._confirm(work, outcome)
            elif isinstance(outcome, Proposal | Rejection) and isinstance(work, Draft):
                confirm_drafted(work, outcome)
        except LineError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise LineError(f"reply: {error}") from error

    def _lose(
        self,
        worker: Worker,
        task: _Task,
        sentence: str,
        *,
        replaceable: bool,
        error: SandboxError | None = None,
    ) -> Worker | None:
        """Ends a worker, queues its job first, and starts another worker; None leaves the place empty."""
        worker.close()
        sentence = clean(sentence)[:_SENTENCE]
        task.lost.append(sentence)
        with self._changed:
            if self._closed:
                task.future.set_exception(WorkersLost(sentence))
                return None
            self._at_work.remove(worker)
            if task.tries >= MOST_TRIES:
                why = f"workers were lost on one job {task.tries} times: {'; '.join(task.lost)}"
                task.future.set_exception(error or WorkersLost(why))
            else:
                queue = self._drafts if isinstance(task.work, Draft) else self._jobs
                queue.appendleft(task)
                self._changed.notify()
        try:
            self._note(sentence)
            if not replaceable:
                raise error or WorkersLost(sentence)
            replaced = self._replace(worker)
        except BaseException as trouble:
            self._leave_empty(trouble)
            return None
        return self._begin(replaced)

    def _begin(self, worker: Worker) -> Worker | None:
        """Takes a worker in the place of a lost one; None where the executor was closed in the meantime."""
        with self._changed:
            if not self._closed:
                self._at_work.append(worker)
                return worker
        worker.close()
        return None

    def _leave_empty(self, trouble: BaseException) -> None:
        """Notes why a place is empty; when all are, every job ends with the reason."""
        with self._changed:
            self._places -= 1
            if self._places:
                return
            self._trouble = trouble
            while waiting := self._waiting():
                waiting.popleft().future.set_exception(trouble)
            self._changed.notify_all()


# The worker's side: a job's line becomes a reply's line.


@dataclass(frozen=True, slots=True)
class WorkerParts:
    """The parts that a worker uses.

    Attributes:
        evaluator: scores programs.
        admission: examines proposals, on the slot that programs run on.
        proposer: makes proposals.
        problem: what they are proposed for.
    """

    evaluator: Evaluator
    admission: Admission
    proposer: RemoteProposer
    problem: Any

    def reply(self, line: str) -> str:
        """Does the job of a line and returns the line of its result; an error in the job is a result too.

        Raises:
            LineError: the line holds no job.
        """
        number, work = decode_work(line)
        try:
            if isinstance(work, Draft):
                return encode_reply(number, drafted(work, self.proposer, self.problem, self.admission))
            return encode_reply(number, evaluate(self.evaluator, self.admission.sandbox, work))
        except Exception as error:
            return encode_reply(number, error, traceback.format_exc())
