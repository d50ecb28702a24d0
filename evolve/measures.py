"""Measures of the archive, with fixed, declared bins.

All measures except `time` depend on source and answers alone. `time` depends on recorded CPU seconds: it must
be requested, and makes the course differ between machines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..evaluators.base import Evaluation, Score
from ..problems.base import Instance
from .timing import CLASSES, net_seconds, time_class
from .types import Candidate


@dataclass(frozen=True, slots=True)
class Measure:
    """One axis of the archive.

    Attributes:
        meaning: what is measured, with its unit.
        edges: between its bins, ascending; a value on an edge belongs to the bin above it.
        of: the value of a candidate with its complete training evaluation in a space.
    """

    meaning: str
    edges: tuple[float, ...]
    of: Callable[[Candidate, Evaluation, MeasureSpace], float]


def _described(name: str) -> Callable[[Candidate, Evaluation, MeasureSpace], float]:
    return lambda candidate, evaluation, space: float(candidate.description.descriptors.get(name, 0))


def _profile(candidate: Candidate, evaluation: Evaluation, space: MeasureSpace) -> float:
    total = part = 0.0
    for score in evaluation.scores:
        loss = max(0.0, float(score.excess)) if score.excess is not None else 0.0
        total += loss
        if score.instance in space.hard:
            part += loss
    return part / total if total else 0.5


def _solved(candidate: Candidate, evaluation: Evaluation, space: MeasureSpace) -> float:
    return sum(score.excess == 0 for score in evaluation.scores) / len(evaluation.scores)


def _time(candidate: Candidate, evaluation: Evaluation, space: MeasureSpace) -> float:
    return net_seconds(evaluation.scores, space.floor)


TIME = "time"
_COUNTS = (1.0, 2.0, 3.0, 5.0, 8.0)
_MANY = (2.0, 4.0, 8.0, 16.0, 32.0)
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "size": Measure(
            "size of the program (syntax-tree nodes)",
            (60.0, 90.0, 130.0, 190.0, 270.0, 390.0, 560.0, 800.0),
            lambda candidate, evaluation, space: float(candidate.description.nodes),
        ),
        "depth": Measure(
            "depth of the program (levels of the syntax tree)",
            (8.0, 10.0, 12.0, 14.0, 17.0, 21.0),
            lambda candidate, evaluation, space: float(candidate.description.depth),
        ),
        "loops": Measure("loops (count)", _COUNTS, _described("loops")),
        "branches": Measure("branches (count)", _COUNTS, _described("branches")),
        "calls": Measure("calls (count)", _MANY, _described("calls")),
        "constants": Measure("numeric constants (count)", _MANY, _described("constants")),
        "profile": Measure("share of the loss on hard strata", (0.35, 0.5, 0.65, 0.8, 0.9, 0.96), _profile),
        "solved": Measure(
            "share of instances at the reference", (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9), _solved
        ),
        TIME: Measure("CPU seconds of an execution above the sandbox's floor", CLASSES, _time),
    }
)
"""Name → measure; a configuration chooses among them."""

DEFAULT_NAMES = ("size", "profile")


@dataclass(frozen=True, slots=True)
class MeasureSpace:
    """The measures whose bins form the cells of an archive.

    Attributes:
        names: of the measures, in the order of a cell's indices; none at all makes one cell an island.
        loss: normalised loss of a score (ratio), None unless it is OK.
        hard: ids of the training instances in the strata where the start program's loss is largest (half of
            the strata).
        floor: CPU seconds of an execution that does nothing.
        aim: the time class that half of the draws of a parent are from, where time is a measure; None draws
            all classes alike.
    """

    names: tuple[str, ...]
    loss: Callable[[Score], float | None]
    hard: frozenset[str]
    floor: float = 0.0
    aim: int | None = None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        start: Evaluation,
        instances: Mapping[str, Instance],
        loss: Callable[[Score], float | None],
        floor: float = 0.0,
        time_budget: float | None = None,
    ) -> MeasureSpace:
        """The space of some measures, relative to the start program's evaluation in training.

        Args:
            names: of the measures.
            start: the start program's evaluation.
            instances: of training, by id.
            loss: normalised loss of a score (ratio).
            floor: CPU seconds of an execution that does nothing.
            time_budget: most CPU seconds of a champion; None without a limit.
        """
        aim = None if time_budget is None else time_class(time_budget)
        return cls(tuple(names), loss, hard_instances(start, instances, loss), floor, aim)

    @property
    def shape(self) -> tuple[int, ...]:
        """Bins of each measure (count)."""
        return tuple(len(MEASURES[name].edges) + 1 for name in self.names)

    @property
    def timed(self) -> bool:
        """Whether time is a measure, so that it steers the search."""
        return TIME in self.names

    def time_class(self, scores: Sequence[Score]) -> int:
        """Number of the time class that scores show, 0 for the fastest; always 0 unless time is a measure."""
        return time_class(net_seconds(scores, self.floor)) if self.timed else 0

    def measures(self, candidate: Candidate, evaluation: Evaluation) -> tuple[float, ...]:
        """Value of each measure."""
        return tuple(MEASURES[name].of(candidate, evaluation, self) for name in self.names)

    def cell(self, measures: tuple[float, ...]) -> tuple[int, ...]:
        """Bin of each measure, 0-based."""
        pairs = zip(self.names, measures, strict=True)
        return tuple(bisect_right(MEASURES[name].edges, value) for name, value in pairs)


def hard_instances(
    evaluation: Evaluation, instances: Mapping[str, Instance], loss: Callable[[Score], float | None]
) -> frozenset[str]:
    """Ids of the instances in the half of the strata where an evaluation's mean loss is largest."""
    losses: dict[str, list[float]] = {}
    for score in evaluation.scores:
        losses.setdefault(instances[score.instance].stratum, []).append(loss(score) or 0.0)
    ranked = sorted(losses, key=lambda s: (-sum(losses[s]) / len(losses[s]), s))
    hard = set(ranked[: (len(ranked) + 1) // 2])
    return frozenset(id for id, instance in instances.items() if instance.stratum in hard)
