"""Calls of models in the store: recorded before they are sent, replies before anything is done with them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from decimal import Decimal

from ..base import Completion
from ..ledger import Entry
from ..models.base import Call, ModelError
from .records import read_completion
from .store import Store

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
        request, prompt = call.request, call.request.prompt
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

    def noted(self, sentence: str) -> None:
        """Records a note about a model, once."""
        with self._store.transaction() as db:
            known = "SELECT 1 FROM events WHERE kind = 'note' AND json_extract(data, '$.text') = ?"
            if db.execute(known, (sentence,)).fetchone() is None:
                self._store.event(0, "note", {"text": sentence})

    def entries(self) -> Iterable[Entry]:
        """All calls as the ledger sees them, in order."""
        for row in self._store.read.rows("SELECT * FROM calls ORDER BY id"):
            yield Entry(
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
