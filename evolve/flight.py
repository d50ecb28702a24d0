"""The state of an iteration under way: results so far, and the result that the loop waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from ..evaluators.base import Evaluation
from .asks import Ask
from .base import Candidate, Outcome, Proposal, Refused, Rejection
from .racing import Racing, outcome_of, race_for

_T = TypeVar("_T")


@dataclass(slots=True)
class Flight:
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
    def landed(self) -> bool:
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


def awaited(flights: Iterable[Flight], *, in_turn: bool) -> Iterator[Future[Any]]:
    """What the loop can go on with: told in turn, the oldest evaluation and the oldest text."""
    texts = 0
    for number, flight in enumerate(flights):
        texts += flight.made is None
        future = flight.awaited
        if future is not None and (not in_turn or number == 0 or (flight.made is None and texts == 1)):
            yield future
