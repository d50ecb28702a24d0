"""The attempts that a prompt lists: one line for each candidate, the newest first, then the best."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean

from ..evaluators.base import Evaluation, Score
from .base import AddStatus, Attempt, Complete, Elite, End, Failed, Outcome, Refused
from .racing import half_interval

NEWEST = 20
"""How many of the newest candidates are told of (count)."""
BEST = 20
"""How many of the best older ones are told of (count)."""


class Attempts:
    """The newest and the best candidates so far; a function of the outcomes in their order."""

    def __init__(
        self, instances: int, loss_of: Callable[[Score], float | None], starts: Iterable[Elite] = ()
    ) -> None:
        """Begins with the start programs alone.

        Args:
            instances: in use in training (count).
            loss_of: normalised loss (ratio) of a score.
            starts: elites of the start programs.
        """
        self._instances = instances
        self._loss_of = loss_of
        self._scores = {elite.candidate.id: _by_instance(elite.evaluation) for elite in starts}
        self._newest: deque[Attempt] = deque(maxlen=NEWEST)
        self._best: list[Attempt] = []

    def grow(self, instances: int, elites: Iterable[Elite]) -> None:
        """Takes a larger number of training instances, and the elites' evaluations on all of them.

        From now on the best attempts are the best on all of these instances.
        """
        self._instances = instances
        self._scores |= {elite.candidate.id: _by_instance(elite.evaluation) for elite in elites}
        self._best = []

    def add(
        self,
        outcome: Outcome,
        added: AddStatus | None,
        twin: str | None,
        parents: tuple[str, ...],
        rival: str | None = None,
    ) -> None:
        """Takes an outcome; a rejected proposal is no candidate.

        Args:
            outcome: of an iteration.
            added: what the archive did with the candidate.
            twin: id of an earlier candidate with the same answers, None if there is none.
            parents: parents of the iteration; a stopped candidate may have given the first parent's answers.
            rival: id of the candidate that it raced; None without a race.
        """
        if isinstance(outcome, Refused):
            return
        candidate, scores = outcome.candidate, outcome.evaluation.scores
        end, reason, means, beyond = End.STOPPED, "", None, False
        if isinstance(outcome, Failed):
            score = outcome.score
            words = [score.status.value.replace("_", " "), *(score.message or "").split("\n")[:1]]
            end, reason = End.FAILED, ": ".join(word for word in words if word)
        elif isinstance(outcome, Complete):
            self._scores[candidate.id] = _by_instance(outcome.evaluation)
            end = End.TWIN if twin is not None else End.KEPT if added else End.BEHIND
        else:
            twin = self._answered_alike(outcome.evaluation, parents)
            means = self._means(outcome.evaluation, rival)
            beyond = self._beyond(outcome.evaluation, rival)
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
            means=means,
            beyond=beyond,
            losses=self._losses(scores),
            difference=self._difference(outcome.evaluation, parents),
            seconds=max((score.cpu_seconds for score in scores), default=0.0),
        )
        self._newest.appendleft(attempt)
        if attempt.loss is not None:
            self._best = sorted([*self._best, attempt], key=_loss)[: NEWEST + BEST]

    def _answered_alike(self, stopped: Evaluation, parents: tuple[str, ...]) -> str | None:
        """The first parent if a stopped candidate gave the same answers; also for outcomes read from a
        record.
        """
        theirs = self._scores.get(parents[0], {}) if parents else {}
        same = bool(theirs) and all(
            score.answer_digest is not None
            and score.instance in theirs
            and score.answer_digest == theirs[score.instance].answer_digest
            for score in stopped.scores
        )
        return parents[0] if same else None

    def _means(self, stopped: Evaluation, rival: str | None) -> tuple[float, float] | None:
        """Mean losses (ratios) of a stopped candidate and of its rival on the executed instances."""
        pairs = self._pairs(stopped, rival or "")
        return (fmean(a for a, _ in pairs), fmean(b for _, b in pairs)) if pairs else None

    def _beyond(self, stopped: Evaluation, rival: str | None) -> bool:
        """Whether a stopped candidate's losses alone are above those of its rival on all instances."""
        theirs = self._losses(self._scores.get(rival or "", {}).values())
        return bool(theirs) and sum(self._losses(stopped.scores).values()) > sum(theirs.values())

    def _difference(
        self, evaluation: Evaluation, parents: tuple[str, ...]
    ) -> tuple[float, float | None, int] | None:
        """A candidate's loss minus the loss of its first parent; see `Attempt`."""
        differences = [a - b for a, b in self._pairs(evaluation, parents[0] if parents else "")]
        return (fmean(differences), half_interval(differences), len(differences)) if differences else None

    def _pairs(self, evaluation: Evaluation, other: str) -> list[tuple[float, float]]:
        """Losses (ratios) of a candidate and of another one on the instances that both answered."""
        mine = self._losses(evaluation.scores)
        theirs = self._losses(self._scores.get(other, {}).values())
        return [(loss, theirs[id]) for id, loss in mine.items() if id in theirs]

    def _losses(self, scores: Iterable[Score]) -> dict[str, float]:
        """Instance id → loss (ratio) of the executions that have one."""
        losses = {score.instance: self._loss_of(score) for score in scores}
        return {id: loss for id, loss in losses.items() if loss is not None}

    def lines(self) -> tuple[Attempt, ...]:
        """The newest, newest first, then the best of the older ones, best first."""
        newest = {attempt.id for attempt in self._newest}
        older = [attempt for attempt in self._best if attempt.id not in newest]
        return (*self._newest, *older[:BEST])


def _by_instance(evaluation: Evaluation) -> Mapping[str, Score]:
    """Instance id → score."""
    return {score.instance: score for score in evaluation.scores}


def _loss(attempt: Attempt) -> float:
    if attempt.loss is None:
        raise AssertionError(f"candidate {attempt.id}: no loss to sort by")
    return attempt.loss
