"""Drafts: proposals that workers make and examine.

Parents are chosen and candidates admitted by the driver, in order. Between the two nothing depends on the
driver: parents' texts, records of operators and the key of a random stream give the same text in any process.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from ..admission import Admission
from ..executor import sheltered
from ..iteration import Iteration
from ..types import (
    Context,
    Elite,
    Proposal,
    Proposer,
    Rejection,
    stream,
)


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
