"""An executor that closes drops what nobody waits for any more."""

from __future__ import annotations

import time
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event
from typing import Any
from unittest.mock import MagicMock

from gapsmith.evaluators.base import Evaluation, EvaluationStatus
from gapsmith.evolve.executor import EvaluationJob, ThreadExecutor, leave
from gapsmith.sandbox.base import Description, Execution, ExecutionStatus, Limits, Program, Sandbox


class Counting:
    """A slot that counts its executions; the third lasts until a queued job is dropped."""

    def __init__(self) -> None:
        self.executions, self.third = 0, Event()
        self.queued: Future[Evaluation] = Future()

    def execute(self, *values: Any) -> Execution:
        """See `Sandbox`."""
        self.executions += 1
        if self.executions == 3:
            self.third.set()
            until = time.monotonic() + 60
            while not self.queued.cancelled() and time.monotonic() < until:
                time.sleep(0.01)
        return Execution(ExecutionStatus.OK, 0, cpu_seconds=0.0)

    def describe(self, *values: Any) -> Description:
        """See `Sandbox`."""
        return Description()

    def close(self) -> None:
        """Has nothing to end."""


def test_closing_waits_for_an_execution_and_not_for_the_evaluation() -> None:
    """A second Ctrl-C ends after the execution that runs, with 97 of the instances left."""

    def evaluate(program: Program, split: str, sandbox: Sandbox, **values: Any) -> Evaluation:
        for _ in range(100):
            sandbox.execute(program, b"{}", Limits(), 0)
        return Evaluation(split, (), EvaluationStatus.COMPLETE, 0.0)

    slot: Any = Counting()
    executor = ThreadExecutor(MagicMock(evaluate=evaluate), lambda: slot, 1)
    job = EvaluationJob(Program({"heuristic.py": ""}, "f"), "train")
    future = executor.submit(job)
    assert slot.third.wait(60)
    slot.queued = executor.submit(job)
    executor.close()
    assert slot.executions == 3
    assert slot.queued.cancelled()
    assert future.exception() is not None


def test_slots_are_opened_when_there_is_work_for_them() -> None:
    """The first one is opened at once; many jobs open as many as are allowed, and all are closed."""
    opened: list[Any] = []

    def open_slot() -> Any:
        opened.append(MagicMock())
        return opened[-1]

    def evaluate(*values: Any, **named: Any) -> Evaluation:
        assert begun.get(timeout=60)
        return Evaluation("train", (), EvaluationStatus.COMPLETE, 0.0)

    begun: SimpleQueue[bool] = SimpleQueue()
    executor = ThreadExecutor(MagicMock(evaluate=evaluate), open_slot, 2)
    job = EvaluationJob(Program({"heuristic.py": ""}, "f"), "train")
    assert len(opened) == 1
    futures = [executor.submit(job) for _ in range(4)]
    for _ in futures:
        begun.put(True)
    assert all(future.result() for future in futures)
    executor.close()
    assert len(opened) == 2
    assert all(slot.close.called for slot in opened)


def test_a_job_that_is_left_ends_after_the_execution_that_runs() -> None:
    """The slot is free for the next job."""

    def evaluate(program: Program, split: str, sandbox: Sandbox, **values: Any) -> Evaluation:
        for _ in range(100 if split == "train" else 1):
            sandbox.execute(program, b"{}", Limits(), 0)
        return Evaluation(split, (), EvaluationStatus.COMPLETE, 0.0)

    slot: Any = Counting()
    executor = ThreadExecutor(MagicMock(evaluate=evaluate), lambda: slot, 1)
    program = Program({"heuristic.py": ""}, "f")
    future = executor.submit(EvaluationJob(program, "train"))
    assert slot.third.wait(60)
    leave(executor, future)
    slot.queued.cancel()
    assert executor.submit(EvaluationJob(program, "valid")).result(60).split == "valid"
    assert future.exception() is not None
    assert slot.executions == 4
    executor.close()
