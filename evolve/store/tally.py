"""Reads that follow a record: counts and rows, where each look reads only what is new."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .progress import Island, founders_best, latest_candidates, mean_gap
from .reader import BASELINE, EventRow, Reader
from .statistics import BEYOND_TRAINING, Calls, IterationCounts

_LATEST = 5
_CALLS = (
    "SELECT count(*) AS calls, coalesce(sum(coalesce(tokens_in, 0) + coalesce(tokens_out, 0)), 0) AS tokens, "
    "coalesce(sum(cost_usd), 0) AS usd, coalesce(sum(text IS NOT NULL AND cost_usd IS NULL), 0) AS unpriced, "
    "coalesce(sum(text IS NOT NULL), 0) AS replies FROM calls WHERE "
)
_LAST = (
    "SELECT (SELECT coalesce(max(told), 0) FROM iterations), (SELECT coalesce(max(id), 0) FROM evaluations), "
    "(SELECT coalesce(max(id), 0) FROM calls), (SELECT coalesce(max(id), 0) FROM events)"
)


@dataclass(frozen=True, slots=True)
class _Read:
    """The last rows that were read: rank of telling, and ids."""

    told: int = 0
    evaluation: int = 0
    call: int = 0
    event: int = 0


class Tally:
    """What a campaign did so far, summed up over all looks at its growing store.

    Attributes:
        work: iterations that were told.
        operators: operator → iterations that were told (count).
        rejections: reason → iterations that were told (count).
        executions: of candidates on all splits (count), baselines left out.
        budgeted_executions: those that the budget counts: without start programs and test (count).
        cpu_seconds: of the executions that the budget counts.
        failed: candidates whose training evaluation failed (count).
        stopped: candidates that racing stopped (count).
        bests: (candidates evaluated until then, training fitness) whenever the best changed.
        events: the last events, oldest first; migrations and explained answers, the many, are left out.
    """

    def __init__(self) -> None:
        """Starts with nothing read."""
        self.work = IterationCounts(0, 0, None, None)
        self.operators: Counter[str] = Counter()
        self.rejections: Counter[str] = Counter()
        self.executions = self.budgeted_executions = self.failed = self.stopped = 0
        self.cpu_seconds = 0.0
        self.bests: list[tuple[int, float]] = []
        self.events: deque[EventRow] = deque(maxlen=_LATEST)
        self._islands: dict[int, Island] = {}
        self._calls = Calls(0, 0, 0.0)
        self._unpriced = self._replies = 0
        self._unanswered: list[int] = []
        self._gap: tuple[str | None, float] | None = None
        self._newest: tuple[int, list[dict[str, Any]]] | None = None
        self._best_told = 0
        self._read = _Read()

    @property
    def islands(self) -> list[Island]:
        """The islands that evaluated a candidate, in order."""
        return [self._islands[number] for number in sorted(self._islands)]

    @property
    def calls(self) -> Calls:
        """All calls of models."""
        return Calls(self._calls.calls, self._calls.tokens, None if self._unpriced else self._calls.usd)

    @property
    def cost_usd(self) -> float | None:
        """US dollars of all calls: 0 without a call; None if a price is unknown or nothing was answered."""
        calls = self.calls
        return calls.usd if self._replies or calls.usd or not calls.calls else None

    def since_best(self, reader: Reader, but: str | None) -> int:
        """Iterations told since the best changed last (count), those of the operator `but` left out."""
        query = "SELECT count(*) FROM iterations WHERE told > ? AND operator IS NOT ?"
        return int(reader.value(query, (self._best_told, but)))

    def validation_gap(self, reader: Reader, candidate: str | None) -> float | None:
        """Mean gap of a candidate on validation (percent), read once; None until it was validated.

        Raises:
            StoreError: see `mean_gap`.
        """
        if self._gap is None or self._gap[0] != candidate:
            gap = mean_gap(reader, candidate, "valid")
            self._gap = None if gap is None else (candidate, gap)
        return None if self._gap is None else self._gap[1]

    def newest(self, reader: Reader, most: int) -> list[dict[str, Any]]:
        """The candidates told last, as `latest_candidates` gives them; read again when there are more."""
        if self._newest is None or self._newest[0] != self.work.evaluations:
            self._newest = self.work.evaluations, latest_candidates(reader, most)
        return self._newest[1]

    def look(self, reader: Reader) -> None:
        """Adds what the store holds beyond the last look.

        Raises:
            StoreError: the file is damaged.
        """
        with reader.at_once():
            last = _Read(*reader.rows(_LAST)[0])
            if not self.work.iterations:
                self.bests = [(0, fitness) for *_, fitness in founders_best(reader)]
            if last.event > self._read.event:
                self._look_at_events(reader)  # first: counts candidates from those of the last look on
            if last.told > self._read.told:
                self._look_at_iterations(reader)
            if last.evaluation > self._read.evaluation:
                self._look_at_evaluations(reader)
            if self._unanswered:
                self._look_at_replies(reader)
            if last.call > self._read.call:
                self._look_at_calls(reader)
            self._read = last

    def _look_at_events(self, reader: Reader) -> None:
        rows = reader.rows(
            "SELECT e.iteration, e.kind, e.data, e.at, i.told FROM events e LEFT JOIN iterations i "
            "ON i.iteration = e.iteration WHERE e.id > ? AND e.kind NOT IN ('migration', 'explained') "
            "ORDER BY e.id",
            (self._read.event,),
        )
        evaluations = self.work.evaluations
        told = self._read.told
        for row in rows:
            with reader.sound("events"):
                event = EventRow(row["iteration"], row["kind"], json.loads(row["data"]), row["at"])
                if event.kind == "best":
                    until = max(told, row["told"] or told)
                    query = "SELECT count(candidate) FROM iterations WHERE told > ? AND told <= ?"
                    evaluations += reader.value(query, (told, until))
                    told = until
                    self.bests.append((evaluations, float(event.data["fitness"])))
                    self._best_told = told
            self.events.append(event)

    def _look_at_iterations(self, reader: Reader) -> None:
        rows = reader.rows(
            "SELECT i.island, i.rejection, i.operator, count(*) AS iterations, "
            "count(i.candidate) AS candidates, min(i.asked_at) AS begun, max(i.told_at) AS last, "
            "count(e.id) AS evaluated, max(e.fitness) AS fitness, "
            "sum(e.executions) AS executions, sum(e.cpu_seconds) AS cpu FROM iterations i "
            "LEFT JOIN evaluations e ON e.program = i.candidate AND e.split = 'train' WHERE i.told > ? "
            "GROUP BY i.island, i.rejection, i.operator",
            (self._read.told,),
        )
        for row in rows:
            done = self.work
            self.work = IterationCounts(
                done.iterations + row["iterations"],
                done.evaluations + row["candidates"],
                row["begun"] if done.begun is None else min(done.begun, row["begun"]),
                row["last"] if done.last is None else max(done.last, row["last"] or done.last),
            )
            self.cpu_seconds += row["cpu"] or 0.0
            self.budgeted_executions += row["executions"] or 0
            if row["rejection"] is not None:
                self.rejections[row["rejection"]] += row["iterations"]
            if row["operator"] is not None:
                self.operators[row["operator"]] += row["iterations"]
            if row["evaluated"]:
                island = self._islands.get(row["island"], Island(row["island"], 0, None))
                fitness = [f for f in (island.fitness, row["fitness"]) if f is not None]
                self._islands[island.number] = Island(
                    island.number, island.candidates + row["evaluated"], max(fitness, default=None)
                )

    def _look_at_evaluations(self, reader: Reader) -> None:
        without = "split = 'train' AND fitness IS NULL AND status"
        row = reader.rows(
            "SELECT coalesce(sum(executions), 0) AS executions, "
            f"coalesce(sum({without} = 'failed' AND executions > 0), 0) AS failed, "
            f"coalesce(sum({without} = 'stopped'), 0) AS stopped, "
            f"coalesce(sum(executions * {BEYOND_TRAINING}), 0) AS budgeted, "
            f"coalesce(sum(cpu_seconds * {BEYOND_TRAINING}), 0) AS cpu FROM evaluations "
            f"WHERE id > ? AND program NOT LIKE '{BASELINE}%'",
            (self._read.evaluation,),
        )[0]
        self.executions += row["executions"]
        self.failed += row["failed"]
        self.stopped += row["stopped"]
        self.cpu_seconds += row["cpu"]
        self.budgeted_executions += row["budgeted"]

    def _look_at_replies(self, reader: Reader) -> None:
        """Adds the replies to calls that had none at the last look."""
        answered = "state <> 'requested' AND id IN (SELECT value FROM json_each(?))"
        ids = (json.dumps(self._unanswered),)
        done = {row["id"] for row in reader.rows(f"SELECT id FROM calls WHERE {answered}", ids)}
        self._unanswered = [id for id in self._unanswered if id not in done]
        self._add(reader.rows(f"{_CALLS} {answered}", ids)[0], 0)

    def _look_at_calls(self, reader: Reader) -> None:
        since = (self._read.call,)
        new = reader.rows(f"{_CALLS} id > ?", since)[0]
        self._add(new, new["calls"])
        waiting = reader.rows("SELECT id FROM calls WHERE id > ? AND state = 'requested'", since)
        self._unanswered += [row["id"] for row in waiting]

    def _add(self, row: sqlite3.Row, calls: int) -> None:
        """Adds the tokens and dollars of some calls, and the number of those that are new."""
        done = self._calls
        self._calls = Calls(done.calls + calls, done.tokens + row["tokens"], (done.usd or 0.0) + row["usd"])
        self._unpriced += row["unpriced"]
        self._replies += row["replies"]


EXPORTS = {
    "candidates": (
        "SELECT c.id AS candidate, c.iteration, c.island, c.origin, c.operator, "
        "(SELECT json_group_array(parent) FROM parents p WHERE p.candidate = c.id) AS parents, "
        "json_extract(c.description, '$.nodes') AS nodes, i.added, t.status AS train_status, "
        "t.fitness AS train_fitness, t.cpu_seconds AS train_cpu_seconds, t.executions AS train_executions, "
        "v.fitness AS valid_fitness, "
        "x.fitness AS test_fitness, c.files FROM candidates c LEFT JOIN iterations i ON i.candidate = c.id "
        "LEFT JOIN evaluations t ON t.program = c.id AND t.split = 'train' "
        "LEFT JOIN evaluations v ON v.program = c.id AND v.split = 'valid' "
        "LEFT JOIN evaluations x ON x.program = c.id AND x.split = 'test' ORDER BY c.iteration, c.id"
    ),
    "scores": (
        "SELECT e.program, i.split, i.name AS instance, i.stratum, x.status, x.objective, "
        "r.value AS reference, r.kind AS reference_kind, x.gap, x.excess, x.cpu_seconds, "
        "lower(hex(x.answer)) AS answer_digest, x.message, x.metrics "
        "FROM executions x JOIN evaluations e ON e.id = x.evaluation "
        "JOIN instances i ON i.id = x.instance JOIN instance_references r ON r.instance = i.id "
        "ORDER BY x.evaluation, x.position"
    ),
    "iterations": (
        "SELECT iteration, island, prefix, parents, inspirations, rival, candidate, origin, operator, "
        "rejection, excerpt, told, added FROM iterations ORDER BY iteration"
    ),
    "completions": (
        "SELECT c.*, p.system, p.user FROM calls c JOIN prompts p ON p.digest = c.prompt ORDER BY c.id"
    ),
    "events": "SELECT iteration, kind, data, at FROM events ORDER BY id",
}
"""What can be exported → its query. Objectives, references and gaps are exact texts (`12`, `7/3`)."""

_PRIVATE = ("base_url", "api_key_env")
"""Keys of a model's table that say where and as whom it was asked."""
_KEPT_EVENTS = (
    *("shares", "best", "champion", "beyond_bound", "migration", "reset"),
    *("growth", "twin", "faster", "reached"),
)
"""Kinds of events that hold ids and figures alone; others quote replies, errors of servers, and notes."""


def copy_without_calls(reader: Reader, path: Path) -> None:
    """Writes a copy of a store as a new file, without what a model was told and said, and where it was asked.

    Of replies it holds the programs, and what a candidate changes and why; of what was rejected, the reason.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as copy:
        reader.copy_to(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute("DELETE FROM calls")
        copy.execute("DELETE FROM prompts")
        copy.execute("DELETE FROM operations")
        copy.execute("UPDATE iterations SET excerpt = NULL WHERE rejection IS NOT NULL")
        marks = ", ".join("?" * len(_KEPT_EVENTS))
        copy.execute(f"DELETE FROM events WHERE kind NOT IN ({marks})", _KEPT_EVENTS)
        config = reader.record("config") or {}
        models = [
            {key: table[key] for key in table if key not in _PRIVATE} for table in config.get("model") or []
        ]
        if models:
            config["model"] = models
        if "folder" in config.get("prompts", {}):
            config["prompts"]["folder"] = None
        copy.execute("UPDATE run SET value = ? WHERE key = 'config'", (json.dumps(config),))
        copy.execute("VACUUM")


_OUTCOMES = (
    "SELECT 'outcome' AS what, i.told, i.iteration, i.candidate, "
    "coalesce(i.operator, i.origin) AS operator, i.rejection, i.added, e.status, "
    "e.fitness AS train_fitness, count(c.id) AS model_calls, "
    "coalesce(sum(coalesce(c.tokens_in, 0) + coalesce(c.tokens_out, 0)), 0) AS tokens, "
    "CASE WHEN coalesce(sum(c.text IS NOT NULL AND c.cost_usd IS NULL), 0) = 0 "
    "THEN coalesce(sum(c.cost_usd), 0.0) END AS cost_usd, i.told_at AS at FROM iterations i "
    "LEFT JOIN evaluations e ON e.program = i.candidate AND e.split = 'train' "
    "LEFT JOIN calls c ON c.iteration = i.iteration WHERE i.told > ? GROUP BY i.told ORDER BY i.told"
)
_EVALUATIONS = (
    "SELECT 'evaluation' AS what, id, program AS candidate, split, status, fitness, at FROM evaluations "
    f"WHERE id > ? AND split IN ('valid', 'test') AND program NOT LIKE '{BASELINE}%' ORDER BY id"
)
_EVENTS = "SELECT 'event' AS what, id, kind, iteration, data, at FROM events WHERE id > ? ORDER BY id"

_NESTED = ("files", "parents", "inspirations", "data", "parameters", "metrics")


def new_rows(reader: Reader, told: int, event: int, evaluation: int) -> Iterator[dict[str, Any]]:
    """Outcomes after the `told`-th, events and evaluations after those with the ids `event`, `evaluation`.

    An outcome has `what` (`outcome`), `told`, `iteration`, `candidate`, `operator`, `rejection`, `added`,
    `status`, `train_fitness`, the `model_calls` and `tokens` (counts) of its proposal, `cost_usd` (None if a
    price is unknown) and `at` (seconds since the epoch). An evaluation of a candidate on validation or test
    has `what` (`evaluation`), `id`, `candidate`, `split`, `status`, `fitness` and `at`. An event has `what`
    (`event`), `id`, `kind`, `iteration`, `data` and `at`.
    """
    for query, last in ((_OUTCOMES, told), (_EVALUATIONS, evaluation), (_EVENTS, event)):
        for row in reader.rows(query, (last,)):
            values = dict(zip(row.keys(), row, strict=True))
            if "data" in values:
                with reader.sound("events, data"):
                    values["data"] = json.loads(values["data"])
            yield values


def export_rows(reader: Reader, table: str) -> Iterator[dict[str, Any]]:
    """Rows of one of `EXPORTS`, one at a time; nested values are decoded.

    Raises:
        StoreError: what is stored in a nested column is no JSON.
    """
    for row in reader.stream(EXPORTS[table]):
        values = dict(zip(row.keys(), row, strict=True))
        for column in _NESTED:
            if values.get(column) is not None:
                with reader.sound(f"{table}, {column}"):
                    values[column] = json.loads(values[column])
        yield values
