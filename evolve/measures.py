"""Measures of the archive: functions of source and answers only, with fixed, declared bins."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from ..evaluators.base import Evaluation
from ..problems.base import Instance
from .base import Candidate

SIZE_EDGES = (60.0, 90.0, 130.0, 190.0, 270.0, 390.0, 560.0, 800.0)
PROFILE_EDGES = (0.35, 0.5, 0.65, 0.8, 0.9, 0.96)
NAMES = ("size", "profile")


@dataclass(frozen=True, slots=True)
class MeasureSpace:
    """What cells are made of: code size, and how much of the loss falls on the hard strata.

    Attributes:
        hard: ids of the training instances in the strata where the start program's loss is largest (half of
            the strata).
    """

    hard: frozenset[str]

    @property
    def shape(self) -> tuple[int, ...]:
        """Bins of each measure (count)."""
        return (len(SIZE_EDGES) + 1, len(PROFILE_EDGES) + 1)

    def measures(self, candidate: Candidate, evaluation: Evaluation) -> tuple[float, ...]:
        """(syntax-tree nodes, share in [0, 1] of the summed loss on the hard strata; ½ if there is none)."""
        total = hard = 0.0
        for score in evaluation.scores:
            loss = max(0.0, float(score.excess)) if score.excess is not None else 0.0
            total += loss
            if score.instance in self.hard:
                hard += loss
        return (float(candidate.description.nodes), hard / total if total else 0.5)

    def cell(self, measures: tuple[float, ...]) -> tuple[int, ...]:
        """Bin of each measure, 0-based."""
        edges = (SIZE_EDGES, PROFILE_EDGES)
        return tuple(bisect_right(e, value) for e, value in zip(edges, measures, strict=True))


def hard_instances(evaluation: Evaluation, instances: Mapping[str, Instance]) -> frozenset[str]:
    """Ids of the instances in the half of the strata where an evaluation's mean gap or loss is largest."""
    losses: dict[str, list[float]] = {}
    for score in evaluation.scores:
        instance = instances[score.instance]
        loss = 0.0 if score.excess is None else float(score.excess)
        whole = max(abs(float(score.reference)), float(instance.scale))
        losses.setdefault(instance.stratum, []).append(loss / whole)
    ranked = sorted(losses, key=lambda s: (-sum(losses[s]) / len(losses[s]), s))
    hard = set(ranked[: (len(ranked) + 1) // 2])
    return frozenset(id for id, instance in instances.items() if instance.stratum in hard)
