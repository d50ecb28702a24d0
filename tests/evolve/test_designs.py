"""The opening of a campaign with models: who is asked for a design, and which designs are improved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from gapsmith.app.config import parse
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.agenda import PROMISING, subject_of
from gapsmith.evolve.course import Pace, TellOrder
from gapsmith.evolve.iteration import Iteration
from gapsmith.evolve.search import PopulationSettings, Search, SearchSettings
from gapsmith.evolve.types import Complete, Context, Examination, Origin, Proposal, Worse
from gapsmith.sandbox.base import Description

from .fakes import FakeEvaluator, FakeProposer

Make = Callable[..., Any]
SETTINGS = SearchSettings(
    tune_share=0.0, fresh_share=0.0, fresh_until=0, stall_after=0, race_level=0.0, opening=8
)


@pytest.fixture
def search(fakes: Make) -> Search:
    """A guided search on one island whose opening has eight questions."""
    made: Search = fakes(
        evaluator=FakeEvaluator(strata=("easy",)),
        population=PopulationSettings(islands=1),
        settings=SETTINGS,
        guided=True,
    ).search()
    return made


def subject(ask: Iteration) -> str | None:
    """The operator that an ask's subject fixes."""
    assert ask.context is not None
    return subject_of(ask.context)


def evaluation(loss: float, id: str) -> Evaluation:
    """A training evaluation with one loss everywhere."""
    rows = tuple(
        Score(f"train-{n}", ScoreStatus.OK, 1 + loss, 1, ReferenceKind.OPTIMUM, loss, loss, 0.1, f"{id}{n}")
        for n in range(8)
    )
    return Evaluation("train", rows, EvaluationStatus.COMPLETE, -loss)


def tell(search: Search, ask: Iteration, id: str, loss: float, origin: Origin = Origin.DESIGN) -> None:
    """A complete candidate in the cell of all others, so that only the best one holds it."""
    examined = Examination(id, Description(token_digest=id, shape_digest=id, nodes=200))
    made: Any = search.admit(ask, Proposal({"h.py": id}, origin, origin.value, examined=examined))
    search.tell(ask, Complete(made, evaluation(loss, id)))


def test_every_second_question_of_the_opening_asks_for_a_design(search: Search) -> None:
    """Of the best program so far, until the opening is over."""
    asks = [search.ask() for _ in range(12)]
    assert [subject(ask) for ask in asks] == [Origin.DESIGN, None] * 4 + [None] * 4
    assert {ask.parents for ask in asks[:8:2]} == {(search.start.candidate.id,)}


def test_the_first_form_of_a_design_is_not_raced(fakes: Make) -> None:
    """It is executed to the end, for it may be improved; other candidates race, offline ones too."""
    settings = replace(SETTINGS, race_level=0.05)
    parts = {"population": PopulationSettings(islands=1), "settings": settings, "guided": True}
    search = fakes(offline_share=0.5, **parts).search()
    asks = [search.ask() for _ in range(6)]
    raced = {(subject(ask) if ask.of_model else "offline", ask.race is not None) for ask in asks}
    assert raced == {(Origin.DESIGN, False), (None, True), ("offline", True)}


def test_a_design_is_improved_once_though_it_holds_no_cell(search: Search) -> None:
    """The best one first; one that loses far more than the best program never."""
    opened = [search.ask() for _ in range(3)]
    tell(search, opened[0], "best", 0.1, Origin.IMPROVE)
    tell(search, opened[1], "near", 0.1 * PROMISING - 0.001, Origin.EXPLORE)
    tell(search, opened[2], "far", 0.1 * PROMISING + 0.001)
    assert not {"near", "far"} & {elite.candidate.id for elite in search.archive.elites()}
    improved, design, drawn = (search.ask() for _ in range(3))
    assert (improved.parents, subject(improved)) == (("near",), Origin.IMPROVE)
    assert (design.parents, subject(design)) == (("best",), Origin.DESIGN)
    assert (drawn.parents, subject(drawn)) == (("best",), None)


def test_a_design_that_comes_after_the_opening_is_judged_by_the_archive_alone(search: Search) -> None:
    """No question is kept for it."""
    opened = [search.ask() for _ in range(8)]
    tell(search, opened[0], "best", 0.1, Origin.IMPROVE)
    tell(search, opened[2], "late", 0.11)
    assert ("late",) not in {search.ask().parents for _ in range(10)}


def test_with_one_stratum_programs_are_complements_by_instances(search: Search) -> None:
    """One that is better on an instance stands beside the best, though its mean is worse."""
    opened = [search.ask() for _ in range(3)]
    tell(search, opened[0], "best", 0.1, Origin.IMPROVE)
    other = evaluation(0.12, "other")
    scores = (replace(other.scores[0], objective=1.01, gap=0.01, excess=0.01), *other.scores[1:])
    examined = Examination("other", Description(token_digest="other", shape_digest="other", nodes=900))
    made: Any = search.admit(opened[1], Proposal({"h.py": "o"}, Origin.IMPROVE, "improve", examined=examined))
    search.tell(opened[1], Complete(made, replace(other, scores=scores, fitness=-0.106)))
    ask = next(ask for ask in (search.ask() for _ in range(9)) if ask.parents == ("best",))
    assert ask.context is not None
    assert [(one.elite.candidate.id, one.strata) for one in ask.context.complements] == [
        ("other", ("train-0",))
    ]


def test_a_stopped_design_is_not_improved(search: Search) -> None:
    """Only a complete candidate has a loss to be promising with."""
    ask = search.ask()
    examined = Examination("worse", Description(token_digest="worse", shape_digest="worse"))
    made: Any = search.admit(ask, Proposal({"h.py": "worse"}, Origin.DESIGN, "design", examined=examined))
    search.tell(ask, Worse(made, evaluation(0.01, "worse")))
    assert search.ask().parents == (search.start.candidate.id,)


def test_a_resumed_campaign_goes_on_with_its_opening(fakes: Make) -> None:
    """Subjects and parents are those of an unbroken campaign."""
    parts = {
        "settings": SearchSettings(tune_share=0.2, tune_evaluations=5, stall_after=3, opening=20),
        "guided": True,
        "pace": Pace(3, TellOrder.SUBMITTED),
    }

    def seen(name: str, *stops: int) -> dict[int, tuple[Any, ...]]:
        campaign = fakes(name, proposer=FakeProposer([]), **parts)
        for iterations in stops:
            campaign.run(iterations=iterations)
        contexts: list[Context] = campaign.proposer.seen
        return {c.iteration: (subject_of(c), c.still, c.lineage) for c in contexts}

    whole = seen("whole", 40)
    assert seen("cut", 7, 18, 40) == whole
    assert {one for one, *_ in whole.values()} >= {Origin.DESIGN, None, Origin.STALLED}


@pytest.mark.parametrize(
    ("changes", "opening"),
    [
        ({"budget": {"iterations": 25}}, 10),
        ({"budget": {"iterations": 500}}, 24),
        ({"budget": {"iterations": 60}, "prompts": {"programs": 3}}, 8),
        ({"budget": {"usd": 1}}, 10),
        ({"budget": {"iterations": 25}, "search": {"directives": False}}, 0),
    ],
)
def test_the_opening_follows_the_budget(changes: dict[str, Any], opening: int) -> None:
    """Two fifths of the questions, at most 24; ten of an unknown number; none without directives."""
    campaign = {"problem": "bin-packing"}
    document = {"campaign": campaign, "model": [{"spec": "manual"}], "search": {"directives": True}}
    config = parse({**document, **changes}, "here")
    assert (config.search.opening, config.search.stall_after > 0) == (opening, opening > 0)
    assert parse({"campaign": campaign}, "here").search.opening == 0


@pytest.mark.parametrize(
    ("iterations", "offline_share", "in_flight"), [(25, 0.0, 2), (60, 0.0, 3), (400, 0.0, 8), (100, 0.5, 3)]
)
def test_short_campaigns_of_models_have_few_questions_under_way(
    iterations: int, offline_share: float, in_flight: int
) -> None:
    """A sixteenth of the models' questions, 2 to 8, unless the user says otherwise; 8 where nobody counts."""
    models = [{"spec": "manual", "weight": 1 - offline_share}]
    if offline_share:
        models.append({"spec": "offline", "weight": offline_share})
    document = {"campaign": {"problem": "smtt"}, "model": models}
    budget = {"budget": {"iterations": iterations}}
    assert parse(document | budget, "here").campaign.in_flight == in_flight
    assert parse(document | {"budget": {"usd": 1.0}}, "here").campaign.in_flight == 8
    told = document | budget | {"campaign": {"problem": "smtt", "in_flight": 5}}
    assert parse(told, "here").campaign.in_flight == 5
    assert parse(budget | {"campaign": {"problem": "smtt"}}, "here").campaign.in_flight == 8
