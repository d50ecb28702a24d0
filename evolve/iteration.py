"""An iteration, from its ask to its outcome, and the parts of a search that learn from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from ..evaluators.base import Evaluation, Race
from .types import AddStatus, Candidate, Context, Elite, Event, Failed, Outcome, Proposal, Rejection

_T = TypeVar("_T")


@dataclass(slots=True)
class Iteration:
    """One iteration: how it was opened, then what came of it.

    Attributes:
        number: 1-based.
        island: index of the island that it belongs to.
        parents: id of the first parent.
        elites: the first parent and the inspirations; empty if the record holds the outcome.
        incumbent: id of the elite that its candidate races, None if there is no race.
        race: as asked for; None without a race, or if the record holds the outcome of the race.
        tuned: whether the iteration is a point of tuning.
        offline: whether the iteration belongs to the offline proposer that works beside models.
        point: the tuner's or a submitter's proposal; None if a proposer is asked.
        context: what the proposer may know; None if no proposer is asked.
        programs: number of iterations of the episode; 1 for a single question.
        program: number of this iteration's program in the reply, 1-based.
        submitted: whether somebody outside the search brought the program.
        shown: ids of the first parent and of the elites beside it.
        failed: a failure of the island that the proposer may repair; None if there is none.
        text: the proposer's text, or the wait for it; None if `made` is in the record.
        made: what became of the text; None before it was admitted.
        evaluation: in training; None before it was started, and for a rejection.
        recorded: whether the outcome is in the record.
    """

    number: int
    island: int
    parents: tuple[str, ...]
    elites: tuple[Elite, ...] = ()
    incumbent: str | None = None
    race: Race | None = None
    tuned: bool = False
    offline: bool = False
    point: Proposal | Rejection | None = None
    context: Context | None = None
    programs: int = 1
    program: int = 1
    submitted: bool = False
    shown: tuple[str, ...] = ()
    failed: Failed | None = None
    text: Future[Proposal | Rejection] | None = None
    made: Candidate | Rejection | None = None
    evaluation: Future[Evaluation] | None = None
    recorded: bool = False

    @property
    def of_model(self) -> bool:
        """Whether the campaign's own proposer is asked: not the tuner, a helper or a submitter."""
        return not (self.tuned or self.offline or self.submitted)

    @property
    def asks(self) -> bool:
        """Whether the campaign's own proposer is asked a new question: the iteration continues no episode."""
        return self.of_model and self.program == 1

    @property
    def first(self) -> int:
        """Number of the episode's first iteration; its own number without an episode."""
        return self.number - self.program + 1

    @property
    def inspirations(self) -> list[str]:
        """Ids of the elites beside the first parent."""
        return [elite.candidate.id for elite in self.elites[1:]]

    @property
    def awaited(self) -> Future[Any] | None:
        """The future that the loop waits for; None if it waits for none."""
        return self.text if self.made is None else self.evaluation

    @property
    def finished(self) -> bool:
        """Whether the iteration can be closed."""
        if isinstance(self.made, Candidate):
            return self.evaluation is not None and self.evaluation.done()
        return self.made is not None


def done(value: _T) -> Future[_T]:
    """A future that has its result already."""
    future: Future[_T] = Future()
    future.set_result(value)
    return future


def awaited(iterations: Iterable[Iteration], *, in_turn: bool) -> Iterator[Future[Any]]:
    """What the loop can go on with: told in turn, the oldest evaluation and the oldest text."""
    texts = 0
    for number, iteration in enumerate(iterations):
        texts += iteration.made is None
        future = iteration.awaited
        if future is not None and (not in_turn or number == 0 or (iteration.made is None and texts == 1)):
            yield future


@dataclass(slots=True)
class IterationResult:
    """What an outcome is and what it changed; parts add what they find.

    Attributes:
        outcome: how the iteration ended.
        added: what the archive did with the candidate; None if there was no candidate.
        duplicate: id of an earlier candidate with the same answers, None if there is none.
        improved: whether there is a new best.
        gained: whether the operator brought a gain; None if the outcome says nothing of it.
        events: what else happened, in order.
        notes: sentences for the person who watches.
        validate: a candidate to validate now; None if there is none.
    """

    outcome: Outcome
    added: AddStatus | None = None
    duplicate: str | None = None
    improved: bool = False
    gained: bool | None = None
    events: list[Event] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    validate: Candidate | None = None


class Part:
    """A part of a search: it learns from iterations, and tells proposers; by default it does neither.

    A part is a pure function of the calls in their order, so that a resumed campaign has the same parts.

    Attributes:
        for_models: whether models alone read what it tells, not the offline proposer beside them.
    """

    for_models: ClassVar[bool] = False

    def ask(self, iteration: Iteration) -> None:
        """Learns that an iteration is opened; may say what it is to repair."""

    def brief(self, number: int, parent: Elite, context: Context) -> Context:
        """The context of an ask (1-based number) about a parent, with what this part knows."""
        return context

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Learns what an iteration ended with, after the archive; may add events and notes to the result."""

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """Learns that the archive holds its elites by evaluations on more instances (by candidate)."""


Point = tuple[Elite, Proposal | Rejection]
"""A point of tuning: the elite whose numbers it changes, and its text."""


# Opens the iterations of an episode together: each takes one evaluated program of the conversation.


class Sharing:
    """Counts the iterations of episodes; depends only on the asks in their order.

    An ask of a model opens all iterations of its episode, one after the other, before anything else is asked
    for. An ask that mends a program that crashed is a single question.

    Attributes:
        programs: iterations of an episode (at least 1; 1 for single questions).
        before: the iteration before, if its episode goes on in the next one.
        joined: iterations that continued an episode (count).
    """

    def __init__(self, programs: int) -> None:
        """Starts without asks."""
        self.programs = programs
        self.before: Iteration | None = None
        self.joined = 0

    def wanted(self, failed: Failed | None) -> int:
        """Number of programs that an ask is for, given the failure that it is to mend."""
        return 1 if failed is not None and failed.crashed else self.programs

    def open(self, ask: Iteration) -> Iteration:
        """Notes an ask that was opened, and returns it."""
        self.joined += ask.program > 1
        self.before = ask if ask.of_model and ask.program < ask.programs else None
        return ask
