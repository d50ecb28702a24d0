"""A campaign that is cut anywhere and resumed, or replayed, takes the course of one that was left alone."""

from __future__ import annotations

import itertools
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.course import recorded_course
from gapsmith.evolve.campaign import Campaign
from gapsmith.evolve.course import Pace, RecordedCourse, TellOrder
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.search import Search
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.store.schema import FILE_NAME
from gapsmith.evolve.store.store import Store
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .fakes import FakeEvaluator, FakeExecutor, FakeProposer

ITERATIONS = 40
Make = Callable[..., Any]
_names = (f"example-{number}" for number in itertools.count())


class Killed(BaseException):
    """The death of the process."""


class MortalStore(Store):
    """A store whose process dies at the end of one of its transactions, which is not kept."""

    def __init__(self, folder: Path, left: int) -> None:
        super().__init__(folder)
        self._left = left
        self._depth = 0

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """See `Store`."""
        with super().transaction() as database:
            self._depth += 1
            try:
                yield database
            finally:
                self._depth -= 1
            self._left -= not self._depth
            if not self._left:
                raise Killed


class LateExecutor(FakeExecutor):
    """Evaluations end after a random time, so that outcomes arrive in another order than they were asked."""

    def submit(self, job: EvaluationJob) -> Future[Any]:
        """See `Executor`."""
        future: Future[Any] = Future()
        found = self.done(job)
        threading.Timer(random.choice((0.0, 0.03)), lambda: future.set_result(found)).start()
        return future


class LateProposer(FakeProposer):
    """Texts arrive after a random time, as a model's do."""

    def propose(self, *asked: Any) -> Any:
        """See `Proposer`."""
        time.sleep(random.random() * 0.004)
        return super().propose(*asked)


def state(search: Search) -> Any:
    """All that a search knows, as far as a later ask could show it."""
    return (
        sorted((e.island, e.cell, e.candidate.id, e.fitness) for e in search.archive.elites()),
        asdict(search.tally),
        {island: failed.candidate.id for island, failed in search.memory.failed.items()},
        dict(search.memory.fitness),
    )


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 2 * ITERATIONS), min_size=1, max_size=3), seed=st.integers(1, 3))
def test_a_course_that_is_cut_anywhere_goes_on_as_if_it_was_not(
    fakes: Make, cuts: list[int], seed: int
) -> None:
    """Killed in any transactions and resumed: every row, cell, count and memory is the same."""
    whole = fakes(next(_names), seed=seed)
    undisturbed = whole.run(iterations=ITERATIONS)
    name = next(_names)
    for cut in cuts:
        killed = fakes(name, seed=seed, store_of=lambda folder, cut=cut: MortalStore(folder, cut + 5))
        with suppress(Killed):
            killed.run(iterations=ITERATIONS)
    last = fakes(name, seed=seed)
    resumed = last.run(iterations=ITERATIONS)
    assert last.course() == whole.course()
    assert state(resumed.search) == state(undisturbed.search)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stops=st.lists(st.integers(1, ITERATIONS), min_size=1, max_size=3))
@pytest.mark.slow
def test_a_course_that_was_stopped_goes_on_as_if_it_was_not(fakes: Make, stops: list[int]) -> None:
    """Budgets that ended and were raised leave no trace: what was in flight is asked as without them."""
    whole, name = fakes(next(_names)), next(_names)
    undisturbed = whole.run(iterations=ITERATIONS)
    for iterations in [*sorted(stops), ITERATIONS]:
        last = fakes(name)
        resumed = last.run(iterations=iterations)
    told = [row[:-2] for row in last.course()["iterations"]]
    assert told == [row[:-2] for row in whole.course()["iterations"]]
    assert state(resumed.search) == state(undisturbed.search)


def test_nothing_that_was_told_is_asked_or_evaluated_again(fakes: Make) -> None:
    """A resumed campaign works for new iterations alone."""
    fakes("run").run(iterations=20)
    resumed = fakes("run")
    resumed.run(iterations=20)
    assert resumed.proposed == []
    assert resumed.evaluator.evaluated == []
    more = fakes("run")
    more.run(iterations=22)
    assert {context.iteration for context in more.proposed} <= {21, 22}


def late(fakes: Make, name: str, count: int = 8, **parts: Any) -> Any:
    """A campaign on `count` instances of each split whose outcomes are told as they arrive."""
    evaluator = FakeEvaluator(count)
    return fakes(
        name,
        evaluator=evaluator,
        executor=LateExecutor(evaluator),
        proposer=LateProposer([]),
        pace=Pace(4, TellOrder.COMPLETED, waits=True),
        **parts,
    )


@pytest.mark.parametrize("cut", [30, 60, 100])
def test_a_cut_course_of_models_is_resumed_as_it_was(fakes: Make, cut: int) -> None:
    """After each recorded outcome the search knows what it knew when that outcome arrived."""
    states: list[dict[int, Any]] = [{}, {}]

    def note(number: int) -> Callable[[Campaign], None]:
        def observe(campaign: Campaign) -> None:
            states[number].setdefault(campaign.search.tally.told, state(campaign.search))

        return observe

    first = late(fakes, "run", observe=note(0), store_of=lambda folder: MortalStore(folder, cut + 5))
    with pytest.raises(Killed):
        first.run(iterations=ITERATIONS)
    told = [row for row in first.course()["iterations"] if row[-2] is not None]
    late(fakes, "run", observe=note(1)).run(iterations=ITERATIONS)
    assert len(told) > 1
    for number in range(1, len(told) + 1):
        assert states[1][number] == states[0][number]


def test_a_course_of_models_is_replayed(fakes: Make) -> None:
    """Recorded steps with outcomes that are worked out anew: every row and cell is the same."""
    recorded = late(fakes, "run")
    first = recorded.run(iterations=ITERATIONS)
    rows = recorded.course()["iterations"]
    order = [row[0] for row in sorted(rows, key=lambda row: row[-2])]
    assert order != sorted(order)
    with closing(Reader.open(recorded.folder)) as read:
        course = recorded_course(read)
        points = RecordedCourse(read).points(first.search.archive)
    again = fakes("again", pace=Pace(4, waits=True, course=course), points=points)
    replayed = again.run(iterations=ITERATIONS)
    assert again.course()["iterations"] == rows
    assert state(replayed.search) == state(first.search)


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cuts=st.lists(st.integers(1, 3 * ITERATIONS), min_size=1, max_size=3),
    seed=st.integers(1, 3),
    in_flight=st.sampled_from([1, 4]),
)
@pytest.mark.slow
def test_a_growing_course_that_is_cut_anywhere_goes_on_as_if_it_was_not(
    pooled: Make, cuts: list[int], seed: int, in_flight: int
) -> None:
    """Killed in any transactions, also between the evaluations of elites on new instances, and resumed."""
    parts = {"seed": seed, "pace": Pace(in_flight)}
    whole = pooled(next(_names), **parts)
    undisturbed = whole.run(iterations=ITERATIONS)
    assert whole.growths() == [16, 32, 64][: len(whole.growths())] != []
    name = next(_names)
    for cut in cuts:
        store_of = lambda folder, cut=cut: MortalStore(folder, cut + 5)  # noqa: E731
        with suppress(Killed):
            pooled(name, store_of=store_of, **parts).run(iterations=ITERATIONS)
    last = pooled(name, **parts)
    resumed = last.run(iterations=ITERATIONS)
    assert last.course() == whole.course()
    assert state(resumed.search) == state(undisturbed.search)


@pytest.mark.slow
def test_a_growing_course_that_was_stopped_goes_on_as_if_it_was_not(pooled: Make) -> None:
    """Budgets that ended and were raised leave no trace, whatever growth they cut off."""
    whole = pooled("whole")
    undisturbed = whole.run(iterations=ITERATIONS)
    for iterations in (*range(5, ITERATIONS, 4), ITERATIONS):
        resumed = pooled("cut").run(iterations=iterations)
    assert pooled("cut").growths() == whole.growths()
    assert state(resumed.search) == state(undisturbed.search)


@pytest.mark.quick("60")
@pytest.mark.parametrize("cut", [60, 120])
def test_a_growing_course_of_models_is_resumed_and_replayed(pooled: Make, cut: int) -> None:
    """Outcomes in any order: resumed after a kill, and replayed, it grows as it did."""
    random.seed(cut)
    with suppress(Killed):
        store_of = lambda folder: MortalStore(folder, cut + 5)  # noqa: E731
        late(pooled, "run", count=64, store_of=store_of).run(iterations=ITERATIONS)
    recorded = late(pooled, "run", count=64)
    first = recorded.run(iterations=ITERATIONS)
    course = recorded.course()
    assert recorded.growths()
    with closing(Reader.open(recorded.folder)) as read:
        steps, points = recorded_course(read), RecordedCourse(read).points(first.search.archive)
    again = pooled("again", pace=Pace(4, waits=True, course=steps), points=points)
    replayed = again.run(iterations=ITERATIONS)
    assert again.course()["iterations"] == course["iterations"]
    assert again.growths() == recorded.growths()
    assert state(replayed.search)[:2] == state(first.search)[:2]


def test_a_store_of_the_schema_without_prefixes_is_gone_on_with(fakes: Make) -> None:
    """Its campaign keeps its training set and takes the course of one that was not stopped."""
    whole, old = fakes("whole"), fakes("old")
    undisturbed = whole.run(iterations=ITERATIONS)
    old.run(iterations=ITERATIONS // 2)
    with closing(sqlite3.connect(old.folder / FILE_NAME)) as database:
        database.execute("DROP TABLE operations")
        database.execute("ALTER TABLE executions DROP COLUMN metrics")
        database.execute("ALTER TABLE iterations DROP COLUMN prefix")
        database.execute("PRAGMA user_version = 2")
    resumed = fakes("old")
    assert state(resumed.run(iterations=ITERATIONS).search) == state(undisturbed.search)
    prefixes = [row[2] for row in resumed.course()["iterations"]]
    assert prefixes == [None] * (ITERATIONS // 2) + [8] * (ITERATIONS // 2)
    assert not resumed.growths()
