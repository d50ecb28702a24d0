"""The search, decision by decision: what it asks, what it learns from an outcome, what it asks then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.iteration import Iteration
from gapsmith.evolve.racing import outcome_of
from gapsmith.evolve.search import PopulationSettings, Search, SearchSettings
from gapsmith.evolve.selection import Control, OfflineSelection
from gapsmith.evolve.types import (
    AddStatus,
    Alike,
    Complete,
    Examination,
    Failed,
    Origin,
    Outcome,
    Proposal,
    Refused,
    Rejection,
    RejectionReason,
    Worse,
)
from gapsmith.sandbox.base import Description

Make = Callable[..., Any]
PLAIN = SearchSettings(tune_share=0.0, fresh_share=0.0, fresh_until=0, validate_every=1000)
"""Nothing but selection and racing."""


def answered(loss: float, answers: str = "", count: int = 8) -> Evaluation:
    """A training evaluation with the same loss everywhere; other `answers` are other behaviour."""
    rows = [
        Score(
            f"train-{n}",
            ScoreStatus.OK,
            1 + loss,
            1,
            ReferenceKind.OPTIMUM,
            loss,
            loss,
            0.1,
            f"{answers}{loss}{n}",
        )
        for n in range(count)
    ]
    if count < 8:
        return Evaluation("train", tuple(rows), EvaluationStatus.STOPPED, None)
    return Evaluation("train", tuple(rows), EvaluationStatus.COMPLETE, -loss)


def failed(status: ScoreStatus = ScoreStatus.RAISED) -> Evaluation:
    """An evaluation that failed on the first instance."""
    beyond = status is ScoreStatus.BEYOND_BOUND
    row = Score(
        "train-0", status, 0 if beyond else None, 1, ReferenceKind.OPTIMUM, None, -1 if beyond else None, 0.1,
        message="why",
    )  # fmt: skip
    return Evaluation("train", (row,), EvaluationStatus.FAILED, None)


def admitted(
    search: Search, ask: Iteration, id: str, operator: str = "test", origin: Origin = Origin.MUTATE
) -> Any:
    """The candidate, or rejection, of a text that is known by its id."""
    examined = Examination(id, Description(token_digest=id, shape_digest=f"shape of {id}", nodes=100))
    proposal = Proposal({"heuristic.py": f"# {id}"}, origin, operator, examined=examined)
    return search.admit(ask, proposal)


def step(search: Search, id: str, evaluation: Evaluation, **more: Any) -> tuple[Iteration, Any]:
    """One iteration from ask to tell."""
    ask = search.ask()
    outcome = outcome_of(admitted(search, ask, id, **more), evaluation, ask.race)
    return ask, search.tell(ask, outcome)


def test_iterations_go_round_the_islands_and_race_the_rival_there(fakes: Make) -> None:
    """Three islands in turn; the incumbent is the island's own, and no race is without one."""
    search = fakes(settings=PLAIN).search()
    start = search.start.candidate.id
    asks = [search.ask() for _ in range(4)]
    assert [(ask.number, ask.island) for ask in asks] == [(1, 0), (2, 1), (3, 2), (4, 0)]
    assert {ask.parents for ask in asks} == {(start,)}
    assert {ask.incumbent for ask in asks} == {start}
    assert all(ask.race is not None and ask.context is not None and ask.point is None for ask in asks)
    for ask, (id, loss) in zip(asks, (("a", 0.5), ("b", 0.4), ("c", 0.3), ("d", 0.2)), strict=True):
        told = search.tell(ask, Complete(admitted(search, ask, id), answered(loss)))
        assert told.added in (AddStatus.NEW, AddStatus.IMPROVED)
        assert [event.kind for event in told.events] == ["best"]
    assert search.archive.best is not None
    assert search.archive.best.candidate.id == "d"
    assert [search.ask().incumbent for _ in range(3)] == ["b", "c", "d"]


def test_without_a_level_nobody_races(fakes: Make) -> None:
    """Level 0 executes every instance; random changes lack any selection."""
    everything = SearchSettings(race_level=0.0, tune_share=0.0)
    assert fakes(settings=everything).search().ask().race is None
    assert fakes(control=Control.RANDOM).search().ask().race is None
    assert fakes(control=Control.BEST_OF_N).search().ask().race is not None


def test_each_kind_of_outcome_is_counted_and_placed_by_its_type(fakes: Make) -> None:
    """Refused, complete, failed, worse, alike: one count each, and the archive takes the complete one."""
    search = fakes(settings=PLAIN).search()
    asks = [search.ask() for _ in range(5)]
    no = Rejection(RejectionReason.NO_CODE, "prose", Origin.IMPROVE, "improve")
    outcomes: list[Outcome] = [
        Refused(no),
        Complete(admitted(search, asks[1], "good"), answered(0.5)),
        Failed(admitted(search, asks[2], "bad"), failed()),
        Worse(admitted(search, asks[3], "slow"), answered(9.0, count=4)),
        Alike(admitted(search, asks[4], "same"), answered(1.0, count=2)),
    ]
    added = [search.tell(ask, outcome).added for ask, outcome in zip(asks, outcomes, strict=True)]
    assert added[0] is None
    assert added[1] is not None
    assert added[1] > AddStatus.NOT_ADDED
    assert added[2:] == [AddStatus.NOT_ADDED] * 3
    tally = search.tally
    assert (tally.asked, tally.told, tally.evaluations) == (5, 5, 4)
    assert tally.executions == 8 + 1 + 4 + 2
    assert tally.cpu_seconds == pytest.approx(1.5)
    assert tally.rejections == {"no_code": 1}
    assert tally.operators == {"improve": (1, 0), "test": (4, 1)}
    assert tally.since_improvement == 3


def test_the_end_of_a_race_says_which_kind_of_outcome_it_is(fakes: Make) -> None:
    """A stopped candidate is alike if it answered as its parent did, and worse otherwise."""
    search = fakes(settings=PLAIN).search()
    ask = search.ask()
    candidate = admitted(search, ask, "x")
    duplicate = Evaluation("train", search.start.evaluation.scores[:2], EvaluationStatus.STOPPED, None)
    assert isinstance(outcome_of(candidate, duplicate, ask.race), Alike)
    assert isinstance(outcome_of(candidate, duplicate, None), Worse)
    assert isinstance(outcome_of(candidate, answered(9.0, count=2), ask.race), Worse)
    assert isinstance(outcome_of(candidate, answered(9.0), ask.race), Complete)
    assert isinstance(outcome_of(candidate, failed(), ask.race), Failed)


def test_the_last_failure_of_an_island_is_offered_for_repair_once(fakes: Make) -> None:
    """The next ask sees it, the outcome of that ask ends it, and tuned numbers are no failure."""
    search = fakes(settings=PLAIN, population=PopulationSettings(islands=1)).search()
    step(search, "broken", failed())
    ask = search.ask()
    assert ask.context is not None
    assert ask.context.failed is not None
    assert ask.context.failed.candidate.id == "broken"
    search.tell(ask, Failed(admitted(search, ask, "still", origin=Origin.REPAIR), failed()))
    ask = search.ask()
    assert ask.context is not None
    assert ask.context.failed is None
    point = replace(ask, tuned=True)
    search.tell(point, Failed(admitted(search, ask, "point", origin=Origin.TUNE), failed()))
    ask = search.ask()
    assert ask.context is not None
    assert ask.context.failed is None
    search.tell(ask, Failed(admitted(search, ask, "a model's", origin=Origin.TUNE), failed()))
    ask = search.ask()
    assert ask.context is not None
    assert ask.context.failed is not None


def test_beyond_a_bound_is_an_event_and_no_fitness(fakes: Make) -> None:
    """An objective better than a proven bound is loud and takes no cell."""
    search = fakes(settings=PLAIN).search()
    _, told = step(search, "wonder", failed(ScoreStatus.BEYOND_BOUND))
    assert [(event.kind, event.data["instance"]) for event in told.events] == [("beyond_bound", "train-0")]
    assert told.added is AddStatus.NOT_ADDED


def test_a_twin_is_named_and_takes_no_cell(fakes: Make) -> None:
    """The same answers on all instances in another text."""
    search = fakes(settings=PLAIN).search()
    step(search, "first", answered(0.5))
    _, told = step(search, "second", answered(0.5))
    assert [(event.kind, dict(event.data)) for event in told.events] == [
        ("twin", {"candidate": "second", "of": "first"})
    ]
    assert told.added is AddStatus.NOT_ADDED


def test_a_text_is_admitted_once_and_its_shape_once_but_for_tuned_numbers(fakes: Make) -> None:
    """Ids are taken once; a known shape may come again from tuning alone."""
    search = fakes(settings=PLAIN).search()
    ask = search.ask()
    admitted(search, ask, "one")
    again = admitted(search, ask, "one")
    assert (again.reason, again.excerpt) == (RejectionReason.DUPLICATE, "same tokens as candidate one")

    def alike(origin: Origin) -> Any:
        examined = Examination("other", Description(token_digest="other", shape_digest="shape of one"))
        return search.admit(ask, Proposal({"heuristic.py": ""}, origin, "test", examined=examined))

    assert alike(Origin.MUTATE).reason is RejectionReason.NEAR_DUPLICATE
    assert alike(Origin.TUNE).id == "other"


def test_migration_and_reset_happen_at_their_told_iterations(fakes: Make) -> None:
    """Every third outcome elites go round the ring; after forty an island that stands still is resettled."""
    population = PopulationSettings(islands=2, migration_every=3, reset_after=20)
    search = fakes(settings=PLAIN, population=population).search()
    kinds: dict[int, list[str]] = {}
    step(search, "good", answered(0.5))
    for number in range(2, 41):
        _, told = step(search, f"w{number}", answered(9.0 + number))
        kinds[number] = [event.kind for event in told.events if event.kind in ("migration", "reset")]
        assert all(event.iteration == number for event in told.events)
    assert [n for n, found in kinds.items() if "migration" in found] == list(range(3, 40, 3))
    assert [n for n, found in kinds.items() if "reset" in found] == [40]


def test_a_share_of_the_iterations_is_tuned_and_races_its_parent(fakes: Make) -> None:
    """With half of the iterations, every second ask is a point of the best structure, without a proposer."""
    settings = SearchSettings(tune_share=0.5, tune_evaluations=3, fresh_share=0.0, fresh_until=0)
    search = fakes(settings=settings).search()
    tuned = []
    for _ in range(8):
        ask = search.ask()
        tuned.append(ask.tuned)
        if ask.tuned:
            assert isinstance(ask.point, Proposal)
            assert (ask.point.origin, ask.context) == (Origin.TUNE, None)
            assert ask.incumbent == ask.parents[0]
        candidate = admitted(
            search, ask, f"c{ask.number}", origin=Origin.TUNE if ask.tuned else Origin.MUTATE
        )
        search.tell(ask, Complete(candidate, answered(9.0, answers=str(ask.number))))
    assert tuned == [False, True, False, True, False, True, False, False]


def test_a_control_learns_nothing_and_tunes_nothing(fakes: Make) -> None:
    """Best-of-n starts from the start program for ever, and its proposer is told no rates."""
    search = fakes(control=Control.BEST_OF_N).search()
    for number in range(12):
        ask, _ = step(search, f"b{number}", answered(0.1 + number / 100))
        assert ask.parents == (search.start.candidate.id,)
        assert ask.context is not None
        assert (ask.context.operators, ask.context.failed, ask.tuned) == ({}, None, False)


def test_fresh_starts_say_nothing_of_an_operator(fakes: Make) -> None:
    """Almost any change of a start program is a gain: such an iteration counts no try."""
    settings = SearchSettings(tune_share=0.0, fresh_share=0.5, fresh_until=10)
    search = fakes(settings=settings).search()
    selection = search.selection
    assert isinstance(selection, OfflineSelection)
    counted = 0
    for number in range(1, 31):
        ask, _ = step(search, f"f{number}", answered(0.9 - number / 100))
        assert not selection.fresh(number) or ask.parents == (search.start.candidate.id,)
        counted += not selection.fresh(number)
        assert sum(tries for tries, _ in search.tally.operators.values()) == counted
    assert 0 < counted < 25


def test_the_best_that_was_not_validated_is_validated_when_it_is_due(fakes: Make) -> None:
    """Every second outcome: the best elite of any island, each once, the start program never again."""
    settings = SearchSettings(tune_share=0.0, fresh_share=0.0, fresh_until=0, validate_every=2)
    search = fakes(settings=settings).search()
    losses = zip("abcdef", (0.5, 0.4, 0.9, 0.8, 0.7, 0.6), strict=True)
    due = [step(search, id, answered(loss))[1].validate for id, loss in losses]
    assert [None if one is None else one.id for one in due] == [None, "b", None, "a", None, "f"]


def test_what_models_gained_is_known_to_the_next_ask(fakes: Make) -> None:
    """Tries and gains by operator; the lineage of the parent, oldest first."""
    population = PopulationSettings(islands=1)
    search = fakes(settings=PLAIN, population=population).search()
    ask = search.ask()
    search.tell(ask, Complete(admitted(search, ask, "x", operator="improve"), answered(0.5)))
    ask = search.ask()
    search.tell(ask, Worse(admitted(search, ask, "y", operator="improve"), answered(9.0, count=4)))
    context = search.ask().context
    assert context is not None
    assert context.operators == {"improve": (2, 1)}
    assert context.lineage[0].startswith("start, mean gap ")


def test_recorded_asks_leave_the_search_as_live_ones_do(fakes: Make) -> None:
    """The same outcomes in the same order, asked again as recorded: the next live ask is the same."""
    settings = SearchSettings(tune_share=0.4, tune_evaluations=5, fresh_share=0.2, fresh_until=5)
    live, again = fakes(settings=settings).search(), fakes(settings=settings).search()
    for number in range(1, 25):
        ask = live.ask()
        origin = Origin.TUNE if ask.tuned else Origin.MUTATE
        made = admitted(live, ask, f"c{number}", origin=origin)
        outcome = Complete(made, answered(5 - number % 7 / 2, answers=str(number)))
        live.tell(ask, outcome)
        repeated = again.ask_again(ask.island, ask.parents, tuned=ask.tuned)
        again.memory.add(made)
        again.tell(repeated, outcome)
    assert again.tally == live.tally
    for _ in range(9):
        assert again.ask() == live.ask()
