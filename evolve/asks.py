"""An iteration as the search opens it, and the changes that its outcome brought."""

from __future__ import annotations

from dataclasses import dataclass

from .base import AddStatus, Candidate, Context, Elite, Event, Proposal, Rejection
from .racing import Racing


@dataclass(frozen=True, slots=True)
class Ask:
    """One iteration as it was opened.

    Attributes:
        number: 1-based.
        island: index of the island that it belongs to.
        parents: id of the first parent.
        elites: the first parent and the inspirations; empty if the record holds the outcome.
        rival: id of the elite that its candidate races, None if there is no race.
        race: None without a race, or if the record holds the outcome of the race.
        tuned: whether the iteration is a point of tuning.
        offline: whether the iteration belongs to the offline proposer that works beside models.
        point: the tuner's or a submitter's proposal; None if a proposer is asked.
        context: what the proposer may know; None if no proposer is asked.
        programs: number of programs that the reply is to hold; as many iterations share the reply.
        program: number of this iteration's program in the reply, 1-based.
        submitted: whether somebody outside the search brought the program.
    """

    number: int
    island: int
    parents: tuple[str, ...]
    elites: tuple[Elite, ...] = ()
    rival: str | None = None
    race: Racing | None = None
    tuned: bool = False
    offline: bool = False
    point: Proposal | Rejection | None = None
    context: Context | None = None
    programs: int = 1
    program: int = 1
    submitted: bool = False

    @property
    def of_model(self) -> bool:
        """Whether a model is asked, and nobody else: not the tuner, the offline proposer or a submitter."""
        return not (self.tuned or self.offline or self.submitted)

    @property
    def first(self) -> int:
        """Number of the first iteration of those that share the reply; the iteration's own number if none
        does.
        """
        return self.number - self.program + 1

    @property
    def shown(self) -> list[str]:
        """Ids of the first parent and of the elites beside it."""
        return [*self.parents, *self.inspirations]

    @property
    def inspirations(self) -> list[str]:
        """Ids of the elites beside the first parent."""
        return [elite.candidate.id for elite in self.elites[1:]]


@dataclass(frozen=True, slots=True)
class Told:
    """What an outcome changed.

    Attributes:
        added: what the archive did with the candidate; None if there was no candidate.
        events: what else happened, in order.
        validate: a candidate to validate now; None if there is none.
    """

    added: AddStatus | None
    events: tuple[Event, ...]
    validate: Candidate | None


Point = tuple[Elite, Proposal | Rejection]
"""A point of tuning: the elite whose numbers it changes, and its text."""
