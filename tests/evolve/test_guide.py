"""Campaigns with models, decision by decision: what is asked for, what is handed out, what counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.course import Submission
from gapsmith.evolve.islands import islands_with_models
from gapsmith.evolve.iteration import Iteration
from gapsmith.evolve.racing import hardest
from gapsmith.evolve.search import PopulationSettings, Search, SearchSettings
from gapsmith.evolve.types import (
    Complete,
    Examination,
    Failed,
    Origin,
    Proposal,
    Worse,
)
from gapsmith.sandbox.base import CROWDED, Description

from .fakes import FakeEvaluator

Make = Callable[..., Any]
STRATA = ("easy", "hard")
BAD = 9.0
"""A loss on every instance that is worse than that of the start program of the fakes."""


@pytest.fixture
def search(fakes: Make) -> Search:
    """A guided search on one island, without tuning, races and fresh starts."""
    made: Search = fakes(
        evaluator=FakeEvaluator(strata=STRATA),
        population=PopulationSettings(islands=1),
        settings=SearchSettings(tune_share=0.0, fresh_share=0.0, fresh_until=0, race_level=0.0),
        guided=True,
    ).search()
    return made


def start_losses(search: Search) -> tuple[float, float]:
    """Mean loss of the start program on each stratum."""
    losses = [float(score.excess or 0) for score in search.start.evaluation.scores]
    return sum(losses[::2]) / 4, sum(losses[1::2]) / 4


def evaluation(*losses: float) -> Evaluation:
    """A training evaluation with one loss for each stratum."""
    rows = tuple(
        Score(
            f"train-{n}", ScoreStatus.OK, 1 + losses[n % 2], 1, ReferenceKind.OPTIMUM, losses[n % 2],
            losses[n % 2], 0.1, f"{losses}{n}",
        )
        for n in range(8)
    )  # fmt: skip
    return Evaluation("train", rows, EvaluationStatus.COMPLETE, -sum(losses) / 2)


def made(search: Search, ask: Iteration, id: str, nodes: int, origin: Origin = Origin.IMPROVE) -> Any:
    """The candidate of an ask; programs of another size lie in another cell."""
    examined = Examination(id, Description(token_digest=id, shape_digest=id, nodes=nodes))
    return search.admit(ask, Proposal({"h.py": id}, origin, origin.value, examined=examined))


def step(search: Search, id: str, losses: Sequence[float], nodes: int = 100) -> Iteration:
    """One iteration whose candidate is complete."""
    ask = search.ask()
    search.tell(ask, Complete(made(search, ask, id, nodes), evaluation(*losses)))
    return ask


def parents(search: Search, asks: int) -> list[str]:
    """First parents of some asks that are never told."""
    return [search.ask().parents[0] for _ in range(asks)]


def test_a_solved_training_set_is_said_once_and_to_models(search: Search) -> None:
    """Only a proven optimum on every instance counts."""
    step(search, "near", (0.0, 0.1), nodes=200)
    assert not search.notes
    step(search, "optimal", (0.0, 0.0), nodes=300)
    step(search, "other", (0.0, 0.0), nodes=400)
    (note,) = search.notes
    assert note.startswith("iteration 2: every training instance is at its proven optimum")
    best = search.archive.best
    assert best is not None
    assert best.solved
    assert not search.start.solved


def test_a_gain_is_one_against_the_best_so_far(search: Search) -> None:
    """A candidate that is better than its parent but not than the best gains nothing."""
    step(search, "best", (0.1, 0.1), nodes=200)
    step(search, "middle", (0.05, 0.3), nodes=300)
    step(search, "better", (0.05, 0.1), nodes=300)
    assert search.tally.operators == {"improve": (3, 2)}


def test_an_ask_says_how_many_replies_have_no_outcome(search: Search) -> None:
    """Those that were asked for before it; an outcome takes one away."""
    asks = [search.ask() for _ in range(3)]
    assert [ask.context.under_way for ask in asks if ask.context] == [0, 1, 2]
    search.tell(asks[1], Worse(made(search, asks[1], "x", 100), evaluation(BAD, BAD)))
    again = search.ask()
    assert again.context is not None
    assert again.context.under_way == 2


def test_every_crash_is_handed_to_an_ask(search: Search) -> None:
    """In their order, before other failures, of which the last one is handed out."""
    asks = [search.ask() for _ in range(5)]
    statuses = ("timeout", "raised", "timeout", "invalid_answer", "infeasible")
    for number, (ask, status) in enumerate(zip(asks, statuses, strict=True)):
        score = Score(
            "train-0", ScoreStatus(status), None, 1, ReferenceKind.OPTIMUM, None, None, 0.1, message="why"
        )
        broken = Evaluation("train", (score,), EvaluationStatus.FAILED, None)
        search.tell(ask, Failed(made(search, ask, f"program {number}", 100), broken))
    failures = [ask.context.failed for ask in (search.ask() for _ in range(4)) if ask.context]
    assert [failure and failure.candidate.id for failure in failures] == [
        "program 1", "program 3", "program 4", None,
    ]  # fmt: skip


def test_nobody_repairs_what_a_busy_machine_ended(search: Search) -> None:
    """The message of such a timeout is the sandbox's; a program that says the same is repaired."""
    asks = [search.ask() for _ in range(2)]
    for ask, status in zip(asks, (ScoreStatus.TIMEOUT, ScoreStatus.RAISED), strict=True):
        message = f"used 0.2 s: {CROWDED}"
        score = Score("train-0", status, None, 1, ReferenceKind.OPTIMUM, None, None, 0.1, message=message)
        broken = Evaluation("train", (score,), EvaluationStatus.FAILED, None)
        search.tell(ask, Failed(made(search, ask, status.value, 100), broken))
    failures = [ask.context.failed for ask in (search.ask() for _ in range(2)) if ask.context]
    assert [failure and failure.candidate.id for failure in failures] == ["raised", None]


def test_a_program_is_known_to_have_been_simplified(search: Search) -> None:
    """Whatever the outcome was, the next ask of the same parent says so."""
    ask = search.ask()
    assert ask.context is not None
    assert not ask.context.simplified
    search.tell(ask, Worse(made(search, ask, "shorter", 100, Origin.SIMPLIFY), evaluation(BAD, BAD)))
    after = search.ask()
    assert after.context is not None
    assert after.parents == ask.parents
    assert after.context.simplified


def test_a_failure_is_handed_to_one_ask(search: Search) -> None:
    """Of two asks under way only the first may repair; a repair that fails is not repaired again."""
    ask = search.ask()
    crash = Score(
        "train-0", ScoreStatus.RAISED, None, 1, ReferenceKind.OPTIMUM, None, None, 0.1, message="why"
    )
    broken = Evaluation("train", (crash,), EvaluationStatus.FAILED, None)
    search.tell(ask, Failed(made(search, ask, "broken", 100), broken))
    step_between = search.ask()
    assert step_between.context is not None
    assert step_between.context.failed is not None
    other = search.ask()
    assert other.context is not None
    assert other.context.failed is None
    search.tell(step_between, Failed(made(search, step_between, "mended", 100, Origin.REPAIR), broken))
    last = search.ask().context
    assert last is not None
    assert last.failed is None


@pytest.mark.parametrize(("calls", "islands"), [(None, 1), (40, 1), (199, 1), (200, 2), (400, 3), (9999, 4)])
def test_islands_grow_with_the_calls(calls: int | None, islands: int) -> None:
    """One below 200 calls, one more for each 200, at most four."""
    assert islands_with_models(calls) == islands


def test_a_submission_meets_the_hardest_instances_first(fakes: Make) -> None:
    """Its race begins where the program that it races loses most; a question's race keeps the usual order."""
    search: Search = fakes(evaluator=FakeEvaluator(strata=STRATA), guided=True).search()
    best = search.archive.best
    assert best is not None
    proposal = Proposal({"h.py": "x"}, Origin.SUBMIT, "submit")
    iteration = search.submit(Submission(best.candidate.id, proposal), best)
    losses = {score.instance: float(score.excess or 0) for score in best.evaluation.scores}
    groups = {
        id: instance.stratum for id, instance in FakeEvaluator(strata=STRATA).instances("train").items()
    }
    assert iteration.race is not None
    assert list(iteration.race.order) == list(hardest(losses, groups)) != list(losses)
    question = next(ask for ask in iter(search.ask, None) if ask.of_model)
    assert question.race is not None
    assert not question.race.order
