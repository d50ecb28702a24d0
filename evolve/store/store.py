"""The writing side of a store: one transaction for each ask, outcome and call of a model."""

from __future__ import annotations

import json
import shlex
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from ...evaluators.base import Evaluation, Reference
from ...problems.base import Instance
from ..llm.base import Call, CallTurn, ModelError
from ..llm.ledger import LedgerEntry
from ..types import AddStatus, Candidate, Completion, Prompt, Rejection, RejectionReason
from .connection import open_writing
from .reader import TRAINED, Reader
from .rows import candidate_row, instance_row, read_completion, reference_row, score_row
from .schema import Key, StoreError


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Calls (count), tokens and US dollars over a campaign; dollars None when any price is unknown."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


class Store:
    """The one writer of a campaign's store. Safe to call from several threads.

    Every method is one transaction: after a kill at any moment it has happened or it has not.

    Attributes:
        folder: of the run.
        read: reads the same store.
    """

    def __init__(self, folder: Path) -> None:
        """Opens or makes the store of a run folder.

        Raises:
            StoreError: it is damaged or of a newer version.
        """
        self._db = open_writing(folder)
        self.folder = folder
        self._lock = threading.RLock()
        self._nested = False
        self._usage: ModelUsage | None = None
        self.read = Reader(self._db)
        self._numbers: dict[str, int] = {}
        self._told = self.read.value("SELECT coalesce(max(told), 0) FROM iterations")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One transaction; nested calls join it.

        Raises:
            StoreError: the disk is full or cannot be written; nothing of the transaction is kept.
        """
        with self._lock:
            if self._nested:
                yield self._db
                return
            self._nested = True
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except (sqlite3.OperationalError, sqlite3.DataError) as error:
                self._roll_back()
                raise StoreError(f"{self.folder}: {error}; {self._way_on()}") from error
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._nested = False

    def _way_on(self) -> str:
        """What is left after a failed write, and what to do."""
        if self.read.record("starts") is None:
            return "the search had not begun: make room, then start the run again"
        return (
            f"nothing told before is lost: make room, then `gapsmith resume {shlex.quote(str(self.folder))}`"
        )

    def changes_elsewhere(self) -> int:
        """A number that changes when another connection has written to the store, not when this one has."""
        return int(self.read.value("PRAGMA data_version"))

    def set(self, key: Key, value: Any) -> None:
        """Sets a value (JSON) of the run's own record."""
        with self.transaction() as db:
            db.execute("REPLACE INTO run VALUES (?, ?)", (key, json.dumps(value)))

    def put_instances(self, instances: Iterable[Instance], references: Mapping[str, Reference]) -> None:
        """Stores all instances with their references; ones that are there already stay."""
        with self.transaction() as db:
            for number, instance in enumerate(instances, start=1):
                db.execute(
                    "INSERT OR IGNORE INTO instances VALUES (?,?,?,?,?,?,?,?,?)",
                    instance_row(number, instance),
                )
                db.execute(
                    "INSERT OR IGNORE INTO instance_references VALUES (?,?,?,?,?,?,?,?,?)",
                    reference_row(number, references[instance.id]),
                )

    def asked(
        self,
        iteration: int,
        island: int,
        parents: Sequence[str],
        inspirations: Sequence[str],
        incumbent: str | None,
        prefix: int | None = None,
    ) -> None:
        """Records an ask.

        Args:
            iteration, island: its number and its island.
            parents, inspirations: ids.
            incumbent: id of the elite that the candidate will race.
            prefix: training instances in use (count); None without a pool.
        """
        texts = json.dumps(list(parents)), json.dumps(list(inspirations))
        with self.transaction() as db:
            db.execute(
                "INSERT INTO iterations (iteration, island, parents, inspirations, rival, prefix, asked_at) "
                "VALUES (?,?,?,?,?,?,?)",
                (iteration, island, *texts, incumbent, prefix, time.time()),
            )

    def admitted(self, iteration: int, outcome: Candidate | Rejection) -> None:
        """Records what a proposal became: a candidate or a rejection; a fault of ours is an event too.

        The excerpt of a reply says why it was rejected, or what the candidate changes and why.
        """
        with self.transaction() as db:
            if isinstance(outcome, Candidate):
                self._put_candidate(db, outcome)
            db.execute(
                "UPDATE iterations SET candidate = ?, rejection = ?, excerpt = ?, origin = ?, operator = ? "
                "WHERE iteration = ?",
                (
                    outcome.id if isinstance(outcome, Candidate) else None,
                    outcome.reason.value if isinstance(outcome, Rejection) else None,
                    outcome.excerpt if isinstance(outcome, Rejection) else outcome.idea or None,
                    outcome.origin.value,
                    outcome.operator,
                    iteration,
                ),
            )
            if isinstance(outcome, Rejection) and outcome.reason is RejectionReason.FAULT:
                self.event(iteration, "fault", {"operator": outcome.operator, "error": outcome.excerpt})

    def put_start(self, candidate: Candidate, evaluation: Evaluation, evaluator: str) -> None:
        """Stores a start program with its evaluation on the training split."""
        with self.transaction() as db:
            self._put_candidate(db, candidate)
            self.put_evaluation(candidate.id, evaluation, evaluator)

    def told(
        self, iteration: int, evaluation: Evaluation | None, evaluator: str, added: AddStatus | None
    ) -> None:
        """Records an outcome: the evaluation (None for a rejection) and what the archive did with it."""
        with self.transaction() as db:
            if evaluation is not None:
                candidate = db.execute(
                    "SELECT candidate FROM iterations WHERE iteration = ?", (iteration,)
                ).fetchone()[0]
                self.put_evaluation(candidate, evaluation, evaluator)
            self._told += 1
            db.execute(
                "UPDATE iterations SET told = ?, added = ?, told_at = ? WHERE iteration = ?",
                (self._told, None if added is None else int(added), time.time(), iteration),
            )

    def put_evaluation(self, program: str, evaluation: Evaluation, evaluator: str) -> None:
        """Stores an evaluation of a candidate (its id) or of a baseline (`baseline/NAME`)."""
        self._put_scores(program, evaluation.split, evaluation, 0, evaluator)

    def put_growth(self, program: str, prefix: int, whole: Evaluation, evaluator: str) -> None:
        """Stores what an elite did on the training instances that a longer prefix of the pool brought.

        Args:
            program: id of the candidate.
            prefix: its size (count).
            whole: the evaluation on it, or up to the instance on which the candidate failed.
            evaluator: see `told`.
        """
        with self.transaction() as db:
            stored = "SELECT sum(executions) FROM evaluations WHERE program = ? AND " + TRAINED
            before = db.execute(stored, (program,)).fetchone()[0]
            self._put_scores(program, f"train/{prefix}", whole, before, evaluator)

    def _put_scores(
        self, program: str, label: str, evaluation: Evaluation, first: int, evaluator: str
    ) -> None:
        """Stores the scores of an evaluation from number `first` on, with its status and fitness."""
        numbers = self._instance_numbers()
        scores = evaluation.scores[first:]
        with self.transaction() as db:
            cursor = db.execute(
                "INSERT INTO evaluations "
                "(program, split, status, fitness, executions, cpu_seconds, evaluator, at) "
                "VALUES (?,?,?,?,?,?,?,?)",
                (
                    program,
                    label,
                    evaluation.status.value,
                    evaluation.fitness,
                    len(scores),
                    sum(score.cpu_seconds for score in scores),
                    evaluator,
                    time.time(),
                ),
            )
            number = cursor.lastrowid or 0
            db.executemany(
                "INSERT INTO executions VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                [
                    score_row(number, position, numbers[score.instance], score)
                    for position, score in enumerate(scores, start=first)
                ],
            )
            if marks := list(dict.fromkeys(mark for score in scores for mark in score.marks)):
                self.event(self._told, "reached", {"candidate": program, "what": marks})

    def event(self, iteration: int, kind: str, data: Mapping[str, Any]) -> None:
        """Records an event."""
        with self.transaction() as db:
            db.execute(
                "INSERT INTO events (iteration, kind, data, at) VALUES (?,?,?,?)",
                (iteration, kind, json.dumps(dict(data)), time.time()),
            )

    def model_usage(self) -> ModelUsage:
        """Totals over all calls of models so far."""
        with self._lock:
            if self._usage is not None:
                return self._usage
            row = self._db.execute(
                "SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), sum(cost_usd), "
                "sum(text IS NOT NULL AND cost_usd IS NULL) FROM calls"
            ).fetchone()
            self._usage = ModelUsage(row[0], row[1], row[2], None if row[4] else row[3])
            return self._usage

    def called(self, reply: Completion | None = None) -> None:
        """Counts a call that was recorded, or the reply to one; without it the totals are added up anew."""
        now = self._usage
        if now is None:
            return
        if reply is None:
            self._usage = replace(now, calls=now.calls + 1)
        elif now.cost_usd is None and reply.cost_usd is not None:
            self._usage = None  # perhaps the first reply with a price
        else:
            cost = None if now.cost_usd is None or reply.cost_usd is None else now.cost_usd + reply.cost_usd
            tokens_in = now.tokens_in + (reply.tokens_in or 0)
            tokens_out = now.tokens_out + (reply.tokens_out or 0)
            self._usage = ModelUsage(now.calls, tokens_in, tokens_out, cost)

    def close(self, *, plain: bool = True) -> None:
        """Closes the store as a plain single file, readable in a folder that cannot be written.

        Args:
            plain: False for a store that others open again soon: a kill within the change of its form would
                leave a journal, which nobody trusts.
        """
        with self._lock:
            try:
                if plain:
                    self._db.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.OperationalError:
                pass  # a reader is open, or the disk is full: the WAL files stay and lose nothing
            finally:
                self._db.close()

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def _put_candidate(self, db: sqlite3.Connection, candidate: Candidate) -> None:
        db.execute("INSERT INTO candidates VALUES (?,?,?,?,?,?,?)", candidate_row(candidate))
        db.executemany(
            "INSERT INTO parents VALUES (?,?,?)",
            [(candidate.id, position, parent) for position, parent in enumerate(candidate.parents)],
        )

    def _instance_numbers(self) -> dict[str, int]:
        if not self._numbers:
            self._numbers = self.read.instance_numbers()
        return self._numbers


# Calls of models in the store: recorded before they are sent, replies before anything is done with them.

_REPLY = (
    "text = ?, answered_by = ?, tokens_in = ?, tokens_out = ?, tokens_cached = ?, tokens_reasoning = ?, "
    "cost_usd = ?, seconds = ?, finish_reason = ?"
)


class StoredCalls:
    """The `CallLog` of a campaign; each method is one transaction."""

    def __init__(self, store: Store) -> None:
        """Takes the campaign's store."""
        self._store = store

    def requested(self, call: Call) -> int:
        """Records an attempt that is about to be sent; returns its number."""
        request = call.request
        prompt = call.request.prompt
        with self._store.transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO prompts VALUES (?,?,?)", (prompt.digest, prompt.system, prompt.user)
            )
            cursor = db.execute(
                "INSERT INTO calls (iteration, round, attempt, operator, prompt, model, parameters, "
                "reserved_tokens, reserved_usd, state, at) VALUES (?,?,?,?,?,?,?,?,?,'requested',?)",
                (
                    request.iteration,
                    request.round,
                    call.attempt,
                    call.operator,
                    prompt.digest,
                    call.model,
                    json.dumps(dict(call.parameters)),
                    call.reserved_tokens,
                    None if call.reserved_usd is None else str(call.reserved_usd),
                    time.time(),
                ),
            )
            self._store.called()
            return int(cursor.lastrowid or 0)

    def replied(self, number: int, completion: Completion) -> None:
        """Records the reply, before anything is done with it."""
        with self._store.transaction() as db:
            db.execute(
                f"UPDATE calls SET state = 'replied', {_REPLY} WHERE id = ?", (*_reply(completion), number)
            )
            self._store.called(completion)

    def failed(self, number: int, error: ModelError) -> None:
        """Records that no usable reply came, with the useless one if there was one."""
        with self._store.transaction() as db:
            db.execute(
                "UPDATE calls SET state = 'failed', error_kind = ?, error = ?, unknown_outcome = ? "
                "WHERE id = ?",
                (error.kind.value, error.sentence, int(error.unknown_outcome), number),
            )
            if error.completion is not None:
                db.execute(f"UPDATE calls SET {_REPLY} WHERE id = ?", (*_reply(error.completion), number))
                self._store.called(error.completion)

    def reply(self, iteration: int, round: int, digest: str) -> Completion | None:
        """The usable reply that was recorded for this ask, round and prompt digest."""
        with self._store.transaction() as db:
            row = db.execute(
                "SELECT * FROM calls WHERE iteration = ? AND round = ? AND prompt = ? AND state = 'replied' "
                "ORDER BY id DESC",
                (iteration, round, digest),
            ).fetchone()
        return None if row is None else read_completion(row)

    def turns(self, first: int, last: int) -> list[CallTurn]:
        """Questions of the asks from `first` to `last` in order, each with its reply if one came."""
        with self._store.transaction() as db:
            rows = db.execute(
                "SELECT c.*, p.system, p.user FROM calls c JOIN prompts p ON p.digest = c.prompt WHERE "
                "c.iteration BETWEEN ? AND ? AND c.round > 0 AND c.id = (SELECT max(d.id) FROM calls d WHERE "
                "d.iteration = c.iteration AND d.round = c.round) ORDER BY c.iteration, c.round",
                (first, last),
            ).fetchall()
        return [
            CallTurn(
                row["iteration"],
                row["round"],
                row["model"],
                row["operator"],
                Prompt(row["system"], row["user"]),
                read_completion(row) if row["state"] == "replied" else None,
            )
            for row in rows
        ]

    def noted(self, sentence: str) -> None:
        """Records a note about a model, once."""
        with self._store.transaction() as db:
            known = "SELECT 1 FROM events WHERE kind = 'note' AND json_extract(data, '$.text') = ?"
            if db.execute(known, (sentence,)).fetchone() is None:
                self._store.event(0, "note", {"text": sentence})

    def entries(self) -> Iterable[LedgerEntry]:
        """All calls as the ledger sees them, in order."""
        for row in self._store.read.rows("SELECT * FROM calls ORDER BY id"):
            yield LedgerEntry(
                reserved_tokens=row["reserved_tokens"],
                reserved_usd=None if row["reserved_usd"] is None else Decimal(row["reserved_usd"]),
                settled=row["state"] != "requested" and not row["unknown_outcome"],
                replied=row["text"] is not None,
                tokens_in=row["tokens_in"],
                tokens_out=row["tokens_out"],
                cost_usd=None if row["cost_usd"] is None else Decimal(repr(row["cost_usd"])),
                tokens_cached=row["tokens_cached"],
                tokens_reasoning=row["tokens_reasoning"],
            )


def _reply(completion: Completion) -> tuple[object, ...]:
    return (
        completion.text,
        completion.model,
        completion.tokens_in,
        completion.tokens_out,
        completion.tokens_cached,
        completion.tokens_reasoning,
        completion.cost_usd,
        completion.seconds,
        completion.finish_reason,
    )
