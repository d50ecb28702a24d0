"""Operations of a workbench as the store records them: each before it begins, and again when it ends."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .reader import Reader
from .store import Store


@dataclass(slots=True)
class Operation:
    """An operation under way.

    Attributes:
        id: its number.
        answer: what it gives back (JSON); None until it is done.
        refused: whether it was refused, so that it counts as nothing.
        iteration: that it made, None if it made none.
        executions, cpu_seconds: what it used beside that iteration (count, seconds).
    """

    id: int
    answer: Mapping[str, Any] | None = None
    refused: bool = False
    iteration: int | None = None
    executions: int = 0
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """Operations of one kind.

    Attributes:
        done, refused, broken: how many ended, were refused, and were never ended (counts).
        executions, cpu_seconds: what they used beside iterations (count, seconds).
    """

    done: int = 0
    refused: int = 0
    broken: int = 0
    executions: int = 0
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """An operation as recorded; `state` is `begun`, `done` or `refused`."""

    id: int
    kind: str
    iteration: int | None
    arguments: Mapping[str, Any]
    state: str
    answer: Mapping[str, Any] | None = field(repr=False)
    at: float


@contextmanager
def recorded(store: Store, kind: str, arguments: Mapping[str, Any]) -> Iterator[Operation]:
    """Records an operation before the block and its end after it, after an error as refused.

    One that a kill ended stays begun.
    """
    began = time.monotonic()
    with store.transaction() as db:
        cursor = db.execute(
            "INSERT INTO operations (kind, arguments, state, executions, cpu_seconds, at) "
            "VALUES (?, ?, 'begun', 0, 0, ?)",
            (kind, json.dumps(dict(arguments)), time.time()),
        )
    operation = Operation(cursor.lastrowid or 0)
    try:
        yield operation
    except Exception:
        operation.refused = True
        _end(store, operation, time.monotonic() - began)
        raise
    _end(store, operation, time.monotonic() - began)


def reserve(store: Store, operation: Operation, cpu_seconds: float) -> None:
    """Charges CPU seconds to an operation under way; its end replaces them, a kill leaves them."""
    with store.transaction() as db:
        db.execute("UPDATE operations SET cpu_seconds = ? WHERE id = ?", (cpu_seconds, operation.id))


def _end(store: Store, operation: Operation, seconds: float) -> None:
    """Records the end of an operation after so many wall seconds."""
    with store.transaction() as db:
        db.execute(
            "UPDATE operations SET state = ?, iteration = ?, answer = ?, executions = ?, cpu_seconds = ?, "
            "seconds = ? WHERE id = ?",
            (
                "refused" if operation.refused else "done",
                operation.iteration,
                None if operation.answer is None else json.dumps(dict(operation.answer)),
                operation.executions,
                operation.cpu_seconds,
                seconds,
                operation.id,
            ),
        )


def counts(reader: Reader) -> dict[str, Counts]:
    """Kind → counts of its operations; empty in a run without a workbench."""
    rows = reader.rows(
        "SELECT kind, sum(state = 'done') AS done, sum(state = 'refused') AS refused, "
        "sum(state = 'begun') AS broken, sum(executions) AS executions, sum(cpu_seconds) AS cpu "
        "FROM operations GROUP BY kind ORDER BY kind"
    )
    return {
        row["kind"]: Counts(row["done"], row["refused"], row["broken"], row["executions"], row["cpu"])
        for row in rows
    }


def operations(reader: Reader) -> list[Recorded]:
    """All operations in order.

    Raises:
        StoreError: what is stored of one is none.
    """
    rows = reader.rows("SELECT id, kind, iteration, arguments, state, answer, at FROM operations ORDER BY id")
    with reader.sound("operations"):
        return [
            Recorded(
                row["id"],
                row["kind"],
                row["iteration"],
                json.loads(row["arguments"]),
                row["state"],
                None if row["answer"] is None else json.loads(row["answer"]),
                row["at"],
            )
            for row in rows
        ]


LEDGER = "ledger"
"""Kind of the events that are notes of a workbench."""


def bench_notes(reader: Reader, *, all: bool = False) -> list[tuple[int, str]]:
    """Iterations that were asked for when a note was written (count), and its text; oldest first.

    What episodes left is not among them unless they are `all`: a resumed campaign learns it again.

    Raises:
        StoreError: what is stored as a note is none.
    """
    found = reader.events(LEDGER)
    with reader.sound("events, notes"):
        return [
            (int(event.data.get("asked", event.iteration)), str(event.data.get("text", "")))
            for event in found
            if all or not event.data.get("episode")
        ]
