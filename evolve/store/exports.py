"""Rows of a record for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .reader import Reader

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

_NESTED = ("files", "parents", "inspirations", "data", "parameters", "metrics")


def new_rows(reader: Reader, told: int, event: int) -> Iterator[dict[str, Any]]:
    """Outcomes after the `told`-th and events after the one with id `event`, each in its order.

    An outcome has `what` (`outcome`), `told`, `iteration`, `candidate`, `operator`, `rejection`, `added`,
    `status`, `train_fitness` and `at` (seconds since the epoch); an event `what` (`event`), `id`, `kind`,
    `iteration`, `data` and `at`.
    """
    for row in reader.rows(
        "SELECT 'outcome' AS what, i.told, i.iteration, i.candidate, "
        "coalesce(i.operator, i.origin) AS operator, i.rejection, i.added, e.status, "
        "e.fitness AS train_fitness, i.told_at AS at FROM iterations i "
        "LEFT JOIN evaluations e ON e.program = i.candidate AND e.split = 'train' "
        "WHERE i.told > ? ORDER BY i.told",
        (told,),
    ):
        yield dict(zip(row.keys(), row, strict=True))
    for row in reader.rows(
        "SELECT 'event' AS what, id, kind, iteration, data, at FROM events WHERE id > ? ORDER BY id", (event,)
    ):
        values = dict(zip(row.keys(), row, strict=True))
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
