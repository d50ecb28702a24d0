"""An iteration: as the search opens it, under way, when it waits, what it shares, what it changed."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

from ..evaluators.base import Evaluation
from .history import crashed
from .racing import Racing, outcome_of, race_for
from .types import AddStatus, Candidate, Context, Elite, Event, Failed, Outcome, Proposal, Refused, Rejection


@dataclass(frozen=True, slots=True)
class Ask:
    """One iteration as it was opened.

    Attributes:
        number: 1-based.
        island: index of the island that it belongs to.
        parents: id of the first parent.
        elites: the first parent and the inspirations; empty if the record holds the outcome.
        incumbent: id of the elite that its candidate races, None if there is no race.
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
    incumbent: str | None = None
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


# The state of an iteration under way: results so far, and the result that the loop waits for.

_T = TypeVar("_T")


@dataclass(slots=True)
class InFlight:
    """An iteration under way, with its results so far.

    Attributes:
        ask: how it was opened.
        text: the proposer's text, or the wait for it; None if `made` is in the record.
        made: what became of the text; None before it was admitted.
        evaluation: in training; None before it was started, and for a rejection.
        recorded: whether the outcome is in the record.
        since: when the proposer was asked, then when the evaluation began (seconds).
    """

    ask: Ask
    text: Future[Proposal | Rejection] | None = None
    made: Candidate | Rejection | None = None
    evaluation: Future[Evaluation] | None = None
    recorded: bool = False
    since: float = 0.0

    @property
    def awaited(self) -> Future[Any] | None:
        """The future that the loop waits for; None if it waits for none."""
        return self.text if self.made is None else self.evaluation

    @property
    def race(self) -> Racing | None:
        """The race of the candidate; None if there is none."""
        return race_for(self.ask.race, self.made) if isinstance(self.made, Candidate) else None

    @property
    def finished(self) -> bool:
        """Whether the iteration can be closed."""
        if isinstance(self.made, Candidate):
            return self.evaluation is not None and self.evaluation.done()
        return self.made is not None

    def outcome(self) -> Outcome:
        """The outcome; waits for the evaluation."""
        if isinstance(self.made, Candidate) and self.evaluation is not None:
            return outcome_of(self.made, self.evaluation.result(), self.race)
        if isinstance(self.made, Rejection):
            return Refused(self.made)
        raise AssertionError(f"iteration {self.ask.number}: closed before there is an outcome")


def done(value: _T) -> Future[_T]:
    """A future that has its result already."""
    future: Future[_T] = Future()
    future.set_result(value)
    return future


def awaited(flights: Iterable[InFlight], *, in_turn: bool) -> Iterator[Future[Any]]:
    """What the loop can go on with: told in turn, the oldest evaluation and the oldest text."""
    texts = 0
    for number, flight in enumerate(flights):
        texts += flight.made is None
        future = flight.awaited
        if future is not None and (not in_turn or number == 0 or (flight.made is None and texts == 1)):
            yield future


# An ask of a model waits for an evaluation that is about to end: its prompt then knows the outcome.
#
# Replies take seconds and evaluations often less. Without a pause the next question leaves as soon as a
# reply is there, before its candidate has taught anything. With many iterations under way, evaluations end
# all the time and one more outcome adds little, so no ask waits. The course of asks and outcomes is
# recorded, so a replay need not measure anything.

SHARE = 0.2
"""Longest pause, as a share of the model's median latency (ratio)."""
MOST = 16
"""Iterations under way up to which asks wait (count)."""
_REMEMBERED = 25


class AskPacing:
    """Decides on pauses by the latencies of replies and the durations of evaluations so far."""

    def __init__(self, in_flight: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Takes the number of iterations under way and a clock (seconds)."""
        self._many = in_flight > MOST
        self._clock = clock
        self._replies: deque[float] = deque(maxlen=_REMEMBERED)
        self._evaluations: deque[float] = deque(maxlen=_REMEMBERED)
        self._since: float | None = None

    def now(self) -> float:
        """The clock's time (seconds)."""
        return self._clock()

    def replied(self, asked: float) -> None:
        """Takes the reply to a question that was asked at a time (seconds)."""
        self._replies.append(self._clock() - asked)

    def evaluated(self, began: float) -> None:
        """Takes the end of an evaluation that began at a time (seconds)."""
        self._evaluations.append(self._clock() - began)

    def should_wait(self, began: Iterable[float]) -> bool:
        """Whether the next ask waits, given when the evaluations under way began (seconds)."""
        if self._many or not self._replies or not self._evaluations:
            return False
        longest = SHARE * median(self._replies)
        usual = median(self._evaluations)
        now = self._clock()
        if not any(usual - (now - start) < longest for start in began):
            self._since = None
            return False
        self._since = now if self._since is None else self._since
        return now - self._since < longest

    def opened(self) -> None:
        """Takes the opening of an ask: the next one may pause anew."""
        self._since = None


# Lets iterations share one reply: a model may be asked for several programs, so its input is paid once.


class Sharing:
    """Counts the programs of replies; depends only on the asks in their order.

    An ask of a model opens as many iterations as its reply is to hold programs, one after the other, before
    anything else is asked for. An ask that mends a program that crashed is for one program.

    Attributes:
        programs: number of programs that a reply is to hold (at least 1).
        before: the ask of the iteration before, if its reply holds a program for the next one.
        joined: iterations that took a further program of a reply (count).
        under_way: numbers of the iterations that wait for their outcome.
    """

    def __init__(self, programs: int) -> None:
        """Starts without asks."""
        self.programs = programs
        self.before: Ask | None = None
        self.joined = 0
        self.under_way: set[int] = set()

    def wanted(self, failed: Failed | None) -> int:
        """Number of programs that an ask is for, given the failure that it is to mend."""
        return 1 if failed is not None and crashed(failed) else self.programs

    def open(self, ask: Ask) -> Ask:
        """Notes an ask that was opened, and returns it."""
        self.joined += ask.program > 1
        if ask.of_model:
            self.under_way.add(ask.number)
        self.before = ask if ask.of_model and ask.program < ask.programs else None
        return ask

    def tell(self, number: int) -> None:
        """Closes an iteration."""
        self.under_way.discard(number)
