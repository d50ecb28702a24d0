"""Time as a measure of the archive: faster duplicates, races against one's own class, draws over classes."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.archive import Archive
from gapsmith.evolve.measures import MeasureSpace
from gapsmith.evolve.racing import PairedRace, TimedRace, outcome_of
from gapsmith.evolve.types import AddStatus, Alike, Candidate, Origin, Worse
from gapsmith.sandbox.base import Description

FLOOR = 0.004
NAMES = "abcdefgh"


def _evaluated(answers: str, loss: float, seconds: float) -> Evaluation:
    """A complete evaluation on eight instances, one character of `answers` each, of a net time."""
    rows = tuple(
        Score(id, ScoreStatus.OK, 1 + loss, 1.0, ReferenceKind.OPTIMUM, loss, loss, FLOOR + seconds, answer)
        for id, answer in zip(NAMES, answers, strict=True)
    )
    return Evaluation("train", rows, EvaluationStatus.COMPLETE, -loss)


def _candidate(id: str) -> Candidate:
    text = {"heuristic.py": f"# {id}"}
    return Candidate(id, text, (), Origin.MUTATE, "test", 0, 1, Description(nodes=100))


def _archive(*programs: tuple[str, Evaluation], timed: bool = True, aim: int | None = None) -> Archive:
    names = ("time",) if timed else ("size",)
    space = MeasureSpace(names, lambda score: float(score.gap or 0), frozenset(), FLOOR, aim)
    archive = Archive(space, 1)
    for id, evaluation in programs:
        archive.add(_candidate(id), evaluation, 0)
    return archive


def test_a_faster_twin_takes_the_cell_of_its_class() -> None:
    """The fast copy of a good heuristic joins, and later slow copies are its duplicates."""
    archive = _archive(("slow", _evaluated("x" * 8, 0.1, 0.05)))
    fast = _candidate("fast"), _evaluated("x" * 8, 0.1, 0.002)
    assert archive.duplicate(*fast) is None
    assert archive.same(*fast) == "slow"
    assert archive.add(*fast, 0) is AddStatus.NEW
    again = _candidate("again"), _evaluated("x" * 8, 0.1, 0.03)
    assert archive.duplicate(*again) == "fast"
    assert archive.add(*again, 0) is AddStatus.NOT_ADDED


def test_a_twin_of_the_same_class_or_of_an_untimed_archive_is_refused() -> None:
    """Noise within a class makes no news, and without time as a measure speed makes none at all."""
    slow = ("slow", _evaluated("x" * 8, 0.1, 0.05))
    assert _archive(slow).duplicate(_candidate("alike"), _evaluated("x" * 8, 0.1, 0.03)) == "slow"
    assert (
        _archive(slow, timed=False).duplicate(_candidate("fast"), _evaluated("x" * 8, 0.1, 0.001)) == "slow"
    )


def test_the_best_of_each_class_is_kept() -> None:
    """A slower and better program does not displace a fast one, and within a class the loss alone decides."""
    archive = _archive(
        ("quick", _evaluated("q" * 8, 0.5, 0.0005)),
        ("good", _evaluated("g" * 8, 0.1, 0.030)),
        ("better", _evaluated("b" * 8, 0.05, 0.060)),
    )
    assert {elite.candidate.id for elite in archive.elites()} == {"quick", "better"}


def test_draws_are_uniform_over_the_front_and_half_are_the_budget_s() -> None:
    """A class that a faster one beats is never drawn; with a budget its class has half of the draws more."""
    programs = (
        ("quick", _evaluated("q" * 8, 0.5, 0.0005)),
        ("poor", _evaluated("p" * 8, 0.6, 0.003)),
        ("good", _evaluated("g" * 8, 0.1, 0.030)),
    )
    free, bound = _archive(*programs), _archive(*programs, aim=0)
    rng = random.Random(1)
    drawn = Counter(free.draw_class(free.elites(), rng) for _ in range(600))
    assert set(drawn) == {0, 3}
    assert 240 < drawn[0] < 360
    assert 400 < Counter(bound.draw_class(bound.elites(), rng) for _ in range(600))[0] < 500
    untimed = _archive(*programs, timed=False)
    state = rng.getstate()
    assert untimed.draw_class(untimed.elites(), rng) is None
    assert rng.getstate() == state


def test_parents_come_from_the_drawn_class_and_its_neighbours() -> None:
    """The first parent is of a class on the front, the second at most one class away."""
    archive = _archive(
        ("quick", _evaluated("q" * 8, 0.5, 0.0005)),
        ("middle", _evaluated("m" * 8, 0.3, 0.003)),
        ("slow", _evaluated("s" * 8, 0.1, 0.200)),
    )
    rng = random.Random(2)
    pairs = {tuple(e.candidate.id for e in archive.select(0, rng, 2)) for _ in range(60)}
    assert pairs == {("quick", "middle"), ("middle", "quick"), ("slow",)}


def _race(parent: str = "", seconds: float = 0.0) -> TimedRace:
    """Rivals: loss 0.5 in the fastest class, 0.01 in the class up to 64 ms."""
    incumbents = {number: PairedRace((loss,) * 8, 0.05, True) for number, loss in ((0, 0.5), (3, 0.01))}
    return TimedRace(incumbents, tuple(parent), seconds, FLOOR)


def test_a_fast_candidate_does_not_lose_to_a_slow_rival() -> None:
    """It races its own class; the same losses at the rival's time, or slower, are lost."""
    losses = [0.1, 0.1, 0.1, 0.1]
    assert not _race().lost(losses, [None] * 4, [FLOOR + 0.0005] * 4)
    assert not _race().lost(losses, [None] * 4, [FLOOR + 0.010] * 4)
    assert _race().lost(losses, [None] * 4, [FLOOR + 0.050] * 4)
    assert _race().lost(losses, [None] * 4, [FLOOR + 0.900] * 4)


def test_a_class_without_a_faster_rival_races_nobody() -> None:
    """Where only slower elites are known, no loss is too large yet."""
    race = TimedRace({3: PairedRace((0.01,) * 8, 0.05, True)}, (), 0.0, FLOOR)
    assert not race.lost([9.0] * 4, [None] * 4, [FLOOR + 0.0005] * 4)


def test_a_copy_in_half_the_time_goes_on() -> None:
    """The answers of the parent end a candidate only if it is not at least twice as fast."""
    race = _race("xx", seconds=0.1)
    assert race.alike("xx", [FLOOR + 0.04] * 2)
    assert not race.alike("xx", [FLOOR + 0.02] * 2)
    assert not race.alike("xy", [FLOOR + 0.04] * 2)


def test_the_outcome_of_a_stopped_candidate_says_why() -> None:
    """Like its parent, or worse than its class."""
    race = _race("xx", seconds=0.01)
    whole = _evaluated("x" * 8, 0.1, 0.05)
    stopped = replace(whole, scores=whole.scores[:2], status=EvaluationStatus.STOPPED, fitness=None)
    assert isinstance(outcome_of(_candidate("one"), stopped, race), Alike)
    assert isinstance(outcome_of(_candidate("one"), stopped, _race("yy", seconds=0.01)), Worse)
