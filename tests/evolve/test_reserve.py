"""A budget of wall seconds keeps what preparation took and what validation and the final test will take."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from typing import Any

import pytest
from gapsmith.app.setup.timing import time_line
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.budget import Budget, StopReason, Usage
from gapsmith.evolve.champion import (
    OVERHEAD,
    ReserveEstimate,
    TimeReserve,
    lengths,
    per_execution,
    search_seconds_left,
)
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.store.store import Store
from hypothesis import given
from hypothesis import strategies as st

from .fakes import FakeEvaluator, FakeExecutor

Make = Callable[..., Any]
SECONDS = st.floats(0, 100)


def evaluation(split: str, *seconds: float) -> Evaluation:
    """An evaluation of which only the CPU seconds matter."""
    scores = [
        Score(f"{split}-{n}", ScoreStatus.OK, 1, 1, ReferenceKind.OPTIMUM, 0, 0, cpu)
        for n, cpu in enumerate(seconds)
    ]
    return Evaluation(split, tuple(scores), EvaluationStatus.COMPLETE, 0.0)


def test_the_end_is_side_by_side_on_all_slots_and_then_the_tests() -> None:
    """Three validations of 20 executions and one evaluation under way on two slots, then two tests of 50."""
    reserve = ReserveEstimate({"valid": 20.0, "test": 50.0}, champions=3, slots=2)
    tested = [0.1, 0.3]
    assert reserve.seconds([0.1, 0.1, 0.2], [4.0], tested) == pytest.approx((2 + 2 + 4 + 4) / 2 + 5 + 15)
    assert reserve.seconds([1.0], [], []) == 20.0  # one job has one slot
    assert reserve.seconds([], [], []) == 0.0


@given(st.lists(SECONDS), st.lists(SECONDS), SECONDS, st.integers(1, 8))
def test_more_work_never_takes_less_and_more_slots_never_more(
    validated: list[float], under_way: list[float], more: float, slots: int
) -> None:
    """Whatever is left."""
    reserve = ReserveEstimate({"valid": 3.0, "test": 5.0}, 10, slots)
    wider = ReserveEstimate({"valid": 3.0, "test": 5.0}, 10, slots + 1)
    seconds = reserve.seconds(validated, under_way, [1.0])
    assert reserve.seconds([*validated, more], under_way, [1.0]) >= seconds - 1e-9
    assert reserve.seconds(validated, [*under_way, more], [1.0]) >= seconds - 1e-9
    assert reserve.seconds(validated, under_way, [1.0, more]) >= seconds - 1e-9
    assert wider.seconds(validated, under_way, [1.0]) <= seconds + 1e-9


def test_a_split_is_as_long_as_it_was_for_the_baselines() -> None:
    """Its instances are larger here; a baseline without that evaluation says nothing."""
    fast = {"train": evaluation("train", 0.1, 0.1), "valid": evaluation("valid", 0.3, 0.3, 0.3)}
    found = lengths([fast, {"train": evaluation("train", 9.0)}], {"valid": 3})
    assert found == {"valid": pytest.approx(3 * (0.3 + OVERHEAD) / (0.1 + OVERHEAD))}
    assert lengths([], {"valid": 3, "test": 7}) == {"valid": 3.0, "test": 7.0}
    assert per_execution(evaluation("train", 1.0, 3.0)) == 2.0 + OVERHEAD


def test_a_budget_of_seconds_ends_before_what_is_kept() -> None:
    """Whatever is kept; the other limits keep nothing."""
    budget = Budget(seconds=40.0)
    assert budget.exhausted(Usage(wall_seconds=34.9), kept=5.0) is None
    assert budget.exhausted(Usage(wall_seconds=35.0), kept=5.0) is StopReason.SECONDS
    assert budget.exhausted(Usage(wall_seconds=0.0), kept=500.0) is StopReason.SECONDS
    assert Budget(iterations=5).exhausted(Usage(iterations=4, wall_seconds=90.0), kept=500.0) is None


def test_a_campaign_keeps_what_its_best_elites_take(fakes: Make) -> None:
    """Nothing without a budget of seconds; no validation that was made; estimated once a second."""
    times = [0.0]
    made = fakes()
    made.folder.mkdir()
    with closing(Store(made.folder)) as store:
        campaign = made.campaign(store, seconds=1e6, iterations=1)
        reserve = ReserveEstimate({"valid": 1.0, "test": 10.0}, champions=5, slots=1)
        keeper = TimeReserve(reserve, clock=lambda: times[0])
        best = campaign.search.archive.elites()[0]
        one = per_execution(best.evaluation)
        assert keeper(campaign) == pytest.approx(one + 20 * one)
        campaign.validation.add(best.candidate.id, best.evaluation)
        assert keeper(campaign) == pytest.approx(one + 20 * one)
        times[0] = 1.5
        assert keeper(campaign) == pytest.approx(20 * one)
        assert TimeReserve(reserve, prepared=7.5)(campaign) == pytest.approx(7.5 + 20 * one)
        campaign.budget = Budget(seconds=40.0 * one)
        assert TimeReserve(reserve, prepared=4 * one)(campaign) == pytest.approx(4 * one + 18 * one)
        campaign.close()
        campaign = made.campaign(store, iterations=1)
        assert keeper(campaign) == TimeReserve(reserve, prepared=7.5)(campaign) == 0.0
        campaign.close()


@pytest.mark.parametrize(
    ("prepared", "search", "sentence"),
    [
        (
            12.0,
            28.0,
            "about 40 s in all: 12 s of preparation, 28 s of search, less than a second of validation and "
            "test",
        ),
        (
            90.0,
            0.0,
            "about 1 min 30 s in all, longer than the 40 s asked for: preparation took 1 min 30 s, the "
            "search still gets 0 s, and validation and test take less than a second",
        ),
    ],
)
def test_preparation_counts_and_the_search_gets_what_is_left(
    fakes: Make, prepared: float, search: float, sentence: str
) -> None:
    """A line before the search says how the time is divided, what an earlier session took included."""
    made = fakes()
    made.folder.mkdir()
    with closing(Store(made.folder)) as store:
        store.set("prepared_seconds", prepared)
        campaign = made.campaign(store, seconds=40.0, kept=lambda campaign: prepared)
        assert search_seconds_left(campaign) == pytest.approx(search, abs=1.0)
        assert (time_line(campaign) or "").startswith(sentence)
        campaign.close()
        campaign = made.campaign(store, iterations=1)
        assert search_seconds_left(campaign) is time_line(campaign) is None
        campaign.close()


class Queued(FakeExecutor):
    """Evaluations on new instances stay in the queue for ever."""

    def __init__(self, evaluator: FakeEvaluator) -> None:
        super().__init__(evaluator)
        self.waiting: list[Future[Evaluation]] = []

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """See `Executor`."""
        if not job.first:
            return super().submit(job)
        self.waiting.append(Future())
        return self.waiting[-1]


def test_a_stop_clears_the_queue_of_new_instances(pooled: Make) -> None:
    """Validation and test do not wait for evaluations that nobody needs any more."""
    executor = Queued(FakeEvaluator(64))
    pooled("stopped", executor=executor, observe=lambda campaign: stop(campaign, executor)).run(iterations=60)
    assert executor.waiting
    assert all(future.cancelled() for future in executor.waiting)


def stop(campaign: Any, executor: Queued) -> None:
    """Interrupts the campaign as soon as elites wait for new instances."""
    if executor.waiting:
        campaign.interrupt(StopReason.INTERRUPTED)
