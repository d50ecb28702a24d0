"""Objects of the loop as rows of the store, and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...evaluators.base import (
    Evaluation,
    EvaluationStatus,
    Reference,
    Score,
    ScoreStatus,
    checked_metrics,
    encode_reference,
)
from ...problems.base import Instance, Number, decode_number, encode_number
from ...sandbox.base import MAX_SOURCE_BYTES, Constant, Description, Statement
from ..types import AddStatus, Candidate, Completion, Origin, Rejection, RejectionReason

_MOST_CHARACTERS = 1000
"""Longest name of an operator."""


@dataclass(frozen=True, slots=True)
class IterationRow:
    """One iteration as recorded: what was asked, the outcome, and its place in the order of telling.

    `prefix` is the number of training instances in use at the ask; None in runs without a pool.
    """

    number: int
    island: int
    parents: tuple[str, ...]
    inspirations: tuple[str, ...]
    incumbent: str | None
    candidate: str | None
    rejection: Rejection | None
    told: int | None
    added: AddStatus | None
    prefix: int | None


def optional(number: Number | None) -> str | None:
    """Text of a number, None of None."""
    return None if number is None else encode_number(number)


def instance_row(number: int, instance: Instance) -> tuple[Any, ...]:
    """Row of `instances`."""
    hidden = None if instance.hidden is None else json.dumps(dict(instance.hidden))
    return (
        number,
        instance.id,
        instance.split,
        instance.stratum,
        instance.digest,
        json.dumps(dict(instance.public)),
        hidden,
        encode_number(instance.scale),
        instance.source,
    )


def read_instance(row: sqlite3.Row) -> Instance:
    """The instance of a row of `instances`."""
    scale = decode_number(row["scale"])
    return Instance(
        id=row["name"],
        split=row["split"],
        stratum=row["stratum"],
        public=json.loads(row["public"]),
        scale=scale if isinstance(scale, int) else Fraction(scale),
        source=row["source"],
        hidden=None if row["hidden"] is None else json.loads(row["hidden"]),
    )


def reference_row(number: int, reference: Reference) -> tuple[Any, ...]:
    """Row of `instance_references`."""
    return (number, *encode_reference(reference).values())


def candidate_row(candidate: Candidate) -> tuple[Any, ...]:
    """Row of `candidates`."""
    return (
        candidate.id,
        candidate.iteration,
        candidate.island,
        candidate.origin.value,
        candidate.operator,
        json.dumps(dict(candidate.files)),
        encode_description(candidate.description),
    )


def read_candidate(row: sqlite3.Row, parents: Iterable[str]) -> Candidate:
    """The candidate of a row of `candidates`.

    Raises:
        ValueError: its files are no texts by name, or they, its operator or its description are not a run's.
    """
    files = json.loads(row["files"])
    if not isinstance(files, dict) or not files or not all(isinstance(t, str) for t in files.values()):
        raise ValueError(f"candidate {row['id']}: files: {row['files'][:60]!r}, expected texts by name")
    if sum(len(text.encode(errors="surrogatepass")) for text in files.values()) > MAX_SOURCE_BYTES:
        raise ValueError(f"candidate {row['id']}: files of more than {MAX_SOURCE_BYTES} bytes")
    if len(row["operator"]) > _MOST_CHARACTERS:  # a terminal takes minutes to break such a word into lines
        raise ValueError(f"candidate {row['id']}: operator of more than {_MOST_CHARACTERS} characters")
    return Candidate(
        id=row["id"],
        files=files,
        parents=tuple(parents),
        origin=Origin(row["origin"]),
        operator=row["operator"],
        island=row["island"],
        iteration=row["iteration"],
        description=decode_description(row["description"]),
        idea=row["idea"] or "",
    )


def encode_description(description: Description) -> str:
    """JSON text of what the describe job found; statements and constants as plain rows."""
    document = {
        "entry_point": description.entry_point,
        "token_digest": description.token_digest,
        "shape_digest": description.shape_digest,
        "imports": description.imports,
        "nodes": description.nodes,
        "depth": description.depth,
        "descriptors": dict(description.descriptors),
        "constants": [[c.line, c.column, c.end_column, c.text] for c in description.constants],
        "statements": [[s.line, s.end_line, s.kind, s.depth] for s in description.statements],
        **({"internals": description.internals} if description.internals else {}),
    }
    return json.dumps(document, separators=(",", ":"))


def decode_description(text: str) -> Description:
    """The description that `encode_description` wrote."""
    document = json.loads(text)
    return Description(
        entry_point=document["entry_point"],
        token_digest=document["token_digest"],
        shape_digest=document.get("shape_digest"),  # unknown in runs of schema version 1
        imports=tuple(document["imports"]),
        nodes=document["nodes"],
        depth=document["depth"],
        descriptors=document["descriptors"],
        constants=tuple(Constant(*row) for row in document["constants"]),
        statements=tuple(Statement(*row) for row in document["statements"]),
        internals=tuple(document.get("internals", ())),
    )


def score_row(evaluation: int, position: int, instance: int, score: Score) -> tuple[Any, ...]:
    """Row of `executions`."""
    return (
        evaluation,
        position,
        instance,
        score.status.value,
        optional(score.objective),
        optional(score.excess),
        optional(score.gap),
        score.cpu_seconds,
        None if score.answer_digest is None else bytes.fromhex(score.answer_digest),
        score.message,
        None if score.metrics is None else json.dumps(dict(score.metrics)),
    )


def read_score(row: sqlite3.Row, instance: str, reference: Reference) -> Score:
    """The score of a row of `executions`."""
    gap = None if row["gap"] is None else decode_number(row["gap"])
    return Score(
        instance=instance,
        status=ScoreStatus(row["status"]),
        objective=None if row["objective"] is None else decode_number(row["objective"]),
        reference=reference.value,
        reference_kind=reference.kind,
        gap=Fraction(gap) if isinstance(gap, int) else gap,
        excess=None if row["excess"] is None else decode_number(row["excess"]),
        cpu_seconds=row["cpu_seconds"],
        answer_digest=None if row["answer"] is None else row["answer"].hex(),
        message=row["message"],
        metrics=None if row["metrics"] is None else checked_metrics(json.loads(row["metrics"])),
    )


def read_evaluation(split: str, row: sqlite3.Row, scores: Iterable[Score]) -> Evaluation:
    """The evaluation on a split of a row of `evaluations`."""
    return Evaluation(split, tuple(scores), EvaluationStatus(row["status"]), row["fitness"])


def read_completion(row: sqlite3.Row) -> Completion:
    """The reply of a row of `calls` that has one."""
    return Completion(
        text=row["text"],
        model=row["answered_by"],
        tokens_in=row["tokens_in"],
        tokens_out=row["tokens_out"],
        tokens_cached=row["tokens_cached"],
        tokens_reasoning=row["tokens_reasoning"],
        cost_usd=row["cost_usd"],
        seconds=row["seconds"],
        finish_reason=row["finish_reason"],
    )


def read_iteration(row: sqlite3.Row) -> IterationRow:
    """The iteration of a row of `iterations`."""
    rejection = None
    if row["rejection"] is not None:
        rejection = Rejection(
            RejectionReason(row["rejection"]), row["excerpt"] or "", Origin(row["origin"]), row["operator"]
        )
    return IterationRow(
        number=row["iteration"],
        island=row["island"],
        parents=tuple(json.loads(row["parents"])),
        inspirations=tuple(json.loads(row["inspirations"])),
        incumbent=row["rival"],
        candidate=row["candidate"],
        rejection=rejection,
        told=row["told"],
        added=None if row["added"] is None else AddStatus(row["added"]),
        prefix=row["prefix"],
    )
