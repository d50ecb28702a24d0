"""What a campaign did and spent: counts and sums over its record."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...problems.base import Number, decode_number
from ..types import Prompt
from .reader import BASELINE, TRAINED, Reader

BEYOND_TRAINING = (
    f"(split = 'valid' AND program NOT LIKE '{BASELINE}%' AND program NOT IN "
    "(SELECT f.key FROM run, json_each(run.value) f WHERE run.key = 'founders') "
    "OR split > 'train/' AND split < 'train0')"
)
"""Evaluations that the budgets count beside those of told candidates in training."""
_SEARCHED = (
    f"FROM evaluations WHERE {BEYOND_TRAINING} "
    "OR split = 'train' AND program IN (SELECT candidate FROM iterations)"
)
"""Evaluations that the budgets of executions and CPU seconds count."""
_PARENTS_SPLIT = (
    "coalesce((SELECT g.split FROM evaluations g WHERE g.program = p.program "
    "AND g.split = 'train/' || i.prefix), 'train')"
)
"""The row of a parent's training (`p`) on the prefix of the pool that its child (`i`) was evaluated on."""


@dataclass(frozen=True, slots=True)
class IterationCounts:
    """Iterations that were told.

    Attributes:
        iterations: told ones (count).
        evaluations: those that brought a candidate (count).
        begun: time of the first ask (seconds since the epoch); None without iterations.
        last: time of the last outcome (seconds since the epoch); None without iterations.
    """

    iterations: int
    evaluations: int
    begun: float | None
    last: float | None

    @property
    def seconds(self) -> float | None:
        """Wall seconds from the first ask to the last outcome, stops included; None without iterations."""
        return None if self.begun is None or self.last is None else self.last - self.begun


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls of models: their number, tokens in and out, US dollars (None if a price is unknown)."""

    calls: int
    tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class StopCounts:
    """Candidates that racing stopped, and their executions until then (counts)."""

    candidates: int
    executions: int


@dataclass(frozen=True, slots=True)
class OperatorCounts:
    """What one operator did (counts): proposals, candidates, better than their first parent, new bests."""

    name: str
    proposals: int
    candidates: int
    gains: int
    bests: int


def asked(reader: Reader) -> int:
    """Iterations that were asked for (count)."""
    return int(reader.value("SELECT count(*) FROM iterations"))


def made_by(reader: Reader, operator: str, last: int | None = None, *, told: bool = False) -> int:
    """Iterations whose text an operator made (count), up to the number `last` if there is one.

    `told` leaves out those without an outcome.
    """
    query = "SELECT count(*) FROM iterations WHERE operator = ? AND iteration <= ifnull(?, iteration)"
    return int(reader.value(query + (" AND told IS NOT NULL" if told else ""), (operator, last)))


def made_otherwise(reader: Reader) -> int:
    """Iterations whose text neither a submitter nor a model brought (count)."""
    return int(
        reader.value(
            "SELECT count(*) FROM iterations i WHERE origin IS NOT NULL AND origin <> 'submit' "
            "AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.iteration = i.iteration)"
        )
    )


def admitted(reader: Reader) -> int:
    """Iterations that brought a candidate, told or not (count)."""
    return int(reader.value("SELECT count(*) FROM iterations WHERE candidate IS NOT NULL"))


def work(reader: Reader) -> IterationCounts:
    """The iterations that were told."""
    row = reader.rows(
        "SELECT count(*) AS iterations, count(candidate) AS evaluations, min(asked_at) AS begun, "
        "max(told_at) AS last FROM iterations WHERE told IS NOT NULL"
    )[0]
    return IterationCounts(row["iterations"], row["evaluations"], row["begun"], row["last"])


def executions(reader: Reader) -> int:
    """Executions of a campaign's candidates on all splits (count), baselines left out."""
    query = f"SELECT coalesce(sum(executions), 0) FROM evaluations WHERE program NOT LIKE '{BASELINE}%'"
    return int(reader.value(query))


def budgeted_executions(reader: Reader) -> int:
    """Executions in training and validation that the budget counts (count)."""
    return int(reader.value(f"SELECT coalesce(sum(executions), 0) {_SEARCHED}"))


def budgeted_cpu_seconds(reader: Reader) -> float:
    """CPU seconds of the executions that the budget counts."""
    return float(reader.value(f"SELECT coalesce(sum(cpu_seconds), 0) {_SEARCHED}"))


def calls(reader: Reader, until: int | None = None) -> Calls:
    """All calls of models, or those up to an iteration."""
    row = reader.rows(
        "SELECT count(*) AS calls, coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0) "
        "AS tokens, coalesce(sum(cost_usd), 0) AS usd, "
        "sum(text IS NOT NULL AND cost_usd IS NULL) AS unpriced FROM calls "
        "WHERE ?1 IS NULL OR iteration <= ?1",
        (until,),
    )[0]
    return Calls(row["calls"], row["tokens"], None if row["unpriced"] else row["usd"])


def paid(reader: Reader) -> float:
    """US dollars of all calls with a known price."""
    return float(reader.value("SELECT coalesce(sum(cost_usd), 0) FROM calls"))


def costs(reader: Reader) -> dict[int, float | None]:
    """Iteration → US dollars of its calls; None if a price is unknown."""
    rows = reader.rows(
        "SELECT iteration, coalesce(sum(cost_usd), 0) AS usd, "
        "sum(text IS NOT NULL AND cost_usd IS NULL) AS unpriced FROM calls GROUP BY iteration"
    )
    return {row["iteration"]: None if row["unpriced"] else row["usd"] for row in rows}


def seconds_by_use(reader: Reader) -> list[tuple[str, float]]:
    """(baselines, training, validation or test; CPU seconds of its executions), smallest first."""
    rows = reader.rows(
        f"SELECT CASE WHEN program LIKE '{BASELINE}%' THEN 'baselines' WHEN {TRAINED} THEN 'training' "
        "WHEN split = 'valid' THEN 'validation' ELSE 'test' END AS use, sum(cpu_seconds) AS seconds "
        "FROM evaluations GROUP BY use ORDER BY seconds"
    )
    return [(row["use"], row["seconds"]) for row in rows]


def waited_seconds(reader: Reader) -> float:
    """Wall seconds of waiting for replies of models, summed over calls."""
    return float(reader.value("SELECT coalesce(sum(seconds), 0) FROM calls"))


def search_cost(reader: Reader) -> dict[str, tuple[int, float]]:
    """Candidate → its executions (count) and their CPU seconds in training and validation."""
    rows = reader.rows(
        "SELECT program, sum(executions) AS executions, sum(cpu_seconds) AS cpu FROM evaluations "
        f"WHERE ({TRAINED} OR split = 'valid') AND program NOT LIKE '{BASELINE}%' GROUP BY program"
    )
    return {row["program"]: (row["executions"], row["cpu"]) for row in rows}


def tested(reader: Reader) -> list[str]:
    """Candidates that were evaluated on the test split."""
    query = f"SELECT program FROM evaluations WHERE split = 'test' AND program NOT LIKE '{BASELINE}%'"
    return [row["program"] for row in reader.rows(query)]


def validated_candidates(reader: Reader) -> int:
    """Candidates of the search, founders left out, that were evaluated on the validation split (count)."""
    query = (
        "SELECT count(*) FROM evaluations e JOIN candidates c ON c.id = e.program "
        "WHERE e.split = 'valid' AND c.iteration > 0"
    )
    return int(reader.value(query))


def failures_by_status(reader: Reader) -> dict[str, int]:
    """Status of the execution that ended each failed training evaluation → candidates (count)."""
    # A failed evaluation has no fitness, which an index finds; CROSS JOIN keeps that order.
    rows = reader.rows(
        "SELECT x.status AS status, count(*) AS n FROM evaluations e CROSS JOIN executions x "
        "ON x.evaluation = e.id AND x.position = e.executions - 1 "
        "WHERE e.split = 'train' AND e.fitness IS NULL AND e.status = 'failed' "
        f"AND e.program NOT LIKE '{BASELINE}%' GROUP BY x.status"
    )
    return {row["status"]: row["n"] for row in rows}


def failures(reader: Reader) -> Iterator[tuple[str, str, str]]:
    """(candidate, status, message) of the execution that ended each failed training evaluation."""
    query = (
        "SELECT e.program AS program, x.status AS status, coalesce(x.message, '') AS message "
        "FROM evaluations e CROSS JOIN executions x ON x.evaluation = e.id AND x.position = e.executions - 1 "
        "WHERE e.split = 'train' AND e.fitness IS NULL AND e.status = 'failed' "
        f"AND e.program NOT LIKE '{BASELINE}%' ORDER BY e.id"
    )
    for row in reader.stream(query):
        yield row["program"], row["status"], row["message"]


def failure_examples(reader: Reader, most: int) -> list[tuple[str, str]]:
    """(status, message) of the first failed candidate with each message, the most frequent message first."""
    tally = Counter((status, message) for _, status, message in failures(reader))
    return [example for example, _ in tally.most_common(most)]


def stopped(reader: Reader) -> StopCounts:
    """What racing stopped in training."""
    # A stopped evaluation has no fitness, which an index finds.
    row = reader.rows(
        "SELECT count(*) AS n, coalesce(sum(executions), 0) AS executions FROM evaluations "
        "WHERE split = 'train' AND fitness IS NULL AND status = 'stopped'"
    )[0]
    return StopCounts(row["n"], row["executions"])


def operators(reader: Reader) -> list[OperatorCounts]:
    """All operators, busiest first."""
    rows = reader.rows(
        "SELECT i.operator AS name, count(*) AS proposals, count(i.candidate) AS candidates, "
        "sum(e.fitness IS NOT NULL AND p.fitness IS NOT NULL AND e.fitness > p.fitness) AS gains "
        "FROM iterations i "
        "LEFT JOIN evaluations e ON e.program = i.candidate AND e.split = 'train' "
        "LEFT JOIN parents q ON q.candidate = i.candidate AND q.position = 0 "
        "LEFT JOIN evaluations p ON p.program = q.parent AND p.split = "
        f"{_PARENTS_SPLIT} "
        "WHERE i.told IS NOT NULL GROUP BY i.operator ORDER BY proposals DESC, name"
    )
    bests = {
        row["operator"]: row["n"]
        for row in reader.rows(
            "SELECT operator, count(*) AS n FROM iterations WHERE iteration IN "
            "(SELECT iteration FROM events WHERE kind = 'best') GROUP BY operator"
        )
    }
    return [
        OperatorCounts(
            r["name"] or "none", r["proposals"], r["candidates"], r["gains"] or 0, bests.get(r["name"], 0)
        )
        for r in rows
    ]


def sent_prompts(reader: Reader) -> list[tuple[int, Prompt]]:
    """Iterations and their first questions, each question once, the first ones first."""
    rows = reader.rows(
        "SELECT min(iteration) AS first, system, user FROM calls JOIN prompts ON digest = prompt "
        "WHERE round = 1 GROUP BY prompt ORDER BY first"
    )
    return [(row["first"], Prompt(row["system"], row["user"])) for row in rows]


def combined_pairs(reader: Reader) -> set[frozenset[str]]:
    """The pairs of programs (ids) that models were asked to combine.

    Raises:
        StoreError: what is stored of an iteration is none.
    """
    rows = reader.rows("SELECT parents, inspirations FROM iterations WHERE operator LIKE 'combine%'")
    with reader.sound("iterations"):
        shown = [[*json.loads(row["parents"])[:1], *json.loads(row["inspirations"])] for row in rows]
        return {frozenset(map(str, ids[:2])) for ids in shown}


def calls_in_order(reader: Reader) -> list[sqlite3.Row]:
    """Every call: model, operator, iteration, whether a reply came, tokens in and out, US dollars."""
    return reader.rows(
        "SELECT model, operator, iteration, state = 'replied' AS replied, tokens_in, tokens_out, cost_usd, "
        "text IS NOT NULL AS received FROM calls ORDER BY id"
    )


def last_trouble(reader: Reader) -> str | None:
    """The sentence of the last call that brought no usable reply; None if every call brought one."""
    sentence: str | None = reader.value(
        "SELECT error FROM calls WHERE error IS NOT NULL ORDER BY id DESC LIMIT 1"
    )
    return sentence


def without_candidate(reader: Reader) -> Iterable[int]:
    """Iterations that were not told or brought no candidate."""
    # Of 50,000 iterations far fewer rows than those with a candidate.
    rows = reader.rows("SELECT iteration FROM iterations WHERE told IS NULL OR candidate IS NULL")
    return [row["iteration"] for row in rows]


def improved_iterations(reader: Reader) -> Iterable[int]:
    """Iterations whose candidate was a new best in training."""
    return [event.iteration for event in reader.events("best")]


# The best that programs of a run reached on single instances.


@dataclass(frozen=True, slots=True)
class Best:
    """The best valid answer to an instance: program, objective and excess in the problem's unit."""

    program: str
    objective: Number
    excess: Number


def best_by_instance(reader: Reader, instance: str) -> Best | None:
    """The best answer that any program of a run gave to an instance (its id); of equal ones the first.

    None without a valid answer.

    Raises:
        StoreError: what is stored of an execution is none.
    """
    rows = reader.rows(
        "SELECT e.program, x.objective, x.excess FROM executions x "
        "JOIN evaluations e ON e.id = x.evaluation JOIN instances i ON i.id = x.instance "
        "WHERE i.name = ? AND x.status = 'ok' AND x.excess IS NOT NULL "
        "ORDER BY e.program LIKE 'baseline/%', e.id",
        (instance,),
    )
    with reader.sound("executions"):
        given = [
            Best(row["program"], decode_number(row["objective"]), decode_number(row["excess"]))
            for row in rows
        ]
    return min(given, key=lambda best: best.excess, default=None)
