"""Several programs a reply: which iterations share one, decision by decision, cut anywhere and replayed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

import pytest
from gapsmith.app.runs.course import recorded_course
from gapsmith.evolve.course import Pace, RecordedCourse, TellOrder
from gapsmith.evolve.search import PopulationSettings, SearchSettings
from gapsmith.evolve.store.course import first_of_reply
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.types import Context
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .fakes import FakeEvaluator, FakeProposer
from .test_resume import Killed, LateExecutor, LateProposer, MortalStore, state

Make = Callable[..., Any]
ITERATIONS = 42
_names = (f"example-{number}" for number in itertools.count())


def parts(in_flight: int = 2) -> dict[str, Any]:
    """A guided campaign with three programs a reply, tuning, and an offline proposer beside the model."""
    return {
        "population": PopulationSettings(islands=2, migration_every=10, reset_after=25),
        "settings": SearchSettings(tune_share=0.2, tune_evaluations=5, fresh_share=0.0, fresh_until=0),
        "proposer": FakeProposer([]),
        "beside": FakeProposer([]),
        "offline_share": 0.5,
        "guided": True,
        "programs": 3,
        "pace": Pace(in_flight, TellOrder.SUBMITTED, waits=True),
    }


def by_iteration(proposer: FakeProposer) -> dict[int, Context]:
    """Iteration → what its proposer knew."""
    return {context.iteration: context for context in proposer.seen}


def test_three_iterations_share_each_reply(fakes: Make) -> None:
    """They follow each other with one parent and island; the first alone mends or takes notes."""
    campaign = fakes(**parts())
    run = campaign.run(iterations=ITERATIONS)
    seen = by_iteration(campaign.proposer)
    rows = {row[0]: row for row in campaign.course()["iterations"]}
    firsts = [number for number, context in seen.items() if context.program == 1]
    assert len(firsts) > 3
    joined = 0
    for first in firsts:
        wanted = seen[first].programs
        failed = seen[first].failed
        assert wanted == (1 if failed is not None and failed.crashed else 3)
        for number in range(first, min(first + wanted, max(rows) + 1)):
            context = seen[number]
            assert (context.programs, context.program) == (wanted, number - first + 1)
            assert rows[number][1:5] == rows[first][1:5]
            if number > first:
                joined += 1
                assert context.failed is None
                assert not context.writes
    assert joined > 6
    events = [
        (n, json.loads(data)["first"]) for n, kind, data in campaign.course()["events"] if kind == "shares"
    ]
    assert events == [(n, n - seen[n].program + 1) for n in sorted(seen) if seen[n].program > 1]
    with closing(Reader.open(campaign.folder)) as read:
        assert all(first_of_reply(read, number) == first for number, first in events)
        assert all(first_of_reply(read, first) == first for first in firsts)
    offline = {context.iteration for context in campaign.beside.seen}
    assert 0.6 * len(firsts) < len(offline) < 1.6 * len(firsts)  # one turn for each reply
    assert run.search.tally.iterations == ITERATIONS


def test_a_crash_is_mended_by_one_program(fakes: Make) -> None:
    """An ask that hands out a program that crashed asks for one; other asks ask for all."""
    campaign = fakes(**{**parts(), "offline_share": 0.0, "beside": None})
    campaign.run(iterations=120)
    seen = by_iteration(campaign.proposer)
    mended = [c for c in seen.values() if c.failed is not None and c.failed.crashed]
    assert mended
    assert all(context.programs == 1 for context in mended)


@pytest.mark.parametrize("order", list(TellOrder))
def test_as_many_replies_are_under_way_as_without(fakes: Make, order: TellOrder) -> None:
    """Iterations that share a reply are one ask in flight, so that two replies are asked for side by side."""
    most = []

    def observe(campaign: Any) -> None:
        most.append(len({flight.first for flight in campaign._flights.values()}))

    campaign = fakes(**{**parts(), "pace": Pace(2, order, waits=True), "observe": observe})
    campaign.run(iterations=ITERATIONS)
    assert max(most) <= (2 if order is TellOrder.SUBMITTED else 4)


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 3 * ITERATIONS), min_size=1, max_size=3), in_flight=st.integers(1, 3))
@pytest.mark.slow
def test_a_course_of_shared_replies_that_is_cut_anywhere_goes_on(
    fakes: Make, cuts: list[int], in_flight: int
) -> None:
    """Killed in any transactions, also between the programs of a reply: nothing is different."""
    whole = fakes(next(_names), **parts(in_flight))
    undisturbed = whole.run(iterations=ITERATIONS)
    name = next(_names)
    for cut in cuts:
        store_of = lambda folder, cut=cut: MortalStore(folder, cut + 5)  # noqa: E731
        with suppress(Killed):
            fakes(name, store_of=store_of, **parts(in_flight)).run(iterations=ITERATIONS)
    last = fakes(name, **parts(in_flight))
    resumed = last.run(iterations=ITERATIONS)
    assert last.course() == whole.course()
    assert state(resumed.search) == state(undisturbed.search)


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stops=st.lists(st.integers(1, ITERATIONS), min_size=1, max_size=3))
@pytest.mark.slow
def test_a_budget_that_ends_within_a_reply_leaves_its_rest_for_later(fakes: Make, stops: list[int]) -> None:
    """No iteration beyond the budget; what the reply still holds is taken when the campaign goes on."""
    name = next(_names)
    for iterations in [*sorted(stops), ITERATIONS]:
        last = fakes(name, **parts(1))
        assert last.run(iterations=iterations).search.tally.iterations == iterations
    whole = fakes(next(_names), **parts(1))
    whole.run(iterations=ITERATIONS)
    assert by_iteration(last.proposer).keys() <= by_iteration(whole.proposer).keys()
    assert [row[:-2] for row in last.course()["iterations"]] == [
        row[:-2] for row in whole.course()["iterations"]
    ]


@pytest.mark.quick("40")
@pytest.mark.parametrize("cut", [40, 90])
def test_shared_replies_in_any_order_are_resumed_and_replayed(pooled: Make, cut: int) -> None:
    """Outcomes told as they arrive, on a pool that grows: killed, gone on with, and replayed alike."""

    def late(store_of: Any = None) -> Any:
        evaluator = FakeEvaluator(64)
        more = {} if store_of is None else {"store_of": store_of}
        return pooled(
            "run",
            **{
                **parts(),
                "settings": SearchSettings(
                    tune_share=0.2, tune_evaluations=5, fresh_share=0.0, fresh_until=0, pool_share=0.5
                ),
                "evaluator": evaluator,
                "executor": LateExecutor(evaluator),
                "proposer": LateProposer([]),
                "pace": Pace(2, TellOrder.COMPLETED, waits=True),
                **more,
            },
        )

    with suppress(Killed):
        late(lambda folder: MortalStore(folder, cut + 5)).run(iterations=ITERATIONS)
    recorded = late()
    first = recorded.run(iterations=ITERATIONS)
    with closing(Reader.open(recorded.folder)) as read:
        course, points = recorded_course(read), RecordedCourse(read).points(first.search.archive)
    again = pooled(
        "again",
        **{
            **parts(),
            "settings": SearchSettings(
                tune_share=0.2, tune_evaluations=5, fresh_share=0.0, fresh_until=0, pool_share=0.5
            ),
            "pace": Pace(2, waits=True, course=course),
            "points": points,
        },
    )
    replayed = again.run(iterations=ITERATIONS)
    assert again.course()["iterations"] == recorded.course()["iterations"]
    assert state(replayed.search)[:2] == state(first.search)[:2]
