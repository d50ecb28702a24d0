"""Jobs on workers in other processes: whatever becomes of a reply, a campaign takes the same course."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from gapsmith.evolve.admission import Admission
from gapsmith.evolve.executor import EvaluationJob, ThreadExecutor
from gapsmith.evolve.remote.executor import (
    MOST_TRIES,
    RemoteExecutor,
    Worker,
    WorkerLost,
    WorkerParts,
    WorkersLost,
)
from gapsmith.evolve.remote.protocol import WorkerFault
from gapsmith.sandbox.base import SandboxError

from .fakes import START, FakeEvaluator, FakeProposer, FakeSandbox

FAULTS = ("drop", "delay", "double", "late", "damage", "refuse")


@dataclass
class Transport:
    """What becomes of the replies of a few workers.

    Attributes:
        share: of the replies with a fault (ratio).
        faults: that are drawn.
        rng: draws them.
        late: replies of lost workers, which arrive at whoever takes their place.
    """

    share: float = 0.0
    faults: tuple[str, ...] = FAULTS
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    late: deque[str] = field(default_factory=deque)


class Ended(BaseException):
    """The end of the campaign's process, in the midst of whatever is under way."""


class FaultyWorker:
    """A worker of this process whose replies suffer a fault now and then."""

    name = "faulty"

    def __init__(self, evaluator: FakeEvaluator, transport: Transport) -> None:
        admission = Admission(FakeSandbox(), "solve", ("math",))
        self._workplace = WorkerParts(evaluator, admission, FakeProposer([]), None)
        self._transport = transport
        self._replies: deque[str] = deque()
        self._fault = ""

    def send(self, line: str) -> None:
        """See `Worker`."""
        transport = self._transport
        faulty = transport.rng.random() < transport.share
        self._fault = transport.rng.choice(transport.faults) if faulty else ""
        if self._fault == "refuse":
            raise WorkerLost("the pipe is closed")
        if self._fault == "end":
            raise Ended
        with suppress(IndexError):
            while True:
                self._replies.append(transport.late.popleft())
        self._replies.append(self._workplace.reply(line))

    def receive(self) -> str:
        """See `Worker`."""
        fault, self._fault = self._fault, ""
        if fault == "delay":
            time.sleep(0.003)
        if fault == "double":
            self._replies.append(self._replies[-1])
        if fault == "late":
            self._transport.late.append(self._replies.pop())
        if fault == "damage":
            return self._replies.pop()[:-7]
        if fault in ("drop", "late"):
            raise WorkerLost("killed")
        return self._replies.popleft()

    def close(self) -> None:
        """See `Worker`."""


def crew(count: int, transport: Transport, note: Callable[[str], None] = lambda _: None) -> RemoteExecutor:
    """An executor over workers with one transport."""

    def start(_: object = None) -> Worker:
        return FaultyWorker(FakeEvaluator(), transport)

    return RemoteExecutor([start() for _ in range(count)], start, note)


JOB = EvaluationJob(FakeEvaluator().program({"heuristic.py": START}), "train")


@pytest.mark.parametrize("seed", range(2))
def test_faults_of_the_transport_change_no_course(fakes: Callable[..., Any], seed: int) -> None:
    """Dropped, delayed, doubled, late and damaged replies give the course of one thread."""
    one = fakes("one", executor=ThreadExecutor(FakeEvaluator(), FakeSandbox, 1))
    two = fakes("two", executor=ThreadExecutor(FakeEvaluator(), FakeSandbox, 2))
    lost: list[str] = []
    many = fakes("many", executor=crew(3, Transport(0.12, rng=random.Random(seed)), lost.append))
    for campaign in (one, two, many):
        campaign.run(iterations=40)
        campaign.executor.close()
    assert many.course() == two.course() == one.course()
    assert lost


@pytest.mark.quick("1")
@pytest.mark.parametrize("seed", range(2))
def test_random_kills_lose_and_double_nothing(fakes: Callable[..., Any], seed: int) -> None:
    """After 20 ends of workers and of the campaign every row of the store is that of an undisturbed one."""
    whole = fakes("whole")
    whole.run(iterations=80)
    transport = Transport(0.25, ("drop", "refuse", "late", "end"), random.Random(seed))
    lost: list[str] = []
    ends, told = 0, 0
    while told < 80:
        cut = fakes("cut", executor=crew(3, transport, lost.append))
        try:
            told = cut.run(iterations=80).search.tally.told
        except (Ended, WorkersLost):
            ends += 1
        cut.executor.kill()
    assert cut.course() == whole.course()
    assert ends > 3
    assert len(lost) > 3
    assert ends + len(lost) >= 20


def test_a_job_whose_workers_are_lost_each_time_ends_with_their_reasons() -> None:
    """After three workers a person must act, and the message holds each reason."""
    executor = crew(2, Transport(1.0, ("drop",)))
    with pytest.raises(WorkersLost, match="workers were lost on one job 3 times") as caught:
        executor.submit(JOB).result(10)
    assert str(caught.value).count("faulty: killed") == MOST_TRIES
    executor.close()


@pytest.mark.parametrize("last", [4, 9, 14, 19, 20])
@pytest.mark.parametrize("workers", ["crew", "threads"])
def test_a_campaign_that_lost_its_workers_goes_on_where_it_was(
    fakes: Callable[..., Any], last: int, workers: str
) -> None:
    """Resumed with workers or threads, texts that never arrived are made again, points of tuning too."""
    whole = fakes("whole")
    whole.run(iterations=60)
    transport = Transport(faults=("drop",))
    cut = fakes("cut", executor=crew(2, transport))
    done: list[int] = []

    def observe(campaign: Any) -> None:
        done.append(campaign.search.tally.told)
        transport.share = float(done[-1] >= last)

    cut.observe = observe
    with pytest.raises(WorkersLost):
        cut.run(iterations=60)
    cut.executor.close()
    assert None in [row[6] or row[7] for row in cut.course()["iterations"]]
    executor = crew(2, Transport()) if workers == "crew" else ThreadExecutor(FakeEvaluator(), FakeSandbox, 2)
    resumed = fakes("cut", executor=executor)
    resumed.run(iterations=60)
    executor.close()
    assert last <= done[-1] < 60
    assert resumed.course() == whole.course()


class BrokenEvaluator(FakeEvaluator):
    """An evaluator whose sandbox or own code fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def evaluate(self, *_: Any, **__: Any) -> Any:
        """Raises the error."""
        raise self._error


def test_a_worker_without_a_sandbox_is_left_out() -> None:
    """Its job is done by another worker, and nothing takes its place."""
    broken = FaultyWorker(BrokenEvaluator(SandboxError("uid", "no user", "add one")), Transport())
    sound = FaultyWorker(FakeEvaluator(), Transport())
    lost: list[str] = []
    started: list[Worker] = []
    executor = RemoteExecutor([broken, sound], lambda worker: started.append(worker) or worker, lost.append)
    found = [executor.submit(JOB) for _ in range(40)]
    assert len({repr(future.result(10)) for future in found}) == 1
    executor.close()
    assert lost in ([], ["faulty: uid: no user"])  # empty if it was never its turn
    assert not started


def test_without_any_sandbox_the_error_is_that_of_the_sandbox() -> None:
    """When every worker was left out, each job ends with the last one's reason and hint."""
    error = SandboxError("uid", "no user", "add one")
    workers = [FaultyWorker(BrokenEvaluator(error), Transport()) for _ in range(2)]
    executor = RemoteExecutor(workers, lambda worker: worker)
    for _ in range(3):
        with pytest.raises(SandboxError, match="uid: no user") as caught:
            executor.submit(JOB).result(10)
        assert caught.value.hint == "add one"
    executor.close()


def test_a_fault_of_the_workers_code_is_no_reason_to_try_again() -> None:
    """The error holds the worker's traceback, and the worker goes on."""
    lost: list[str] = []
    worker = FaultyWorker(BrokenEvaluator(ZeroDivisionError("by nought")), Transport())
    executor = RemoteExecutor([worker], lambda worker: worker, lost.append)
    for _ in range(2):
        with pytest.raises(WorkerFault, match="ZeroDivisionError: by nought"):
            executor.submit(JOB).result(10)
    executor.close()
    assert not lost


class WaitingWorker:
    """A worker that never replies until it is closed."""

    name = "waiting"

    def __init__(self) -> None:
        self._closed, self.begun = threading.Event(), threading.Event()

    def send(self, line: str) -> None:
        """See `Worker`."""
        self.begun.set()

    def receive(self) -> str:
        """See `Worker`."""
        self._closed.wait(10)
        raise WorkerLost("closed")

    def close(self) -> None:
        """See `Worker`."""
        self._closed.set()


def test_kill_waits_for_nothing() -> None:
    """What runs ends at once, what is queued is dropped, and no worker is started in place of one."""
    worker = WaitingWorker()
    executor = RemoteExecutor([worker], lambda worker: pytest.fail("a worker was started"))
    running, queued = executor.submit(JOB), executor.submit(JOB)
    assert worker.begun.wait(10)
    executor.kill()
    assert queued.cancelled()
    with pytest.raises(WorkersLost):
        running.result(1)


def test_a_loss_that_cannot_be_noted_ends_the_jobs() -> None:
    """When the store takes no event, each job ends with the reason, and no caller waits for ever."""

    def note(sentence: str) -> None:
        raise OSError("the disk is full")

    executor = crew(1, Transport(1.0, ("drop",)), note)
    with pytest.raises(OSError, match="the disk is full"):
        executor.submit(JOB).result(10)
    executor.close()


def test_a_job_of_a_lost_worker_ends_with_the_executor() -> None:
    """A job that waits for another try has an outcome when the executor is killed."""
    lost, killed = threading.Event(), threading.Event()

    def replace(worker: Worker) -> Worker:
        lost.set()
        killed.wait(10)
        return worker

    executor = RemoteExecutor([FaultyWorker(FakeEvaluator(), Transport(1.0, ("drop",)))], replace)
    future = executor.submit(JOB)
    assert lost.wait(10)
    ending = threading.Thread(target=executor.kill)
    ending.start()
    with pytest.raises(WorkersLost, match="faulty: killed"):
        future.result(10)
    killed.set()
    ending.join(10)
    assert not ending.is_alive()
