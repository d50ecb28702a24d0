"""The tuner: which structures it takes, how much it spends, and what it is told."""

from __future__ import annotations

import math
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.archive import Archive
from gapsmith.evolve.iteration import Iteration, IterationResult
from gapsmith.evolve.measures import MeasureSpace
from gapsmith.evolve.tuning import OPERATOR, Generations, Tuner, TuneSettings, constants
from gapsmith.evolve.types import (
    Alike,
    Candidate,
    Complete,
    Origin,
    Proposal,
    Rejection,
    RejectionReason,
    Worse,
)
from gapsmith.sandbox.base import Description

RULE = "def rule(x: float) -> float:\n    return 3.0 * x + 5.0\n"
OTHER = "def rule(x: float) -> float:\n    return x / 7.0 - 1.5\n"


def tell(tuner: Tuner, number: int, outcome: Any, *, tuned: bool) -> None:
    """Tells a tuner the outcome of an ask (1-based number)."""
    tuner.tell(Iteration(number, 0, ("a",), tuned=tuned), IterationResult(outcome))


def evaluation(loss: float, executions: int = 4) -> Evaluation:
    """A complete evaluation of equal losses."""
    rows = [
        Score(f"i{n}", ScoreStatus.OK, 1 + loss, 1.0, ReferenceKind.OPTIMUM, loss, loss, 0.0, f"{n}{loss}")
        for n in range(executions)
    ]
    return Evaluation("train", tuple(rows), EvaluationStatus.COMPLETE, -loss)


PROGRAM = Candidate("p", {"h.py": RULE}, (), Origin.MUTATE, "test", 0, 1, Description(nodes=70))


def outcome(complete: Evaluation) -> Complete:
    """The outcome of a program with a complete evaluation."""
    return Complete(PROGRAM, complete)


def archive(**programs: tuple[str, float]) -> Archive:
    """One island with some programs of several sizes: name → text, loss."""
    found = Archive(MeasureSpace(("size",), lambda score: None, frozenset()), 1)
    for number, (name, (text, loss)) in enumerate(programs.items(), start=1):
        description = Description(nodes=70 * number)
        made = Candidate(name, {"h.py": text}, (), Origin.MUTATE, "test", 0, number, description)
        found.add(made, evaluation(loss), 0)
    return found


def test_the_best_structure_is_tuned_first_and_skipped_ones_never() -> None:
    """Points are the numbers of the best elite whose structure was not skipped, whatever its numbers."""
    both = archive(a=(RULE, 0.2), b=(OTHER, 0.1))
    tuner = Tuner(TuneSettings(0.5, 8), seed=1)
    point = tuner.point(2, both)
    assert point is not None
    assert point[0].candidate.id == "b"
    assert point[1].operator == OPERATOR
    assert "x /" in point[1].files["h.py"]
    other = Tuner(TuneSettings(0.5, 8), seed=1)
    other.skip({"h.py": OTHER.replace("7.0", "9.5")})
    point = other.point(2, both)
    assert point is not None
    assert point[0].candidate.id == "a"


@pytest.mark.parametrize("named", [False, True])
def test_a_structure_is_tuned_anew_on_more_instances(named: bool) -> None:
    """Whether all numbers are tuned or only those that the program names."""
    one = archive(a=("FACTOR = 3.0\n" + RULE.replace("3.0", "FACTOR"), 0.1))
    tuner = Tuner(TuneSettings(0.5, 8), seed=1, named=named)
    tell(tuner, 1, outcome(evaluation(0.1)), tuned=False)
    assert tuner.point(2, one) is not None
    tuner.grow({})
    assert tuner.point(4, one) is not None


def test_no_more_than_its_share_of_executions_is_spent() -> None:
    """Points that are never stopped cost more than others: then iterations of tuning are left out."""
    tuner, spent, total = Tuner(TuneSettings(0.25, 1000), seed=1), 0, 0
    elites = archive(a=(RULE, 0.2))
    for number in range(1, 401):
        point = tuner.point(number, elites)
        executions = 40 if point is not None else 5
        assert point is None or spent <= 0.25 * total
        spent, total = spent + executions * (point is not None), total + executions
        found = evaluation(0.3 + number * 7919 % 101 / 100, executions)  # flat losses would end CMA-ES
        tell(tuner, number, outcome(found), tuned=point is not None)
    assert 0.2 < spent / total < 0.3


def test_what_was_spent_before_a_stop_counts() -> None:
    """Tuned iterations that another process asked for are told as such: the share is used up."""
    elites = archive(a=(RULE, 0.2))
    tuner = Tuner(TuneSettings(0.5, 8), seed=1)
    tell(tuner, 1, outcome(evaluation(0.3, 40)), tuned=True)
    assert tuner.point(2, elites) is None
    tell(tuner, 2, outcome(evaluation(0.3, 41)), tuned=False)
    assert tuner.point(4, elites) is not None


@pytest.mark.parametrize("alike", [False, True])
def test_a_point_like_its_parent_has_its_parents_loss(monkeypatch: pytest.MonkeyPatch, alike: bool) -> None:
    """A stopped point has no loss of its own: the parent's if it answers so, else none."""
    told: list[float | None] = []
    monkeypatch.setattr(Generations, "tell", lambda self, number, loss: told.append(loss))
    tuner = Tuner(TuneSettings(0.5, 8), seed=1)
    assert tuner.point(2, archive(a=(RULE, 0.2))) is not None
    stopped = Evaluation("train", evaluation(0.2, 2).scores, EvaluationStatus.STOPPED, None)
    tell(tuner, 2, (Alike if alike else Worse)(PROGRAM, stopped), tuned=True)
    assert told == [pytest.approx(0.2) if alike else None]


def test_points_come_closer_through_the_tuner() -> None:
    """Asked and told through the tuner alone, the numbers of a rule approach what its losses ask for."""
    elites, tuner = archive(a=(RULE, 2.0)), Tuner(TuneSettings(0.9, 150), seed=3)
    losses = []
    for number in range(1, 200):
        point = tuner.point(number, elites)
        if point is not None:
            found = constants(point[1].files["h.py"])
            losses.append(sum(abs(math.log(a / b)) for a, b in zip(found, (2.0, 30.0), strict=True)))
            tell(tuner, number, outcome(evaluation(losses[-1])), tuned=True)
        else:
            tell(tuner, number, outcome(evaluation(9.0, 40)), tuned=False)
    assert len(losses) == 150
    assert min(losses) < 0.1 * losses[0]


@pytest.mark.parametrize("number", ["1e308", "1.7e308", "1e999", "1e-320", "1e101"])
def test_numbers_near_the_ends_of_floats_are_not_tuned(number: str) -> None:
    """Such a number would leave the range of floats with the first large step; others beside it are tuned."""
    text = RULE.replace("5.0", number)
    assert constants(text) == [3.0]
    tuner, elites = Tuner(TuneSettings(0.9, 60), seed=1), archive(a=(text, 0.1))
    points = 0
    for ask in range(1, 60):
        point = tuner.point(ask, elites)
        if point is not None:
            assert isinstance(point[1], Proposal)
            points += 1
        tell(tuner, ask, outcome(evaluation(1.0 / ask)), tuned=point is not None)
    assert points > 20


def test_what_tuning_raises_costs_that_point_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault while a structure is tuned is a rejection with its reason; the next structure is tuned."""
    both = archive(a=(RULE, 0.2), b=(OTHER, 0.1))
    tuner = Tuner(TuneSettings(0.5, 8), seed=1)
    monkeypatch.setattr(Generations, "ask", lambda self: 1 / 0)
    point = tuner.point(2, both)
    assert point is not None
    assert isinstance(point[1], Rejection)
    assert point[1].reason is RejectionReason.FAULT
    assert "ZeroDivisionError" in point[1].excerpt
    monkeypatch.undo()
    point = tuner.point(4, both)
    assert point is not None
    assert point[0].candidate.id == "a"
    assert isinstance(point[1], Proposal)
