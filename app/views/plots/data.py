"""Numbers behind the pictures, read in a few queries even for a large run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....evaluators.scoring import normalised_loss
from ....evolve.store.progress import Point, exact_point, points
from ...record.elites import replayed
from ...record.record import RunRecord


def baseline_points(record: RunRecord) -> list[Point]:
    """One point for each baseline that is valid on every training instance."""
    found = []
    for program in record.baselines():
        evaluation = record.evaluation(program, "train")
        if evaluation is not None and evaluation.fitness is not None:
            seconds = sum(s.cpu_seconds for s in evaluation.scores) / len(evaluation.scores)
            found.append(Point(program, seconds, -100 * evaluation.fitness))
    return found


def front(found: list[Point]) -> list[Point]:
    """Pareto front: points that no other point beats in both CPU time and loss, fastest first."""
    best: list[Point] = []
    for point in sorted(found, key=lambda p: (p.seconds, p.loss)):
        if not best or point.loss < best[-1].loss:
            best.append(point)
    return best


def front_numbers(record: RunRecord) -> dict[str, Any]:
    """Pareto front of candidates and baselines, and the exact method (None unless all references are optima).

    Each point has `program`, `cpu_seconds` per execution and `training_loss_percent`; the exact method has
    `solver` and `wall_seconds` per instance, proof included.
    """
    exact = exact_point(record.reader)
    return {
        "front": [
            {"program": p.program, "cpu_seconds": p.seconds, "training_loss_percent": p.loss}
            for p in front([*points(record.reader), *baseline_points(record)])
        ],
        "exact": None if exact is None else {"solver": exact.program, "wall_seconds": exact.seconds},
    }


@dataclass(frozen=True, slots=True)
class Diversity:
    """The diversity of the archive after some told iterations.

    Attributes:
        told: iterations told (count).
        cells: cells filled on all islands (count).
        score: quality-diversity score: the sum over these cells of start program's loss − elite's loss on
            training (percent points), where an elite that is no better adds 0.
    """

    told: int
    cells: int
    score: float


def diversity(record: RunRecord) -> list[Diversity]:
    """Occupancy and quality-diversity score (Pugh, Soros and Stanley 2016, doi:10.3389/frobt.2016.00040).

    One entry for the start programs, then one for each told iteration that changed the archive. The offset of
    the score is the start program's fitness.
    """
    found: dict[int, Diversity] = {}
    offset: float | None = None
    for told, archive in replayed(record):
        fitness = [elite.fitness for elite in archive.elites()]
        if offset is None:
            start = record.evaluation(record.start or "", "train")
            offset = start.fitness if start is not None and start.fitness is not None else max(fitness)
        score = 100 * sum(max(0.0, value - offset) for value in fitness)
        found[told] = Diversity(told, len(fitness), score)
    return list(found.values())


def losses(record: RunRecord, program: str, split: str) -> dict[str, float]:
    """Instance → loss in percent of max(|reference|, scale), for instances with a valid answer."""
    found = {}
    for score in record.scores(program, split):
        loss = normalised_loss(score, record.instances[score.instance])
        if loss is not None:
            found[score.instance] = 100 * loss
    return found
