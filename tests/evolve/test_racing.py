"""Racing: what is clearly worse is stopped, what is not goes on, and the test keeps its level."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus, student
from gapsmith.evaluators.evaluator import in_order, in_usual_order
from gapsmith.evolve.racing import SURE, PairedRace, alike_after, clearly_above, hardest, looks_of
from gapsmith.problems.base import Instance

COUNT = 40


def stopped_at(race: PairedRace, losses: Sequence[float]) -> int | None:
    """After how many instances a race is lost."""
    return next((n for n in range(1, len(losses)) if race.lost(losses[:n], [])), None)


def evaluation(*losses: float) -> Evaluation:
    """A complete evaluation with these losses, each digest the loss."""
    scores = tuple(
        Score(f"i{n}", ScoreStatus.OK, 1 + x, 1, ReferenceKind.OPTIMUM, x, x, 0.1, str(x))
        for n, x in enumerate(losses)
    )
    return Evaluation("train", scores, EvaluationStatus.COMPLETE, -sum(losses) / len(losses))


def loss(score: Score) -> float | None:
    """What an execution lost."""
    return None if score.excess is None else float(score.excess)


def a_race(incumbent: Sequence[float], level: float = 0.05, proven: bool = True) -> PairedRace:
    """The race against given losses."""
    return PairedRace(tuple(incumbent), level, proven)


@pytest.mark.parametrize(
    ("probability", "freedom", "table"),
    [(0.99, 3, 4.541), (0.999, 5, 5.893), (0.995, 8, 3.355), (0.99, 12, 2.681), (0.95, 29, 1.699)],
)
def test_quantiles_agree_with_the_table(probability: float, freedom: int, table: float) -> None:
    """Student's quantiles are those of the printed tables, within 3 %."""
    assert student(probability, freedom) == pytest.approx(table, rel=0.03)


def test_a_clearly_worse_candidate_is_stopped_early() -> None:
    """Twice the rival's loss everywhere ends at the first look."""
    rng = random.Random(1)
    incumbent = [1 + 0.1 * rng.random() for _ in range(COUNT)]
    assert (
        stopped_at(a_race(incumbent), [2 * x + 0.01 * rng.random() for x in incumbent]) == looks_of(COUNT)[0]
    )


def test_a_better_or_equal_candidate_is_never_stopped() -> None:
    """Half the loss, the same loss, and no loss at all run to the end."""
    incumbent = [1 + (n % 7) / 10 for n in range(COUNT)]
    for factor in (0.0, 0.5, 1.0):
        assert stopped_at(a_race(incumbent), [factor * x for x in incumbent]) is None


def test_the_instances_on_which_the_parent_loses_most_come_first() -> None:
    """Rival and parent are taken in that order; equal losses keep the usual one."""
    parent, incumbent = evaluation(0.0, 0.2, 0.5, 0.2), evaluation(0.1, 0.2, 0.3, 0.4)
    race = PairedRace.against(
        incumbent, loss, 0.05, parent, 2, dict.fromkeys(("i0", "i1", "i2", "i3"), "all")
    )
    assert race.order == ("i2", "i1", "i3", "i0")
    assert race.incumbent == (0.3, 0.2, 0.4, 0.1)
    assert race.parent == ("0.5", "0.2")
    usual = PairedRace.against(incumbent, loss, 0.05, parent, 2)
    assert (usual.order, usual.incumbent, usual.parent) == ((), (0.1, 0.2, 0.3, 0.4), ("0.0", "0.2"))


def test_the_hardest_of_each_stratum_come_first() -> None:
    """Strata by their hardest instance; one where the parent loses nothing waits for the rest."""
    losses = {"i0": 0.0, "i1": 0.4, "i2": 0.5, "i3": 0.3, "i4": 0.1, "i5": 0.0}
    groups = {"i0": "c", "i1": "a", "i2": "a", "i3": "a", "i4": "b", "i5": "c"}
    assert hardest(losses, groups) == ("i2", "i4", "i1", "i3", "i0", "i5")


def test_an_idea_for_hard_instances_is_not_stopped_by_easy_ones() -> None:
    """Half the loss where the parent loses most, a little more where it loses nothing: it runs to the end."""
    losses = [0.0] * 20 + [0.1 + n / 100 for n in range(20)]
    rng = random.Random(1)
    mine = {f"i{n}": x / 2 if x else rng.uniform(0.01, 0.02) for n, x in enumerate(losses)}
    parent = evaluation(*losses)
    usual = PairedRace.against(parent, loss, 0.05, parent)
    hard_first = PairedRace.against(parent, loss, 0.05, parent, 0, dict.fromkeys(mine, "all"))
    assert stopped_at(usual, list(mine.values())) == looks_of(COUNT)[0]
    assert stopped_at(hard_first, [mine[id] for id in hard_first.order]) is None


def test_a_hopeless_sum_needs_no_test() -> None:
    """One huge loss is enough: no later instance can make it good."""
    incumbent = [1.0] * COUNT
    assert stopped_at(a_race(incumbent), [SURE * COUNT + 1, *[0.0] * (COUNT - 1)]) == 1


def test_no_sum_is_hopeless_where_losses_can_be_below_zero() -> None:
    """Against references that are not proven a bad first instance may be made good, whoever the incumbent
    is."""
    mine = [0.3, *[-0.2] * (COUNT - 1)]
    for incumbent in ([0.0] * COUNT, [-0.1 - 0.01 * (n % 3) for n in range(COUNT)], [0.001] * COUNT):
        assert stopped_at(a_race(incumbent, proven=False), mine) is None
        assert stopped_at(a_race(incumbent, proven=True), mine) == 1


@pytest.mark.slow
def test_candidates_as_good_as_the_rival_are_seldom_stopped() -> None:
    """With no true difference at most the stated share is stopped (4,000 races, four standard errors)."""
    rng, level, races, lost = random.Random(7), 0.05, 4000, 0
    for _ in range(races):
        incumbent = [rng.gauss(10, 1) for _ in range(COUNT)]
        lost += stopped_at(a_race(incumbent, level), [rng.gauss(10, 1) for _ in range(COUNT)]) is not None
    assert lost / races < level + 4 * (level * (1 - level) / races) ** 0.5
    assert lost > 0


def test_equal_differences_are_decided_by_their_sign() -> None:
    """Without any spread the mean decides alone."""
    assert clearly_above([0.1, 0.1, 0.1, 0.1], 0.01)
    assert not clearly_above([0.0, 0.0, 0.0, 0.0], 0.01)
    assert not clearly_above([-0.1, -0.1, -0.1, -0.1], 0.01)


@pytest.mark.parametrize("count", [3, 6, 40, 41])
def test_answers_like_the_parents_end_after_a_quarter(count: int) -> None:
    """The same answers end the evaluation there and only there; one other answer before, and it goes on."""
    incumbent, parent = [1.0] * count, tuple(f"answer {n}" for n in range(count))
    end = alike_after(count)
    race = PairedRace(tuple(incumbent), 0.05, True, parent[:end])
    assert [n for n in range(1, count) if race.lost(incumbent[:n], parent[:n])] == [end]
    assert count / 4 <= end <= max(2, count / 4 + 1)
    for changed in range(count):
        mine = [*parent[:changed], "another", *parent[changed + 1 :]]
        assert any(race.lost(incumbent[:n], mine[:n]) for n in range(1, count)) == (changed >= end)


def test_scores_return_to_the_usual_order_unless_one_failed() -> None:
    """Instances go in the race's order; a failure stays last, where it ended the evaluation."""
    instances = [Instance(id, "train", "all", {}, 1, "test") for id in ("a", "b", "c")]
    race = PairedRace((0.1, 0.1, 0.1), 0.05, True, order=("c", "a", "b"))
    executed = in_order(instances, race)
    assert [instance.id for instance in executed] == ["c", "a", "b"]
    assert in_order(instances, None) == instances
    valid = [Score(i.id, ScoreStatus.OK, 1, 1, ReferenceKind.OPTIMUM, 0, 0, 0.1) for i in executed]
    assert [score.instance for score in in_usual_order(valid, instances)] == ["a", "b", "c"]
    failed = Score("a", ScoreStatus.RAISED, None, 1, ReferenceKind.OPTIMUM, None, None, 0.1)
    assert in_usual_order([valid[0], failed], instances) == [valid[0], failed]
