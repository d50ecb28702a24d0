"""A campaign whose pool of training instances grows: all that is compared was evaluated on one prefix."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import closing
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation
from gapsmith.evolve.budget import StopReason
from gapsmith.evolve.campaign import Campaign
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.islands import Pool, prefixes
from gapsmith.evolve.store.reader import Reader
from hypothesis import given
from hypothesis import strategies as st

from .fakes import FakeEvaluator, FakeExecutor

ITERATIONS = 60
Make = Callable[..., Any]


class Slow(FakeExecutor):
    """Evaluations on new instances end one after another, as `observe` lets them; then the campaign stops."""

    def __init__(self, evaluator: FakeEvaluator) -> None:
        super().__init__(evaluator)
        self.waiting: list[tuple[Future[Evaluation], EvaluationJob]] = []
        self.let = 0

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """See `Executor`."""
        if not job.first:
            return super().submit(job)
        future: Future[Evaluation] = Future()
        self.waiting.append((future, job))
        return future

    def observe(self, campaign: Campaign) -> None:
        """Lets four evaluations end, and stops the campaign when they are recorded."""
        if self.let and self.waiting:
            campaign.interrupt(StopReason.INTERRUPTED)
            return
        for future, job in [self.waiting.pop(0) for _ in self.waiting[:4]]:
            future.set_result(self.done(job))
            self.let += 1


@pytest.mark.slow
def test_a_campaign_that_is_stopped_while_elites_are_evaluated_goes_on_there(pooled: Make) -> None:
    """What was evaluated on new instances before the stop is kept, and no instance is executed twice."""
    whole = pooled("whole")
    whole.run(iterations=30)
    stops = evaluated = 0
    campaign = None
    while campaign is None or campaign.stopped is StopReason.INTERRUPTED:
        evaluator = FakeEvaluator(64)
        executor = Slow(evaluator)
        cut = pooled("cut", evaluator=evaluator, executor=executor, observe=executor.observe)
        campaign = cut.run(iterations=30)
        stops, evaluated = stops + 1, evaluated + executor.let
    assert stops > 2
    assert cut.course() == whole.course()
    grown = [row for row in cut.course()["evaluations"] if row[1].startswith("train/")]
    assert evaluated == len(grown)


def test_all_that_is_compared_was_evaluated_on_one_prefix(pooled: Make) -> None:
    """Elites and every race have as many instances as are in use, and each elite its fitness on them."""
    sizes: list[int] = []

    def check(campaign: Campaign) -> None:
        prefix = campaign.search.pool.prefix
        sizes.append(prefix)
        assert {len(elite.evaluation.scores) for elite in campaign.search.archive.elites()} == {prefix}
        for flight in campaign._flights.values():
            if flight.race is not None:
                assert len(flight.race.incumbent) == prefix

    run = pooled("run", observe=check)
    campaign = run.run(iterations=ITERATIONS)
    assert sorted({*sizes}) == [8, *run.growths()]
    evaluator = FakeEvaluator(64)
    for elite in campaign.search.archive.elites():
        program = evaluator.program(elite.candidate.files)
        part = slice(campaign.search.pool.prefix)
        again = evaluator.evaluate(program, "train", run.sandbox, part=part)
        assert elite.evaluation == again
        assert campaign.search.archive.space.measures(elite.candidate, again) == elite.measures
    with closing(Reader.open(run.folder)) as read:
        asked = {step.number: step.prefix for step in read.iterations()}
        for step in read.iterations():
            told = read.evaluation(step.candidate, "train", step.prefix) if step.candidate else None
            assert told is None or told.fitness is None or len(told.scores) == asked[step.number]


def test_a_pool_on_which_every_elite_fails_is_left(pooled: Make) -> None:
    """The prefix stays, and the campaign goes on."""

    class Failing(FakeEvaluator):
        @staticmethod
        def _late(text: str, instance: Any) -> bool:
            return int(instance.id.rpartition("-")[2]) >= 8

    run = pooled("run", evaluator=Failing(64))
    campaign = run.run(iterations=ITERATIONS)
    assert run.growths() == [8]
    assert campaign.search.pool.prefix == 8
    assert campaign.search.archive.elites()
    resumed = pooled("run", evaluator=Failing(64))
    resumed.run(iterations=ITERATIONS)
    assert resumed.evaluator.evaluated == []


def test_elites_that_fail_on_new_instances_leave(pooled: Make) -> None:
    """A failed elite is named by the event of the growth, holds no cell and is no champion of training."""

    class Failing(FakeEvaluator):
        @staticmethod
        def _late(text: str, instance: Any) -> bool:
            return int(instance.id.rpartition("-")[2]) >= 8 and sum(text.encode()) % 3 == 0

    run = pooled("run", evaluator=Failing(64))
    campaign = run.run(iterations=ITERATIONS)
    events = [json.loads(data) for _, kind, data in run.course()["events"] if kind == "growth"]
    failed = {id for event in events for id in event["failed"]}
    assert failed
    assert not failed & {elite.candidate.id for elite in campaign.search.archive.elites()}
    with closing(Reader.open(run.folder)) as read:
        assert all(read.evaluation(id, "train").fitness is None for id in failed)  # type: ignore[union-attr]
        assert not failed & {id for id, _ in read.best("train")}


@given(first=st.integers(1, 50), times=st.integers(1, 64))
def test_prefixes_double_up_to_the_whole_pool(first: int, times: int) -> None:
    """The first one is the training set, the last one the pool, each at most twice the one before."""
    sizes = prefixes(first, first * times)
    assert (sizes[0], sizes[-1]) == (first, first * times)
    assert all(a < b <= 2 * a for a, b in itertools.pairwise(sizes))


def test_a_pool_grows_when_the_elites_cost_no_more_than_their_share() -> None:
    """Ten elites on eight new instances: due from 80 / share executions on; the whole pool grows no more."""
    pool = Pool((8, 16), 0.25)
    assert [pool.due(executions, 10) for executions in (319, 320)] == [None, 16]
    pool.grow({})
    assert (pool.prefix, pool.first, pool.due(10**9, 1)) == (16, 8, None)
