"""Rows of a record for other programs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from .reader import BASELINE, Reader

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
