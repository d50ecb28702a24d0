"""The course of a recorded campaign: asks, outcomes, calls, clocked ends, and operations of a workbench."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .reader import BASELINE, TRAINED, Reader
from .store import Store

SHARES = "shares"
"""Kind of the events that say which iterations took a further program of an earlier one's reply."""


def steps(reader: Reader) -> Iterator[int]:
    """Numbers of iterations as they were opened, and minus their numbers as they were closed.

    Asks are numbered and tells ranked; their times say how the two interleave.
    """
    asks = reader.rows("SELECT iteration, asked_at FROM iterations ORDER BY iteration")
    asked = 0
    for tell in reader.rows("SELECT iteration, told_at FROM iterations WHERE told IS NOT NULL ORDER BY told"):
        while asked < len(asks) and (
            asks[asked]["asked_at"] <= tell["told_at"] or asks[asked]["iteration"] <= tell["iteration"]
        ):
            yield asks[asked]["iteration"]
            asked += 1
        yield -tell["iteration"]
    yield from (ask["iteration"] for ask in asks[asked:])


def last_completed(reader: Reader) -> int | None:
    """The largest number of an iteration that was told; None if none was."""
    number: int | None = reader.value("SELECT max(iteration) FROM iterations WHERE told IS NOT NULL")
    return number


def completed_rows(reader: Reader) -> list[sqlite3.Row]:
    """What each told iteration asked for and brought, in the order of telling."""
    columns = (
        "iteration, island, parents, inspirations, prefix, candidate, rejection, origin, operator, added"
    )
    return reader.rows(f"SELECT {columns} FROM iterations WHERE told IS NOT NULL ORDER BY told")


def additions(reader: Reader) -> list[sqlite3.Row]:
    """Rank of telling, island and candidate of each addition to the archive."""
    return reader.rows(
        "SELECT told, island, candidate FROM iterations WHERE added > 0 AND candidate IS NOT NULL"
    )


def judged(reader: Reader) -> list[tuple[str, str]]:
    """(candidate, split) of every evaluation beyond training."""
    rows = reader.rows(
        f"SELECT program, split FROM evaluations WHERE NOT {TRAINED} AND program NOT LIKE '{BASELINE}%'"
    )
    return [(row["program"], row["split"]) for row in rows]


def operators_by_iteration(reader: Reader) -> dict[int, str]:
    """Iteration → name of the operator that it was counted by."""
    rows = reader.rows("SELECT iteration, operator FROM iterations WHERE operator IS NOT NULL")
    return {row["iteration"]: row["operator"] for row in rows}


def written_notes(reader: Reader) -> dict[int, str]:
    """Iteration → the reply that is its page of notes, in the order of writing."""
    rows = reader.rows(
        "SELECT iteration, text FROM calls WHERE operator = 'notes' AND round = 0 AND state = 'replied' "
        "ORDER BY id"
    )
    return {row["iteration"]: row["text"] for row in rows}


def rejected_for(reader: Reader, reasons: Sequence[str]) -> frozenset[int]:
    """Iterations that were rejected for one of some reasons."""
    places = ", ".join("?" * len(reasons))
    rows = reader.rows(f"SELECT iteration FROM iterations WHERE rejection IN ({places})", tuple(reasons))
    return frozenset(row["iteration"] for row in rows)


def unused(reader: Reader, last: int) -> int:
    """Iterations whose episode was over before they got a program, up to the number `last` (count).

    The first iteration of an episode counts as one, whatever it brought.
    """
    rows = reader.rows(
        "SELECT count(*) AS many FROM iterations i WHERE rejection = 'episode_over' AND iteration <= ? "
        "AND EXISTS (SELECT 1 FROM events e WHERE e.iteration = i.iteration AND e.kind = ?)",
        (last, SHARES),
    )
    return int(rows[0]["many"])


def unfinished(reader: Reader) -> frozenset[int]:
    """Iterations with a candidate whose outcome was not told."""
    rows = reader.rows("SELECT iteration FROM iterations WHERE told IS NULL AND candidate IS NOT NULL")
    return frozenset(row["iteration"] for row in rows)


def deciding_calls(reader: Reader, useless: Sequence[str]) -> list[sqlite3.Row]:
    """Calls that decided a question: its reply, or else its last failure of the kinds `useless`."""
    return reader.rows(
        "SELECT *, (SELECT i.operator FROM iterations i WHERE i.iteration = c.iteration) AS named "
        "FROM calls c WHERE state = 'replied' OR id = (SELECT max(id) FROM calls d WHERE "
        "d.iteration = c.iteration AND d.round = c.round AND d.prompt = c.prompt AND d.state <> 'requested') "
        f"AND error_kind IN ({', '.join('?' * len(useless))}) ORDER BY id",
        tuple(useless),
    )


def execution_seconds(reader: Reader) -> list[sqlite3.Row]:
    """Executions of candidates: program, name of the instance, CPU seconds."""
    return reader.rows(
        "SELECT e.program, i.name, x.cpu_seconds FROM executions x JOIN evaluations e ON e.id = x.evaluation "
        f"JOIN instances i ON i.id = x.instance WHERE e.program NOT LIKE '{BASELINE}%'"
    )


def ended_by_a_clock(reader: Reader, late: str) -> list[sqlite3.Row]:
    """Executions of candidates with status `timeout` or a message that begins with `late`.

    Each row: program, name of the instance, status, CPU seconds, message.
    """
    return reader.rows(
        "SELECT e.program, i.name, x.status, x.cpu_seconds, x.message FROM executions x JOIN evaluations e "
        "ON e.id = x.evaluation JOIN instances i ON i.id = x.instance "
        "WHERE (x.status = 'timeout' OR substr(x.message, 1, length(?1)) = ?1) "
        f"AND e.program NOT LIKE '{BASELINE}%'",
        (late,),
    )


def first_of_reply(reader: Reader, iteration: int) -> int:
    """The iteration that asked for the reply of an iteration: itself, or an earlier one."""
    with reader.sound("events"):
        firsts = (int(e.data["first"]) for e in reader.events(SHARES) if e.iteration == iteration)
        return next(firsts, iteration)


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
