"""The champion is a founder unless a candidate is better on validation beyond noise."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evaluators.statistics import surpasses
from gapsmith.evolve import champion
from gapsmith.evolve.validation import ChampionSettings


def _evaluation(losses: Sequence[float], seconds: Sequence[float] = ()) -> Evaluation:
    times = seconds or [0.001] * len(losses)
    scores = tuple(
        Score(f"valid-{n:02}", ScoreStatus.OK, 1 + loss, 1, ReferenceKind.OPTIMUM, loss, loss, took, None)
        for n, (loss, took) in enumerate(zip(losses, times, strict=True))
    )
    return Evaluation("valid", scores, EvaluationStatus.COMPLETE, -sum(losses) / len(losses))


def _chosen(
    monkeypatch: pytest.MonkeyPatch, founders: Any, children: Any, seconds: Any = MappingProxyType({})
) -> str:
    """Name of the champion of a campaign with a CPU limit of 1 s that validated these programs.

    Args:
        founders, children: name → losses on validation.
        seconds: name → CPU seconds there; 0.001 each where it is missing.
    """
    losses = founders | children
    elites = {
        name: SimpleNamespace(
            candidate=SimpleNamespace(id=name, iteration=int(name in children)), fitness=0.0
        )
        for name in losses
    }
    evaluations = {name: _evaluation(values, seconds.get(name, ())) for name, values in losses.items()}
    campaign: Any = SimpleNamespace(
        search=SimpleNamespace(archive=SimpleNamespace(elites=list)),
        ports=SimpleNamespace(
            store=SimpleNamespace(read=SimpleNamespace(evaluation=lambda id, split: evaluations[id])),
            evaluator=SimpleNamespace(loss=lambda score: score.excess),
        ),
        validation=SimpleNamespace(evaluations=evaluations),
        settle=lambda: None,
    )
    monkeypatch.setattr(
        champion, "RecordedCourse", lambda reader: SimpleNamespace(elite=lambda id, archive: elites[id])
    )
    best = champion.choose(campaign, ChampionSettings(), 0.0, surpasses, cpu_limit=1.0)
    assert best is not None
    return best.candidate.id


def test_a_lead_by_chance_leaves_the_best_founder_champion(monkeypatch: pytest.MonkeyPatch) -> None:
    """One lucky instance of twenty, with as many better as worse, is no improvement."""
    founder = [0.1] * 20
    lucky = [0.0] + [0.08, 0.12] * 9 + [0.1]
    assert sum(lucky) < sum(founder)
    assert _chosen(monkeypatch, {"weak": [0.5] * 20, "strong": founder}, {"lucky": lucky}) == "strong"


def test_a_smaller_lead_that_is_no_chance_goes_before_a_larger_one_that_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two candidates the first on validation that is better beyond noise is the champion."""
    founder = [0.1] * 20
    lucky, steady = [0.0] * 2 + [0.05, 0.14] * 8 + [0.14] * 2, [0.098] * 20
    assert sum(lucky) < sum(steady) < sum(founder)
    assert _chosen(monkeypatch, {"strong": founder}, {"lucky": lucky, "steady": steady}) == "steady"


def test_better_on_one_instance_and_worse_on_none_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where most instances are solved already, one more is an improvement; so are three of three."""
    assert _chosen(monkeypatch, {"old": [0.0] * 9 + [0.2]}, {"new": [0.0] * 10}) == "new"
    assert _chosen(monkeypatch, {"old": [0.2, 0.3, 0.4]}, {"new": [0.1, 0.2, 0.3]}) == "new"


def test_without_a_valid_founder_the_best_on_validation_is_champion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign whose start programs fail on validation has nothing to fall back on."""
    assert _chosen(monkeypatch, {}, {"one": [0.3, 0.1], "two": [0.1, 0.2]}) == "two"


def test_a_lead_that_few_instances_carry_against_many_has_to_be_clearer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two leads of one size, the one that loses on more instances than it wins is taken for chance."""
    founder = [0.2] * 40
    few = [0.1] * 4 + [0.21] * 8 + [0.2] * 28
    assert _chosen(monkeypatch, {"old": founder}, {"few": few}) == "old"
    many = [0.1] * 4 + [0.19] * 4 + [0.22] * 6 + [0.2] * 26
    assert sum(many) == pytest.approx(sum(few))
    assert _chosen(monkeypatch, {"old": founder}, {"many": many}) == "many"
    clear = [0.05] * 12 + [0.205] * 20 + [0.2] * 8
    assert _chosen(monkeypatch, {"old": founder}, {"clear": clear}) == "clear"


def test_a_candidate_close_to_its_cpu_limit_is_no_champion(monkeypatch: pytest.MonkeyPatch) -> None:
    """New instances would bring it over; a founder as slow stays, and one slow execution is a spike."""
    founder, better, best = [0.2] * 24, [0.1] * 24, [0.05] * 24
    both = {"better": better, "best": best}
    assert _chosen(monkeypatch, {"old": founder}, both) == "best"
    assert _chosen(monkeypatch, {"old": founder}, both, {"best": [0.3] * 20 + [0.85] * 4}) == "better"
    assert _chosen(monkeypatch, {"old": founder}, both, {"best": [0.3] * 23 + [0.95]}) == "best"
    assert _chosen(monkeypatch, {"old": founder}, {}, {"old": [0.9] * 24}) == "old"
