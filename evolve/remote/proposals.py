"""Drafts: proposals that workers make and examine; their inputs and results as JSON mappings.

Parents are chosen and candidates admitted by the driver, in order. Between the two nothing depends on the
driver: parents' texts, records of operators and the key of a random stream give the same text in any process.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from ...sandbox.base import MAX_SOURCE_BYTES, Description
from ...sandbox.unseen import clean, find_unseen
from ..admission import ID_CHARACTERS, Admission
from ..executor import sheltered
from ..iteration import Iteration
from ..store.rows import decode_description, encode_description
from ..types import (
    Context,
    Elite,
    Examination,
    Origin,
    Proposal,
    Proposer,
    Rejection,
    RejectionReason,
    stream,
)
from .codec import MAYBE, TEXT, LineError, columns, reading, texts_by_path, typed

_MOST_CHARACTERS = 1000
"""Longest name of an operator, or excerpt of a rejected text."""
_MOST_COUNT = MAX_SOURCE_BYTES
"""Of lines, columns, levels, nodes or names of a text: each takes a byte."""
_MOST_DESCRIBED = 64 * MAX_SOURCE_BYTES
"""Longest description (characters); one of 20,000 nodes has a third of that."""
_ID = re.compile(f"[0-9a-f]{{{ID_CHARACTERS}}}")


@dataclass(frozen=True, slots=True)
class Material:
    """What a proposer needs of an ask.

    Attributes:
        files: of the first parent.
        donor: text of the second parent's main file, None when there is no second parent.
        operators: operator → (tries, gains) so far, counts.
        numpy: whether a candidate may import it.
        effort: moves of a new phase of local search, as a share of the usual ones (ratio, > 0).
        types: of the entry point's parameters: rows of function, parameter, type.
    """

    files: Mapping[str, str]
    donor: str | None = None
    operators: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    numpy: bool = False
    effort: float = 1.0
    types: tuple[tuple[str, str, str], ...] = ()


@runtime_checkable
class RemoteProposer(Protocol):
    """A proposer whose proposals any process can make."""

    def material(self, parents: Sequence[Elite], context: Context) -> Material:
        """The inputs of a proposal, beside the problem and the random stream."""

    def make(self, material: Material, problem: Any, rng: random.Random) -> Proposal | Rejection:
        """The proposal; `propose` makes the same one of the parents and the context."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal to make and examine.

    Attributes:
        source: what it is made of, or a text that is only examined.
        seed, iteration: of the campaign and the ask: key of the random stream.
        plain: see `Admission`.
    """

    source: Material | Proposal
    seed: int
    iteration: int
    plain: bool = False


def draft_of(ask: Iteration, proposer: Proposer, seed: int, plain: bool) -> Draft | Rejection:
    """The draft of an ask, or the rejection that stands in place of a point of tuning."""
    source = ask.point
    if isinstance(source, Rejection):
        return source
    if source is None:
        if ask.context is None or not isinstance(proposer, RemoteProposer):
            raise AssertionError(f"iteration {ask.number}: no worker can make its proposal")
        return Draft(proposer.material(ask.elites, ask.context), seed, ask.number, plain)
    return Draft(source, seed, ask.number, plain)


@runtime_checkable
class Drafter(Protocol):
    """Makes drafts in other processes."""

    def draft(self, draft: Draft) -> Future[Proposal | Rejection]:
        """Queues a draft; the result is an examined proposal or a rejection."""


def drafted(
    draft: Draft, proposer: RemoteProposer, problem: Any, admission: Admission
) -> Proposal | Rejection:
    """Makes and examines the proposal of a draft."""
    source = draft.source
    if isinstance(source, Proposal):
        text: Proposal | Rejection = source
    else:
        rng = stream(draft.seed, "propose", draft.iteration)
        text = sheltered(lambda: proposer.make(source, problem, rng))
    admission = replace(admission, plain=draft.plain)
    return admission.examined(text) if isinstance(text, Proposal) else text


def encode_draft(draft: Draft) -> dict[str, Any]:
    """A draft as a JSON mapping."""
    source = draft.source
    key = [draft.seed, draft.iteration, draft.plain]
    if isinstance(source, Proposal):
        return {"key": key, "files": dict(source.files), "made": [source.origin.value, source.operator]}
    operators = {name: list(counts) for name, counts in source.operators.items()}
    return {
        "key": key,
        "files": dict(source.files),
        "donor": source.donor,
        "operators": operators,
        "numpy": source.numpy,
        "effort": source.effort,
        "types": [list(row) for row in source.types],
    }


def decode_draft(document: Mapping[str, Any]) -> Draft:
    """The draft that `encode_draft` wrote.

    Raises:
        LineError: the mapping holds no draft.
    """
    with reading("draft"):
        seed, iteration, plain = columns(document["key"], ((int,), (int,), (bool,)), "key")
        files = texts_by_path(document)
        if "made" in document:
            origin, operator = columns(document["made"], (TEXT, TEXT), "made")
            return Draft(Proposal(files, Origin(origin), operator), seed, iteration, plain)
        (donor,) = columns([document["donor"]], (MAYBE,), "donor")
        rows = typed(document, "operators", dict)
        operators = {name: tuple(columns(row, ((int,), (int,)), "operators")) for name, row in rows.items()}
        numpy = typed(document, "numpy", bool)
        effort = typed(document, "effort", float)
        types = tuple(tuple(columns(row, (TEXT,) * 3, "types")) for row in typed(document, "types", list))
        material = Material(files, donor, operators, numpy, effort, types)
        return Draft(material, seed, iteration, plain)
    raise AssertionError


def confirm_drafted(draft: Draft, made: Proposal | Rejection) -> None:
    """Checks what another process made of a draft: a text that it was given stays as it is, ids are ids.

    Raises:
        LineError: it cannot be the result of this draft.
    """
    source = draft.source
    given = source if isinstance(source, Proposal) else None
    if given is not None and (made.origin, made.operator) != (given.origin, given.operator):
        raise LineError(f"draft: {made.origin} by {made.operator!r:.60}, expected {given.origin}")
    texts = [made.operator, made.excerpt] if isinstance(made, Rejection) else [made.operator]
    if any(len(text) > _MOST_CHARACTERS or clean(text) != text for text in texts):
        raise LineError("draft: a long text, or one with characters that nobody sees")
    if isinstance(made, Rejection):
        return
    assert made.examined is not None
    if set(made.files) != set(source.files) or (given and dict(made.files) != dict(given.files)):
        raise LineError(f"draft: files {', '.join(made.files)!r:.60}, expected those that were sent")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in made.files.values())
    if size > MAX_SOURCE_BYTES or any(map(find_unseen, made.files.values())):
        raise LineError("draft: a text that is too large, or with characters that nobody sees")
    _confirm_identity(made.examined, len(made.files) == 1 and not draft.plain)
    _confirm_description(made.examined.description)


def _confirm_identity(examined: Examination, single: bool) -> None:
    id = examined.id
    digest = examined.description.token_digest or ""
    if not _ID.fullmatch(id) or (single and not digest.startswith(id)):
        raise LineError(f"draft: id {id!r:.60}, expected {ID_CHARACTERS} digits of the digest")


def _confirm_description(description: Description) -> None:
    """Refuses counts and texts that no text within the caps has; what they say of the text is believed."""
    text = encode_description(description)
    if len(text) > _MOST_DESCRIBED:
        raise LineError(f"draft: description of {len(text)} characters")
    left: list[Any] = [json.loads(text)]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += value
        elif isinstance(value, dict):
            left += [*value, *value.values()]
        elif isinstance(value, str):
            if len(value) > MAX_SOURCE_BYTES or clean(value) != value:
                raise LineError(f"draft: description with {value!r:.60}")
        elif value is not None and not 0 <= value <= _MOST_COUNT:
            raise LineError(f"draft: description with a count of {value!s:.60}")


def encode_drafted(made: Proposal | Rejection) -> dict[str, Any]:
    """The result of a draft as a JSON mapping."""
    if isinstance(made, Rejection):
        return {"rejected": [made.reason.value, made.excerpt, made.origin.value, made.operator]}
    if made.examined is None:
        raise AssertionError("a proposal is examined before it is sent")
    return {
        "files": dict(made.files),
        "made": [made.origin.value, made.operator],
        "id": made.examined.id,
        "description": encode_description(made.examined.description),
    }


def decode_drafted(document: Mapping[str, Any]) -> Proposal | Rejection:
    """The result that `encode_drafted` wrote.

    Raises:
        LineError: the mapping holds no such result.
    """
    with reading("draft"):
        if "rejected" in document:
            reason, excerpt, origin, operator = columns(document["rejected"], (TEXT,) * 4, "rejected")
            return Rejection(RejectionReason(reason), excerpt, Origin(origin), operator)
        origin, operator = columns(document["made"], (TEXT, TEXT), "made")
        described = typed(document, "description", str)
        _check_description(json.loads(described))
        examined = Examination(typed(document, "id", str), decode_description(described))
        return Proposal(texts_by_path(document), Origin(origin), operator, examined=examined)
    raise AssertionError


_DESCRIBED = {
    "entry_point": (bool,),
    "token_digest": TEXT,
    "shape_digest": MAYBE,
    "nodes": (int,),
    "depth": (int,),
}
_ROWS = {"constants": (int, int, int, str), "statements": (int, int, str, int)}


def _check_description(document: Mapping[str, Any]) -> None:
    """Refuses values of other types than a description has."""
    columns([document[name] for name in _DESCRIBED], tuple(_DESCRIBED.values()), "description")
    for name, kinds in _ROWS.items():
        if not {tuple(map(type, row)) for row in typed(document, name, list)} <= {kinds}:
            raise LineError(f"{name}: expected rows of {len(kinds)} columns of other types")
    counts = typed(document, "descriptors", dict)
    names = [*typed(document, "imports", list), *document.get("internals", ())]
    if not {*map(type, names)} <= {str} or not {*map(type, counts.values())} <= {int}:
        raise LineError("descriptors or names: expected counts and texts")
