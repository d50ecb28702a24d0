"""A budget of wall seconds waits for nothing that does not end in time, and loses nothing of the course."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import gapsmith.evolve.campaign as campaign_module
import pytest
from gapsmith.evaluators.base import Evaluation
from gapsmith.evolve.budget import StopReason
from gapsmith.evolve.executor import EvaluationJob, leave

from .fakes import FakeEvaluator, FakeExecutor

Make = Callable[..., Any]


class Stuck(FakeExecutor):
    """An executor whose evaluations never end after a number of them."""

    def __init__(self, evaluator: FakeEvaluator, most: int) -> None:
        super().__init__(evaluator)
        self._most = most
        self.begun: list[Future[Evaluation]] = []
        self.left: list[Future[Evaluation]] = []

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """See `Executor`."""
        self._most -= 1
        if self._most >= 0:
            return super().submit(job)
        future: Future[Evaluation] = Future()
        future.set_running_or_notify_cancel()
        self.begun.append(future)
        return future

    def leave(self, job: Future[Evaluation]) -> None:
        """See `Leaving`."""
        self.left.append(job)


def test_what_is_under_way_is_left_and_a_resumed_campaign_takes_the_same_course(
    fakes: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The iterations stay open as after a kill, and the resumed campaign closes them."""
    whole = fakes("whole")
    whole.run(iterations=40)
    executor = Stuck(FakeEvaluator(), 12)
    # The time is over as soon as an evaluation does not end, however busy the machine is.
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + (1000 if executor.begun else 0))
    monkeypatch.setattr(campaign_module, "time", clock)
    cut = fakes("cut", executor=executor)
    campaign = cut.run(iterations=40, seconds=500)
    assert campaign.stopped is StopReason.SECONDS
    assert 0 < campaign.search.tally.told < campaign.search.tally.asked < 40
    assert executor.left
    assert {*executor.left} <= {*executor.begun}  # a validation may be under way, too
    cut.executor = None
    cut.run(iterations=40, seconds=1e6)
    assert cut.course() == whole.course()


def test_validations_that_do_not_end_are_left_out(fakes: Make) -> None:
    """They are named, so that a replay leaves them out as well."""
    executor = Stuck(FakeEvaluator(), 10**9)
    campaign = fakes("run", executor=executor).run(iterations=30)
    candidate = campaign.search.archive.elites()[0].candidate
    campaign.validation.evaluations.pop(candidate.id, None)
    executor._most = 0
    campaign.validation._under_way[executor.submit(EvaluationJob(None, "valid"))] = candidate.id  # type: ignore[arg-type]
    campaign.validation.abandon()
    assert campaign.validation.left_out == {candidate.id}
    assert campaign.validation.futures == ()
    assert executor.left == executor.begun


def test_a_queued_job_is_cancelled_whatever_the_executor() -> None:
    """Only one that runs needs the executor's help."""
    future: Future[Evaluation] = Future()
    leave(FakeExecutor(FakeEvaluator()), future)
    assert future.cancelled()
