"""Running counts of a search, all derived from its outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field

from .types import Outcome, Refused, RejectionReason


@dataclass(slots=True)
class SearchCounters:
    """Counts, and CPU seconds used in training.

    Attributes:
        asked, told: iterations opened and closed (counts).
        points: opened points of tuning, which no budget counts as iterations (count).
        unused: iterations whose episode was over before they got a program (count); no budget counts them.
        evaluations, executions: in training (counts).
        since_improvement: iterations closed since the last new best (count).
        rejections: reason → count.
        operators: operator → (tries, gains), counts.
        costs: operator → US dollars of its model calls.
    """

    asked: int = 0
    told: int = 0
    points: int = 0
    unused: int = 0
    evaluations: int = 0
    executions: int = 0
    cpu_seconds: float = 0.0
    since_improvement: int = 0
    rejections: dict[str, int] = field(default_factory=dict)
    operators: dict[str, tuple[int, int]] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)

    @property
    def iterations(self) -> int:
        """Iterations opened that a budget counts."""
        return self.asked - self.points - self.unused

    def count(
        self,
        outcome: Outcome,
        *,
        improved: bool,
        gained: bool | None,
        cost: float | None,
        point: bool = False,
        later: bool = False,
    ) -> None:
        """Counts an outcome.

        Args:
            outcome: of an iteration.
            improved: whether it is a new best.
            gained: whether the outcome is a gain; None if that does not count for its operator.
            cost: US dollars of the iteration's model calls, None if not known.
            point: whether it is a point of tuning that no budget counts.
            later: whether an earlier iteration began the episode that it belongs to.
        """
        self.told += 1
        over = isinstance(outcome, Refused) and outcome.rejection.reason is RejectionReason.EPISODE_OVER
        unused = over and later  # an episode that brings nothing at all is an iteration, or none would end
        self.unused += unused
        gained = None if over else gained
        self.since_improvement = 0 if improved else self.since_improvement + (not point and not unused)
        if isinstance(outcome, Refused):
            reason = outcome.rejection.reason.value
            self.rejections[reason] = self.rejections.get(reason, 0) + 1
        else:
            self.evaluations += 1
            self.executions += len(outcome.evaluation.scores)
            self.cpu_seconds += sum(score.cpu_seconds for score in outcome.evaluation.scores)
        if gained is not None:
            tries, gains = self.operators.get(outcome.operator, (0, 0))
            self.operators[outcome.operator] = (tries + 1, gains + gained)
        if cost is not None:
            self.costs[outcome.operator] = self.costs.get(outcome.operator, 0.0) + cost
