"""How a campaign went over time: the best so far, islands, points of gap against time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...problems.base import decode_number
from .reader import BASELINE, Reader
from .schema import StoreError
from .statistics import calls


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
class Island:
    """One island: candidates that were evaluated on it (count) and its best training fitness."""

    number: int
    candidates: int
    fitness: float | None


@dataclass(frozen=True, slots=True)
class Relative:
    """A candidate with a complete training evaluation: first parent (None at the root) and loss (percent)."""

    id: str
    parent: str | None
    iteration: int
    island: int
    loss: float


@dataclass(frozen=True, slots=True)
class CostPoint:
    """What was spent up to a time.

    Attributes:
        seconds: wall seconds since the first ask; stops included.
        failed: CPU seconds of training evaluations that failed or were stopped.
        training: CPU seconds of the other training evaluations.
        validation: CPU seconds on validation and test.
        usd: US dollars of the calls with a known price.
    """

    seconds: float
    failed: float
    training: float
    validation: float
    usd: float


def relatives(reader: Reader) -> dict[str, Relative]:
    """Id → candidate, for all that have a complete training evaluation."""
    rows = reader.stream(
        "SELECT c.id, c.iteration, c.island, p.parent, max(e.fitness) AS fitness FROM candidates c "
        "JOIN evaluations e ON e.program = c.id AND e.split = 'train' AND e.fitness IS NOT NULL "
        "LEFT JOIN parents p ON p.candidate = c.id AND p.position = 0 GROUP BY c.id"
    )
    return {
        row["id"]: Relative(
            row["id"], row["parent"], row["iteration"], row["island"], -100 * row["fitness"] + 0.0
        )
        for row in rows
    }


def island_steps(reader: Reader) -> dict[int, list[tuple[int, float]]]:
    """Island → (candidates evaluated so far, best training loss so far) at each change, in order.

    Every island begins with the start program.
    """
    rows = reader.stream(
        "SELECT i.island AS island, e.fitness AS fitness FROM iterations i LEFT JOIN evaluations e "
        "ON e.program = i.candidate AND e.split = 'train' "
        "WHERE i.told IS NOT NULL AND i.candidate IS NOT NULL ORDER BY i.told"
    )
    begin = training_fitness(reader, reader.record("start") or "")
    first = [] if begin is None else [(0, -100 * begin + 0.0)]
    steps: dict[int, list[tuple[int, float]]] = {}
    for count, row in enumerate(rows, start=1):
        if row["fitness"] is None:
            continue
        points = steps.setdefault(row["island"], list(first))
        loss = -100 * row["fitness"] + 0.0
        if not points or loss < points[-1][1]:
            points.append((count, loss))
    return dict(sorted(steps.items()))


def costs_over_time(reader: Reader) -> list[CostPoint]:
    """What was spent after each evaluation of a candidate and each call, from the first ask on."""
    begun = reader.value("SELECT min(asked_at) FROM iterations")
    if begun is None:
        return []
    rows = reader.stream(
        "SELECT at, cpu_seconds AS cost, CASE WHEN split IN ('valid', 'test') THEN 'validation' "
        "WHEN fitness IS NULL THEN 'failed' ELSE 'training' END AS use FROM evaluations "
        f"WHERE program NOT LIKE '{BASELINE}%' AND at >= ?1 UNION ALL "
        "SELECT at, cost_usd, 'usd' FROM calls WHERE cost_usd IS NOT NULL AND at >= ?1 ORDER BY at",
        (begun,),
    )
    sums = {"failed": 0.0, "training": 0.0, "validation": 0.0, "usd": 0.0}
    found = [CostPoint(0.0, **sums)]
    for row in rows:
        sums[row["use"]] += row["cost"]
        found.append(CostPoint(row["at"] - begun, **sums))
    return found


def training_fitness(reader: Reader, program: str) -> float | None:
    """Training fitness of a candidate; None if it failed, was stopped or was never evaluated."""
    query = "SELECT fitness FROM evaluations WHERE program = ? AND split = 'train'"
    fitness: float | None = reader.value(query, (program,))
    return fitness


def founders_best(reader: Reader) -> list[tuple[int, str, float]]:
    """(0, candidate, training fitness) of each start program that is better than those before it."""
    first: list[tuple[int, str, float]] = []
    for id in reader.record("starts") or [reader.record("start")]:
        fitness = None if id is None else training_fitness(reader, id)
        if fitness is not None and (not first or fitness > first[-1][2]):
            first.append((0, str(id), fitness))
    return first


def best_so_far(reader: Reader) -> list[tuple[int, str, float]]:
    """(iteration, candidate, training fitness) whenever the best changed, the founders first."""
    found = reader.events("best")
    with reader.sound("events, best"):
        bests = [(e.iteration, str(e.data["candidate"]), float(e.data["fitness"])) for e in found]
    return [*founders_best(reader), *bests]


def steps(reader: Reader) -> list[Step]:
    """Every change of the best, the start program first."""
    begun = reader.value("SELECT min(asked_at) FROM iterations") or 0.0
    return [_step(reader, begun, *change) for change in best_so_far(reader)]


def _step(reader: Reader, begun: float, iteration: int, candidate: str, fitness: float) -> Step:
    rows = reader.rows("SELECT told, told_at FROM iterations WHERE iteration = ?", (iteration,))
    order, at = (rows[0]["told"], rows[0]["told_at"]) if rows else (0, begun)
    evaluations = reader.value(
        "SELECT count(*) FROM iterations WHERE told <= ? AND candidate IS NOT NULL", (order or 0,)
    )
    seconds = max(0.0, (at or begun) - begun)
    return Step(iteration, candidate, -100 * fitness, evaluations, seconds, calls(reader, iteration).usd)


def points(reader: Reader) -> list[Point]:
    """All complete training evaluations in the order in which they came, baselines left out."""
    rows = reader.rows(
        "SELECT program, cpu_seconds / executions AS seconds, fitness FROM evaluations "
        f"WHERE split = 'train' AND fitness IS NOT NULL AND program NOT LIKE '{BASELINE}%' ORDER BY id"
    )
    return [Point(row["program"], row["seconds"], -100 * row["fitness"]) for row in rows]


def exact_point(reader: Reader) -> Point | None:
    """The method that proved the training references: its name, mean wall seconds, loss 0.

    None unless every reference is an optimum whose computation was timed.
    """
    row = reader.rows(
        "SELECT group_concat(DISTINCT r.solver) AS solvers, avg(r.seconds) AS seconds, "
        "sum(r.kind != 'optimum' OR r.seconds IS NULL) AS others "
        "FROM instance_references r JOIN instances i ON i.id = r.instance WHERE i.split = 'train'"
    )[0]
    return Point(row["solvers"], row["seconds"], 0.0) if row["others"] == 0 and row["seconds"] else None


def latest_candidates(reader: Reader, most: int) -> list[dict[str, Any]]:
    """The candidates told last, newest first: id, iteration, `made` (operator or origin), loss and status."""
    rows = reader.rows(
        "SELECT c.id, c.iteration, c.origin, c.operator, e.status, e.fitness FROM "
        "(SELECT candidate, told FROM iterations WHERE told IS NOT NULL AND candidate IS NOT NULL "
        "ORDER BY told DESC LIMIT ?) t JOIN candidates c ON c.id = t.candidate "
        "LEFT JOIN evaluations e ON e.program = c.id AND e.split = 'train' ORDER BY t.told DESC",
        (most,),
    )
    return [
        {
            "id": row["id"],
            "iteration": row["iteration"],
            "made": row["operator"] or row["origin"],
            "loss_percent": None if row["fitness"] is None else -100 * row["fitness"] + 0.0,
            "status": row["status"] or "not evaluated",
        }
        for row in rows
    ]


_BEST_OF = (
    "max(e.fitness) AS fitness"  # SQLite takes the other columns of a group from the row of its maximum
)


def losses_over_iterations(reader: Reader, most: int) -> list[dict[str, Any]]:
    """Training losses by iteration, at most `most` rows: the best candidate of each stretch of iterations.

    Each row has `iteration` and `id` of that candidate, its `loss_percent`, and `of` (count of candidates).
    """
    last = reader.value("SELECT coalesce(max(iteration), 0) FROM candidates")
    rows = reader.rows(
        f"SELECT c.iteration, c.id, {_BEST_OF}, count(*) AS of FROM candidates c JOIN evaluations e "
        "ON e.program = c.id AND e.split = 'train' AND e.fitness IS NOT NULL "
        "GROUP BY c.iteration / ? ORDER BY c.iteration",
        (max(1, -(-(last + 1) // most)),),
    )
    return [
        {
            "iteration": row["iteration"],
            "id": row["id"],
            "loss_percent": -100 * row["fitness"] + 0.0,
            "of": row["of"],
        }
        for row in rows
    ]


def iteration_page(
    reader: Reader, most: int, before: int | None = None, kind: str = "all", text: str = ""
) -> list[dict[str, Any]]:
    """The iterations before a number, newest first, with candidate or why there is none.

    Args:
        reader: of the run.
        most: rows (count).
        before: the first row is older than this iteration; None for the newest.
        kind: `all`, `candidates`, `rejected` (no candidate), or `failed` (no training fitness).
        text: begin of a candidate's id, or part of an operator's or a rejection's name; empty for any.
    """
    kinds = {
        "all": "1",
        "candidates": "i.candidate IS NOT NULL",
        "rejected": "i.rejection IS NOT NULL",
        "failed": "e.status IS NOT NULL AND e.fitness IS NULL",
    }
    rows = reader.rows(
        "SELECT i.iteration, i.island, i.candidate, i.rejection, i.excerpt, i.origin, i.operator, e.status, "
        "e.fitness, (SELECT x.status || coalesce(': ' || x.message, '') FROM executions x "
        "WHERE e.status = 'failed' AND x.evaluation = e.id AND x.position = e.executions - 1) AS failure "
        "FROM iterations i LEFT JOIN evaluations e ON e.program = i.candidate "
        f"AND e.split = 'train' WHERE i.told IS NOT NULL AND {kinds[kind]} "
        "AND (?1 IS NULL OR i.iteration < ?1) AND (?2 = '' OR substr(i.candidate, 1, length(?2)) = ?2 "
        "OR instr(i.operator, ?2) OR instr(i.rejection, ?2)) ORDER BY i.iteration DESC LIMIT ?3",
        (before, text, most),
    )
    return [
        {
            "iteration": row["iteration"],
            "island": row["island"],
            "id": row["candidate"],
            "made": row["operator"] or row["origin"] or "",
            "loss_percent": None if row["fitness"] is None else -100 * row["fitness"] + 0.0,
            "status": row["rejection"] or row["status"] or "not evaluated",
            "why": row["failure"] or row["excerpt"] or "",
        }
        for row in rows
    ]


def latest_events(reader: Reader, most: int) -> list[dict[str, Any]]:
    """Iteration, kind and candidate (None without one) of the last events, newest first."""
    rows = reader.rows(
        "SELECT iteration, kind, CASE WHEN json_valid(data) THEN json_extract(data, '$.candidate') END AS id "
        "FROM events WHERE kind NOT IN ('migration', 'explained') ORDER BY id DESC LIMIT ?",
        (most,),
    )
    return [
        {
            "iteration": row["iteration"],
            "kind": row["kind"],
            "candidate": row["id"] if isinstance(row["id"], str) else None,
        }
        for row in rows
    ]


def children(reader: Reader, candidate: str) -> int:
    """Candidates made from a candidate (count)."""
    return int(reader.value("SELECT count(*) FROM parents WHERE parent = ?", (candidate,)))


def completed_candidates(reader: Reader) -> Iterator[tuple[int, str | None]]:
    """(iteration, candidate or None) in the order of telling, one at a time."""
    query = "SELECT iteration, candidate FROM iterations WHERE told IS NOT NULL ORDER BY told"
    for row in reader.stream(query):
        yield row["iteration"], row["candidate"]


def mean_gap(reader: Reader, program: str | None, split: str) -> float | None:
    """Mean of ratios over non-zero references (percent) of a complete evaluation, straight from its rows.

    Raises:
        StoreError: executions of it are missing, or a gap is no number.
    """
    rows = reader.rows(
        "SELECT gap, executions FROM evaluations JOIN executions ON id = evaluation "
        "WHERE program = ? AND split = ? AND evaluations.status = 'complete'",
        (program, split),
    )
    if rows and len(rows) != rows[0]["executions"]:
        raise StoreError(f"{program} on {split}: the record is damaged: executions are missing")
    try:
        gaps = [float(decode_number(row["gap"])) for row in rows if row["gap"] is not None]
    except ValueError as error:
        raise StoreError(f"{program} on {split}: the record is damaged: {error}") from error
    return sum(gaps) / len(gaps) * 100 if gaps else None


def is_reported(reader: Reader) -> bool:
    """Whether the references of a run are scores that were only reported."""
    return reader.value("SELECT 1 FROM instance_references WHERE kind = 'reported' LIMIT 1") is not None


def mean_score(reader: Reader, program: str | None, split: str) -> float | None:
    """Mean objective of a complete evaluation; None without one.

    Raises:
        StoreError: an objective is no number.
    """
    rows = reader.rows(
        "SELECT objective FROM evaluations JOIN executions ON id = evaluation "
        "WHERE program = ? AND split = ? AND evaluations.status = 'complete' AND objective IS NOT NULL",
        (program, split),
    )
    try:
        scores = [float(decode_number(row["objective"])) for row in rows]
    except ValueError as error:
        raise StoreError(f"{program} on {split}: the record is damaged: {error}") from error
    return sum(scores) / len(scores) if scores else None


def judged_instances(reader: Reader, splits: tuple[str, ...]) -> list[list[Any]]:
    """Name, split, digest, and the reference's value, kind and bound of each instance of some splits."""
    rows = reader.rows(
        "SELECT i.name, i.split, i.digest, r.value, r.kind, r.bound FROM instances i "
        "JOIN instance_references r ON r.instance = i.id ORDER BY i.split, i.name"
    )
    return [list(row) for row in rows if row["split"] in splits]


def instance_digests(reader: Reader) -> dict[str, str]:
    """Instance id → stored digest, in the order of the rows."""
    return {
        row["name"]: row["digest"] for row in reader.rows("SELECT name, digest FROM instances ORDER BY id")
    }
