"""Numbers behind the pictures, read from the store in a few queries whatever the size of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....evaluators.scoring import normalised_loss
from ...record.elites import replayed
from ...record.record import RunRecord


@dataclass(frozen=True, slots=True)
class Step:
    """The best training fitness changed.

    Attributes:
        iteration: number of the ask, 0 for the start program.
        candidate: its id.
        loss: −100 × fitness (percent of max(|reference|, scale)).
        evaluations: candidates evaluated so far (count).
        seconds: wall seconds since the first ask; stops included.
        usd: US dollars so far, None if a price is not known.
    """

    iteration: int
    candidate: str
    loss: float
    evaluations: int
    seconds: float
    usd: float | None


@dataclass(frozen=True, slots=True)
class Point:
    """A candidate evaluated in training: CPU seconds per execution and loss (percent)."""

    program: str
    seconds: float
    loss: float


@dataclass(frozen=True, slots=True)
class Operator:
    """What one operator did (counts): proposals, candidates, better than their first parent, new bests."""

    name: str
    proposals: int
    candidates: int
    gains: int
    bests: int


def steps(record: RunRecord) -> list[Step]:
    """Every change of the best, the start program first."""
    from ..overview import best_so_far

    reader = record.reader
    begun = reader.value("SELECT min(asked_at) FROM iterations") or 0.0
    found = []
    for iteration, candidate, fitness in best_so_far(record):
        told = reader.rows("SELECT told, told_at FROM iterations WHERE iteration = ?", (iteration,))
        order, at = (told[0]["told"], told[0]["told_at"]) if told else (0, begun)
        evaluations = reader.value(
            "SELECT count(*) FROM iterations WHERE told <= ? AND candidate IS NOT NULL", (order or 0,)
        )
        spent = _spent(record, iteration)
        found.append(
            Step(iteration, candidate, -100 * fitness, evaluations, max(0.0, (at or begun) - begun), spent)
        )
    return found


def totals(record: RunRecord) -> tuple[int, float, int]:
    """(candidates evaluated, wall seconds between first ask and last outcome, iterations told)."""
    row = record.reader.rows(
        "SELECT count(candidate) AS n, max(told_at) - min(asked_at) AS seconds, count(*) AS told "
        "FROM iterations WHERE told IS NOT NULL"
    )[0]
    return row["n"], row["seconds"] or 0.0, row["told"]


def points(record: RunRecord) -> list[Point]:
    """All complete training evaluations in the order in which they came, baselines left out."""
    rows = record.reader.rows(
        "SELECT program, cpu_seconds / executions AS seconds, fitness FROM evaluations "
        "WHERE split = 'train' AND fitness IS NOT NULL AND program NOT LIKE 'baseline/%' ORDER BY id"
    )
    return [Point(row["program"], row["seconds"], -100 * row["fitness"]) for row in rows]


def baseline_points(record: RunRecord) -> list[Point]:
    """Baselines that are valid on every training instance."""
    found = []
    for program in record.baselines():
        evaluation = record.evaluation(program, "train")
        if evaluation is not None and evaluation.fitness is not None:
            seconds = sum(s.cpu_seconds for s in evaluation.scores) / len(evaluation.scores)
            found.append(Point(program, seconds, -100 * evaluation.fitness))
    return found


def exact_point(record: RunRecord) -> Point | None:
    """The method that proved the training references: its name, mean wall seconds, loss 0.

    None unless every reference is an optimum whose computation was timed.
    """
    row = record.reader.rows(
        "SELECT group_concat(DISTINCT r.solver) AS solvers, avg(r.seconds) AS seconds, "
        "sum(r.kind != 'optimum' OR r.seconds IS NULL) AS others "
        "FROM instance_references r JOIN instances i ON i.id = r.instance WHERE i.split = 'train'"
    )[0]
    return Point(row["solvers"], row["seconds"], 0.0) if row["others"] == 0 and row["seconds"] else None


def front(found: list[Point]) -> list[Point]:
    """Pareto front: points that no other beats in both CPU time and loss, fastest first."""
    best: list[Point] = []
    for point in sorted(found, key=lambda p: (p.seconds, p.loss)):
        if not best or point.loss < best[-1].loss:
            best.append(point)
    return best


def front_numbers(record: RunRecord) -> dict[str, Any]:
    """Pareto front of candidates and baselines together, and the exact method (None where not all is proven).

    Each point: `program`, `cpu_seconds` per execution, `training_loss_percent`; the exact method: `solver`,
    `wall_seconds` per instance, proof included.
    """
    exact = exact_point(record)
    return {
        "front": [
            {"program": p.program, "cpu_seconds": p.seconds, "training_loss_percent": p.loss}
            for p in front([*points(record), *baseline_points(record)])
        ],
        "exact": None if exact is None else {"solver": exact.program, "wall_seconds": exact.seconds},
    }


def operators(record: RunRecord) -> list[Operator]:
    """All operators, busiest first."""
    rows = record.reader.rows(
        "SELECT i.operator AS name, count(*) AS proposals, count(i.candidate) AS candidates, "
        "sum(e.fitness IS NOT NULL AND p.fitness IS NOT NULL AND e.fitness > p.fitness) AS gains "
        "FROM iterations i "
        "LEFT JOIN evaluations e ON e.program = i.candidate AND e.split = 'train' "
        "LEFT JOIN parents q ON q.candidate = i.candidate AND q.position = 0 "
        "LEFT JOIN evaluations p ON p.program = q.parent AND p.split = 'train' "
        "WHERE i.told IS NOT NULL GROUP BY i.operator ORDER BY proposals DESC, name"
    )
    bests: dict[str, int] = {}
    for row in record.reader.rows(
        "SELECT operator, count(*) AS n FROM iterations WHERE iteration IN "
        "(SELECT iteration FROM events WHERE kind = 'best') GROUP BY operator"
    ):
        bests[row["operator"]] = row["n"]
    return [
        Operator(
            row["name"] or "none",
            row["proposals"],
            row["candidates"],
            row["gains"] or 0,
            bests.get(row["name"], 0),
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class Diversity:
    """The archive after some told iterations: cells filled on all islands, and quality-diversity score.

    Attributes:
        told: iterations told (count).
        cells: filled (count).
        score: sum over these cells of how far the elite's training loss lies below the start program's
            (percent points); an elite that is no better adds nothing.
    """

    told: int
    cells: int
    score: float


def diversity(record: RunRecord) -> list[Diversity]:
    """Occupancy and quality-diversity score (Pugh, Soros and Stanley 2016, doi:10.3389/frobt.2016.00040).

    One entry for each told iteration that changed the archive, the start programs first. The offset of the
    score is the start program's fitness.
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
    """Instance → loss in percent of max(|reference|, scale), of the instances with a valid answer."""
    found = {}
    for score in record.scores(program, split):
        loss = normalised_loss(score, record.instances[score.instance])
        if loss is not None:
            found[score.instance] = 100 * loss
    return found


def _spent(record: RunRecord, iteration: int) -> float | None:
    row = record.reader.rows(
        "SELECT sum(cost_usd) AS usd, sum(text IS NOT NULL AND cost_usd IS NULL) AS unknown "
        "FROM calls WHERE iteration <= ?",
        (iteration,),
    )[0]
    return None if row["unknown"] else row["usd"] or 0.0
