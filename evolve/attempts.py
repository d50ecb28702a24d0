"""What a model is told of all that was tried: one line for each candidate, newest first, then the best."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from ..evaluators.base import Evaluation
from .base import AddStatus, Attempt, Complete, Elite, End, Failed, Outcome, Refused

NEWEST = 20
"""How many of the newest candidates are told of (count)."""
BEST = 20
"""How many of the best older ones are told of (count)."""


class Attempts:
    """The newest and the best candidates so far; a function of the outcomes in their order."""

    def __init__(self, instances: int, starts: Iterable[Elite] = ()) -> None:
        """Has seen nothing but the start programs; `instances` are in use in training (count)."""
        self._instances = instances
        self._answers = {elite.candidate.id: _answers(elite.evaluation) for elite in starts}
        self._newest: deque[Attempt] = deque(maxlen=NEWEST)
        self._best: list[Attempt] = []

    def grow(self, instances: int, elites: Iterable[Elite]) -> None:
        """Takes that more training instances are in use (count), with the elites on all of them.

        The best are from now on the best on all of them.
        """
        self._instances = instances
        self._answers |= {elite.candidate.id: _answers(elite.evaluation) for elite in elites}
        self._best = []

    def add(
        self, outcome: Outcome, added: AddStatus | None, twin: str | None, parents: tuple[str, ...]
    ) -> None:
        """Takes an outcome; a rejected proposal is no candidate.

        Args:
            outcome: of an iteration.
            added: what the archive did with the candidate.
            twin: id of an earlier candidate with the same answers, None if there is none.
            parents: of the iteration; a candidate that was stopped may have answered as the first one does.
        """
        if isinstance(outcome, Refused):
            return
        candidate, scores = outcome.candidate, outcome.evaluation.scores
        end, reason = End.STOPPED, ""
        if isinstance(outcome, Failed):
            score = outcome.score
            words = [score.status.value.replace("_", " "), *(score.message or "").split("\n")[:1]]
            end, reason = End.FAILED, ": ".join(word for word in words if word)
        elif isinstance(outcome, Complete):
            self._answers[candidate.id] = _answers(outcome.evaluation)
            end = End.TWIN if twin is not None else End.KEPT if added else End.BEHIND
        else:
            twin = self._answered_alike(outcome.evaluation, parents)
        attempt = Attempt(
            id=candidate.id,
            operator=candidate.operator,
            idea=candidate.idea,
            loss=-outcome.fitness if isinstance(outcome, Complete) else None,
            end=end,
            twin=twin or "",
            executed=len(scores),
            instances=self._instances,
            reason=reason,
        )
        self._newest.appendleft(attempt)
        if attempt.loss is not None:
            self._best = sorted([*self._best, attempt], key=_loss)[: NEWEST + BEST]

    def _answered_alike(self, stopped: Evaluation, parents: tuple[str, ...]) -> str | None:
        """The first parent if a stopped candidate answered as it does; also told of outcomes of a record."""
        answers = _answers(stopped)
        same = bool(parents) and None not in answers
        return parents[0] if same and answers == self._answers.get(parents[0], ())[: len(answers)] else None

    def lines(self) -> tuple[Attempt, ...]:
        """The newest, newest first, then the best of the older ones, best first."""
        newest = {attempt.id for attempt in self._newest}
        older = [attempt for attempt in self._best if attempt.id not in newest]
        return (*self._newest, *older[:BEST])


def _answers(evaluation: Evaluation) -> tuple[str | None, ...]:
    """Digests of the answers in the order of execution."""
    return tuple(score.answer_digest for score in evaluation.scores)


def _loss(attempt: Attempt) -> float:
    if attempt.loss is None:
        raise AssertionError(f"candidate {attempt.id}: no loss to sort by")
    return attempt.loss
