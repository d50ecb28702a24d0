"""Figures of an evaluation for people: both averages, intervals and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..problems.base import Instance
from .base import Evaluation, ReferenceKind, Score, ScoreStatus
from .intervals import mean_interval
from .numbers import far_beyond
from .scoring import fitness


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one program on one set of instances.

    Attributes:
        fitness: −mean of excess / max(|reference|, scale) over all instances (a ratio); None if any failed.
        mean_gap_percent: mean of ratios over instances with a positive reference, percent of the reference.
        mean_gap_ci95_percent: 95 % interval of that mean over instances, see `mean_interval`; None with fewer
            than four gaps other than 0.
        ratio_of_sums_percent: sum of excesses over sum of |references|, all instances, percent.
        mean_excess: mean loss in the problem's unit (bins, hours, …) over all instances.
        instances: number of instances, scored or failed.
        solved: number of instances whose objective equals the reference.
        failed: number of instances without a valid answer, or with an answer beyond the bound.
        zero_references: number of instances whose reference is 0.
        zeros_missed: number of instances with reference 0 whose objective is not 0 or is missing.
        far_beyond: number of instances whose objective is several times better than an unproven reference:
            either the reference is weak, or the evaluator accepts answers that it should refuse.
        reference_kinds: kind → count.
        cpu_seconds_mean: CPU seconds of an execution.
        cpu_seconds_median, cpu_seconds_p90: CPU seconds per execution (nearest rank).
        mean_score: mean objective where objectives are reported scores; None otherwise.
    """

    fitness: float | None
    mean_gap_percent: float | None
    mean_gap_ci95_percent: tuple[float, float] | None
    ratio_of_sums_percent: float | None
    mean_excess: float | None
    instances: int
    solved: int
    failed: int
    zero_references: int
    zeros_missed: int
    far_beyond: int
    reference_kinds: Mapping[str, int]
    cpu_seconds_mean: float | None
    cpu_seconds_median: float | None
    cpu_seconds_p90: float | None
    mean_score: float | None = None

    @property
    def reported(self) -> bool:
        """Whether the objectives are scores that were only reported, so that there are no gaps."""
        return ReferenceKind.REPORTED.value in self.reference_kinds

    def as_json(self) -> dict[str, Any]:
        """The figures under the field names of the JSON contract."""
        document = {**asdict(self), "reference_kinds": dict(self.reference_kinds)}
        score = document.pop("mean_score")
        excess = self.mean_excess
        if not self.reported:
            return document
        return {
            **document,
            "trust": "reported",
            "reported_score": score,
            "change": None if excess is None else 0.0 - excess,
        }


def figures(scores: Sequence[Score], instances: Sequence[Instance]) -> Figures:
    """Figures of the scores of one program; `scores` and `instances` are in the same order."""
    complete = bool(scores) and all(s.status is ScoreStatus.OK for s in scores)
    gaps = [float(s.gap) * 100 for s in scores if s.gap is not None]
    times = sorted(s.cpu_seconds for s in scores)
    zeros = [s for s in scores if s.reference == 0]
    return Figures(
        fitness=fitness(scores, instances) if complete else None,
        mean_gap_percent=sum(gaps) / len(gaps) if complete and gaps else None,
        mean_gap_ci95_percent=mean_interval(gaps, least=_least(scores)) if complete else None,
        ratio_of_sums_percent=_ratio_of_sums(scores) if complete else None,
        mean_excess=_mean_excess(scores) if complete else None,
        instances=len(scores),
        solved=sum(s.status is ScoreStatus.OK and s.excess == 0 for s in scores),
        failed=sum(s.status is not ScoreStatus.OK for s in scores),
        zero_references=len(zeros),
        zeros_missed=sum(s.objective is None or s.objective != 0 for s in zeros),
        far_beyond=sum(map(_far_beyond, scores)),
        reference_kinds=dict(sorted(Counter(s.reference_kind.value for s in scores).items())),
        cpu_seconds_mean=sum(times) / len(times) if times else None,
        cpu_seconds_median=_quantile(times, 50),
        cpu_seconds_p90=_quantile(times, 90),
        mean_score=_mean_score(scores) if complete else None,
    )


def of_evaluation(evaluation: Evaluation, instances: Mapping[str, Instance]) -> Figures:
    """Figures of an evaluation; `instances` holds at least the evaluation's instances, by id."""
    return figures(evaluation.scores, [instances[s.instance] for s in evaluation.scores])


def is_reported(evaluation: Evaluation) -> bool:
    """Whether the objectives of an evaluation are scores that were only reported."""
    return any(score.reference_kind is ReferenceKind.REPORTED for score in evaluation.scores)


def by_stratum(scores: Sequence[Score], instances: Mapping[str, Instance]) -> dict[str, Figures]:
    """Stratum → figures, in the order in which strata first appear."""
    groups: dict[str, list[Score]] = {}
    for item in scores:
        groups.setdefault(instances[item.instance].stratum, []).append(item)
    return {name: figures(group, [instances[s.instance] for s in group]) for name, group in groups.items()}


def optimality(kinds: Mapping[str, int]) -> bool:
    """Whether all references are optima or bounds, so that gaps are *optimality gaps*."""
    return bool(kinds) and set(kinds) <= {ReferenceKind.OPTIMUM.value, ReferenceKind.BOUND.value}


def _least(scores: Sequence[Score]) -> float | None:
    """The least mean gap that there can be: 0 where every reference is an optimum or a bound."""
    return 0.0 if all(score.reference_kind.proven for score in scores) else None


def _far_beyond(score: Score) -> bool:
    """Whether a score is far better than an unproven reference."""
    if score.objective is None or score.excess is None or score.excess >= 0 or score.reference_kind.proven:
        return False
    if score.reference_kind is ReferenceKind.REPORTED:
        return False  # a start program is a beginning, and nothing but its own evaluator is believed anyway
    return far_beyond(score.objective, score.reference, minimise=score.objective < score.reference)


def _ratio_of_sums(scores: Sequence[Score]) -> float | None:
    total = sum(abs(float(s.reference)) for s in scores)
    if not total or any(s.reference_kind is ReferenceKind.REPORTED for s in scores):
        return None
    return sum(float(s.excess) for s in scores if s.excess is not None) / total * 100


def _mean_excess(scores: Sequence[Score]) -> float:
    return sum(float(s.excess) for s in scores if s.excess is not None) / len(scores)


def _mean_score(scores: Sequence[Score]) -> float | None:
    if any(s.reference_kind is not ReferenceKind.REPORTED for s in scores):
        return None
    return sum(float(s.objective) for s in scores if s.objective is not None) / len(scores)


def _quantile(ordered: Sequence[float], percent: int) -> float | None:
    """Nearest-rank quantile of ascending values: the ⌈percent / 100 · n⌉th value; None without values."""
    if not ordered:
        return None
    rank = -(-percent * len(ordered) // 100)
    return ordered[rank - 1]
