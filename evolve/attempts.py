"""What a model is told of all that was tried: one line for each candidate, newest first, then the best."""

from __future__ import annotations

from collections import deque

from .base import AddStatus, Alike, Attempt, Complete, End, Failed, Outcome, Refused

NEWEST = 20
"""How many of the newest candidates are told of (count)."""
BEST = 20
"""How many of the best older ones are told of (count)."""


class Attempts:
    """The newest and the best candidates so far; a function of the outcomes in their order."""

    def __init__(self, instances: int) -> None:
        """Has seen nothing; `instances` is the size of the training split (count)."""
        self._instances = instances
        self._newest: deque[Attempt] = deque(maxlen=NEWEST)
        self._best: list[Attempt] = []

    def add(
        self, outcome: Outcome, added: AddStatus | None, twin: str | None, parents: tuple[str, ...]
    ) -> None:
        """Takes an outcome; a rejected proposal is no candidate.

        Args:
            outcome: of an iteration.
            added: what the archive did with the candidate.
            twin: id of an earlier candidate with the same answers, None if there is none.
            parents: of the iteration; a candidate that answers as its parent does is the parent's twin.
        """
        if isinstance(outcome, Refused):
            return
        candidate, scores = outcome.candidate, outcome.evaluation.scores
        end, reason = End.STOPPED, ""
        if isinstance(outcome, Failed):
            score = outcome.score
            words = [score.status.value.replace("_", " "), *(score.message or "").split("\n")[:1]]
            end, reason = End.FAILED, ": ".join(word for word in words if word)
        elif isinstance(outcome, Alike):
            end, twin = End.TWIN, next(iter(parents), None)
        elif isinstance(outcome, Complete):
            end = End.TWIN if twin is not None else End.KEPT if added else End.BEHIND
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

    def lines(self) -> tuple[Attempt, ...]:
        """The newest, newest first, then the best of the older ones, best first."""
        newest = {attempt.id for attempt in self._newest}
        older = [attempt for attempt in self._best if attempt.id not in newest]
        return (*self._newest, *older[:BEST])


def _loss(attempt: Attempt) -> float:
    if attempt.loss is None:
        raise AssertionError(f"candidate {attempt.id}: no loss to sort by")
    return attempt.loss
