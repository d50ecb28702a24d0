"""Queries over a store, and what its rows must say of each other; nothing here writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...evaluators.base import Evaluation, Reference, decode_reference
from ...problems.base import Instance
from ..types import Candidate, Prompt
from .connection import MAX_RESULT_BYTES, READ_SECONDS, UNREADABLE, Clock, damaged, late, open_reading
from .rows import (
    IterationRow,
    read_candidate,
    read_evaluation,
    read_instance,
    read_iteration,
    read_score,
)
from .schema import Key, StoreError, read_value

BASELINE = "baseline/"
"""Prefix under which a baseline's evaluations are stored (`baseline/mdd`)."""
TRAINED = "(split = 'train' OR split > 'train/' AND split < 'train0')"
"""Rows of training: the evaluation that was told (`train`), and what a prefix of the pool of that size added
(`train/48`): its own executions, with the status and fitness on the whole prefix."""
_CHUNK = 256
"""Rows that are taken from SQLite at a time."""
_OF_VALUES = ("malformed JSON", "integer overflow")
"""Errors of a query that values of the file cause."""
_ROW_BYTES = 64
"""What a row counts beside its texts."""


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call of a model as recorded."""

    id: int
    iteration: int
    round: int
    attempt: int
    operator: str
    prompt: str
    model: str
    state: str
    text: str | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    seconds: float | None
    finish_reason: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """Something that happened to the campaign: a kind, its data, the iteration it belongs to."""

    iteration: int
    kind: str
    data: Mapping[str, Any]
    at: float


class Reader:
    """Reads a store. Instances and references are loaded once, everything else on demand."""

    def __init__(self, database: sqlite3.Connection, clock: Clock | None = None) -> None:
        """Takes an open connection; `Reader.open` makes one for a run folder, with a deadline."""
        database.row_factory = sqlite3.Row
        self._db = database
        self._clock = clock
        self._instances: dict[int, Instance] | None = None
        self._references: dict[int, Reference] | None = None

    @classmethod
    def open(cls, folder: Path, *, checked: bool = True, seconds: float = READ_SECONDS) -> Reader:
        """Opens the store of a run folder read-only.

        Args:
            folder: of the run.
            checked: whether to compare all rows with the schema first.
            seconds: wall time that the queries may take together.

        Raises:
            StoreError: it is missing, damaged or of a newer version.
        """
        clock = Clock(seconds)
        return cls(open_reading(folder, clock, checked=checked), clock)

    def close(self) -> None:
        """Closes the connection."""
        self._db.close()

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Copies the whole store, as it is now, into another database.

        Raises:
            StoreError: the file is damaged.
        """
        with self._readable():
            self._db.backup(target)

    def hide_unseen(self) -> None:
        """Lets all later queries find no evaluation on validation or test.

        A view of this connection alone lies before the table, so that no query is forgotten.
        """
        with self._readable():
            self._db.execute("PRAGMA query_only = OFF")  # the file itself was opened read-only
            self._db.execute(
                f"CREATE TEMP VIEW evaluations AS SELECT * FROM main.evaluations WHERE {TRAINED}"
            )
            self._db.execute("PRAGMA query_only = ON")

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Lets the queries of the block see one and the same state of the store."""
        with self._readable():
            self._db.execute("BEGIN")
        try:
            yield
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """All rows of a query.

        Raises:
            StoreError: the file is damaged, or the rows are more than any run holds.
        """
        if self._clock is None:
            with self._readable():
                return self._db.execute(query, values).fetchall()
        rows: list[sqlite3.Row] = []
        size = 0
        for chunk in self._chunks(query, values):
            size += sum(_ROW_BYTES + sum(len(v) for v in row if isinstance(v, str | bytes)) for row in chunk)
            if size > MAX_RESULT_BYTES:
                raise StoreError(
                    f"{self._path()}: more than {MAX_RESULT_BYTES >> 20} MiB in one result; "
                    "the file is damaged or no store of a run"
                )
            rows += chunk
        return rows

    def stream(self, query: str, values: Sequence[Any] = ()) -> Iterator[sqlite3.Row]:
        """Rows of a query one at a time, for results too large to hold."""
        for chunk in self._chunks(query, values):
            yield from chunk

    def value(self, query: str, values: Sequence[Any] = ()) -> Any:
        """First column of the first row, None if there is no row."""
        with self._readable():
            row = self._db.execute(query, values).fetchone()
        return None if row is None else row[0]

    def _chunks(self, query: str, values: Sequence[Any]) -> Iterator[list[sqlite3.Row]]:
        with self._readable():
            cursor = self._db.execute(query, values)
            chunk = cursor.fetchmany(_CHUNK)
        while chunk:
            yield chunk
            with self._readable():
                chunk = cursor.fetchmany(_CHUNK)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Tells damage of the file from errors of a query, which are bugs.

        Raises:
            StoreError: the file is damaged, or the reader's time is over.
        """
        try:
            with self._clock.running() if self._clock else nullcontext():
                yield
        except UNREADABLE as error:
            code = getattr(error, "sqlite_errorcode", None)  # None where a text is not UTF-8
            if isinstance(error, sqlite3.ProgrammingError):
                raise
            if code == sqlite3.SQLITE_ERROR and not str(error).startswith(_OF_VALUES):
                raise
            if code == sqlite3.SQLITE_INTERRUPT:
                if self._clock is None or not self._clock.over:
                    raise KeyboardInterrupt from error
                raise late(self._path()) from error
            raise damaged(self._path(), error) from error

    @contextmanager
    def sound(self, what: str) -> Iterator[None]:
        """Tells rows that make no object, which only damage leaves, from bugs.

        Raises:
            StoreError: a row is no such object, or names another row that is not there.
        """
        try:
            yield
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, ArithmeticError) as error:
            words = f"row {error} is missing" if isinstance(error, KeyError) else str(error)
            raise StoreError(f"{self._path()}: {what}: the record is damaged: {words[:200]}") from error

    def _path(self) -> Path:
        return Path(self._db.execute("PRAGMA database_list").fetchone()[2])

    def record(self, key: Key) -> Any:
        """A value of the run's own record (`config`, `versions`, `champion`, …); None if it was never set.

        Raises:
            StoreError: what is stored is none.
        """
        text = self.value("SELECT value FROM run WHERE key = ?", (key,))
        with self.sound(key):
            return None if text is None else read_value(key, text)

    def instances(self, split: str | None = None) -> dict[str, Instance]:
        """Id → instance, of one split or of all, in the order of execution.

        Raises:
            StoreError: what is stored of an instance or reference is none.
        """
        self._load()
        found = (self._instances or {}).values()
        return {i.id: i for i in found if split is None or i.split == split}

    def references(self) -> dict[str, Reference]:
        """Instance id → reference.

        Raises:
            StoreError: what is stored of an instance or reference is none.
        """
        self._load()
        instances = self._instances or {}
        references = self._references or {}
        with self.sound("references"):
            return {instances[number].id: reference for number, reference in references.items()}

    def instance_numbers(self) -> dict[str, int]:
        """Instance id → row number."""
        self._load()
        return {instance.id: number for number, instance in (self._instances or {}).items()}

    def candidate(self, id: str) -> Candidate | None:
        """A candidate by its whole id.

        Raises:
            StoreError: what is stored of it is none.
        """
        rows = self.rows(
            "SELECT c.*, i.excerpt AS idea FROM candidates c "
            "LEFT JOIN iterations i ON i.iteration = c.iteration AND i.candidate = c.id WHERE c.id = ?",
            (id,),
        )
        if not rows:
            return None
        parents = self.rows("SELECT parent FROM parents WHERE candidate = ? ORDER BY position", (id,))
        with self.sound(f"candidate {id}"):
            return read_candidate(rows[0], [p["parent"] for p in parents])

    def candidate_ids(self, prefix: str = "") -> list[str]:
        """Ids that start with a prefix, in the order in which they came; none with one that is no Unicode."""
        if not prefix.isascii():
            return []
        query = "SELECT id FROM candidates WHERE substr(id, 1, ?) = ? ORDER BY iteration, id"
        return [row["id"] for row in self.rows(query, (len(prefix), prefix))]

    def evaluation(self, program: str, split: str, prefix: int | None = None) -> Evaluation | None:
        """Evaluation of a candidate (id) or baseline (`baseline/NAME`) on a split, None if there is none.

        Args:
            program, split: of it.
            prefix: of the pool of training instances (count) beyond which nothing is read; by default all
                that the candidate was evaluated on.

        Raises:
            StoreError: what is stored contradicts itself, or executions of it are missing.
        """
        where, values = (TRAINED, (program,)) if split == "train" else ("split = ?", (program, split))
        rows = self.rows(f"SELECT * FROM evaluations WHERE program = ? AND {where} ORDER BY id", values)
        with self.sound(f"{program} on {split}"):
            rows = [row for row in rows if row["split"] == split or prefix is None or _size(row) <= prefix]
        if not rows:
            return None
        self._load()
        instances = self._instances or {}
        references = self._references or {}
        found = [
            execution
            for row in rows
            for execution in self.rows(
                "SELECT * FROM executions WHERE evaluation = ? ORDER BY position", (row["id"],)
            )
        ]
        with self.sound(f"{program} on {split}"):
            expected = sum(row["executions"] for row in rows)
            if len(found) != expected:  # a mean over what is left would be another figure
                raise ValueError(f"{len(found)} executions, expected {expected}")
            scores = [
                read_score(row, instances[row["instance"]].id, references[row["instance"]]) for row in found
            ]
            return read_evaluation(split, rows[-1], scores)

    def iterations(self) -> Iterator[IterationRow]:
        """All iterations in the order of asking.

        Raises:
            StoreError: what is stored of one is none.
        """
        for row in self.rows("SELECT * FROM iterations ORDER BY iteration"):
            yield self._iteration(row)

    def iteration(self, number: int) -> IterationRow | None:
        """One iteration, None if there is none of this number.

        Raises:
            StoreError: what is stored of it is none.
        """
        rows = self.rows("SELECT * FROM iterations WHERE iteration = ?", (number,))
        return self._iteration(rows[0]) if rows else None

    def baselines(self) -> list[str]:
        """Names of the baselines that were evaluated, in their order."""
        query = (
            "SELECT program FROM evaluations WHERE program LIKE 'baseline/%' "
            "GROUP BY program ORDER BY min(id)"
        )
        return [row["program"].removeprefix(BASELINE) for row in self.rows(query)]

    def best(self, split: str) -> list[tuple[str, float]]:
        """(candidate, fitness) of all complete evaluations on a split, best first.

        In training those on more instances of the pool come first: fitness is compared on one prefix alone.
        """
        where, values = (TRAINED, ()) if split == "train" else ("split = ?", (split,))
        query = (  # SQLite takes the fitness from the row with the largest id
            "SELECT program, fitness, sum(executions) AS size, max(id) AS latest FROM evaluations "
            f"WHERE {where} AND program NOT LIKE 'baseline/%' GROUP BY program HAVING fitness IS NOT NULL "
            "ORDER BY size DESC, fitness DESC, latest"
        )
        return [(row["program"], row["fitness"]) for row in self.rows(query, values)]

    def leader(self) -> str | None:
        """The candidate that is best in training; None without a complete evaluation."""
        if self.value("SELECT 1 FROM evaluations WHERE split > 'train/' AND split < 'train0' LIMIT 1"):
            return next((id for id, _ in self.best("train")), None)
        query = (
            "SELECT program FROM evaluations WHERE split = 'train' AND fitness IS NOT NULL "
            "AND program NOT LIKE 'baseline/%' ORDER BY fitness DESC, id LIMIT 1"
        )
        id: str | None = self.value(query)
        return id

    def grown(self, told: int) -> bool:
        """Whether it is recorded that the prefix of the pool grew after so many told iterations (count)."""
        query = "SELECT 1 FROM events WHERE kind = 'growth' AND iteration = ?"
        return self.value(query, (told,)) is not None

    def rejections(self) -> dict[str, int]:
        """Reason → count over told iterations."""
        query = (
            "SELECT rejection, count(*) AS n FROM iterations "
            "WHERE rejection IS NOT NULL AND told IS NOT NULL GROUP BY rejection ORDER BY n DESC, rejection"
        )
        return {row["rejection"]: row["n"] for row in self.rows(query)}

    def calls(self, iteration: int | None = None) -> list[CallRow]:
        """Calls of models, of one iteration or all, in order."""
        where = "" if iteration is None else "WHERE iteration = ?"
        rows = self.rows(
            f"SELECT * FROM calls {where} ORDER BY id", () if iteration is None else (iteration,)
        )
        names = CallRow.__dataclass_fields__
        return [CallRow(**{name: row[name] for name in names}) for row in rows]

    def prompt(self, digest: str) -> Prompt | None:
        """A prompt by its digest."""
        rows = self.rows("SELECT system, user FROM prompts WHERE digest = ?", (digest,))
        return Prompt(rows[0]["system"], rows[0]["user"]) if rows else None

    def events(self, kind: str | None = None) -> list[EventRow]:
        """Events of one kind or all, in order.

        Raises:
            StoreError: what is stored of one is none.
        """
        where = "" if kind is None else "WHERE kind = ?"
        rows = self.rows(f"SELECT * FROM events {where} ORDER BY id", () if kind is None else (kind,))
        with self.sound("events"):
            return [EventRow(r["iteration"], r["kind"], json.loads(r["data"]), r["at"]) for r in rows]

    def _iteration(self, row: sqlite3.Row) -> IterationRow:
        with self.sound(f"iteration {row['iteration']}"):
            return read_iteration(row)

    def _load(self) -> None:
        if self._instances is None:
            instances = self.rows("SELECT * FROM instances ORDER BY id")
            references = self.rows("SELECT * FROM instance_references ORDER BY instance")
            with self.sound("instances and references"):
                found = {row["id"]: read_instance(row) for row in instances}
                self._references = {row["instance"]: decode_reference(dict(row)) for row in references}
            self._instances = found


def _size(row: sqlite3.Row) -> int:
    """The prefix that a row of training belongs to (count), of one that was told 0."""
    return int(row["split"].partition("/")[2] or 0)


# What the rows of a store must say of each other.

_INFINITE = (
    "SELECT 1 FROM calls WHERE 9e999 IN (abs(seconds), abs(cost_usd), abs(at))",
    "SELECT 1 FROM iterations WHERE 9e999 IN (abs(asked_at), abs(told_at))",
    "SELECT 1 FROM evaluations WHERE 9e999 IN (abs(fitness), abs(cpu_seconds), abs(at))",
    "SELECT 1 FROM executions WHERE abs(cpu_seconds) = 9e999",
    "SELECT 1 FROM instance_references WHERE abs(seconds) = 9e999",
    "SELECT 1 FROM events WHERE abs(at) = 9e999",
)


def examine(reader: Reader) -> None:
    """Reads all rows of a store and what they say of each other.

    Raises:
        StoreError: a row is no object of a run, or contradicts another row.
    """
    for row in reader.rows("SELECT key FROM run"):
        reader.record(row["key"])
    reader.references()
    reader.events()
    with reader.sound("candidates"):
        _examine_candidates(reader)
        _examine_evaluations(reader)
        for call in reader.rows("SELECT parameters FROM calls"):
            json.loads(call["parameters"])
        for query in _INFINITE:
            if reader.rows(query):
                raise ValueError(f"a number is not finite in {query.split()[3]}")


def _examine_candidates(reader: Reader) -> None:
    iterations = {}
    for id in reader.candidate_ids():
        candidate = reader.candidate(id)
        if candidate is None:
            raise KeyError(id)
        iterations[id] = candidate.iteration
        for parent in candidate.parents:
            if iterations.get(parent, candidate.iteration) >= candidate.iteration:
                raise ValueError(f"candidate {id} is no younger than its parent {parent}")
    for step in reader.iterations():
        for id in (*step.parents, *step.inspirations, *filter(None, (step.incumbent, step.candidate))):
            _ = iterations[id]
    for id in (reader.record("start"), reader.record("champion"), *(reader.record("starts") or ())):
        _ = None if id is None else iterations[id]
    for event in reader.events():
        for id in (event.data.get("candidate"), *event.data.get("candidates", ())):
            _ = None if id is None else iterations[id]


def _examine_evaluations(reader: Reader) -> None:
    instances = reader.instances()
    for row in reader.rows("SELECT program, split FROM evaluations"):
        split = row["split"].partition("/")[0]
        evaluation = reader.evaluation(row["program"], split)
        for score in evaluation.scores if evaluation else ():
            if instances[score.instance].split != split:
                raise ValueError(f"{score.instance} is not an instance of the split {row['split'][:20]!r}")
