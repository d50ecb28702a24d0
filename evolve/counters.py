"""Running counts of a search, all derived from its outcomes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from .iteration import Iteration, IterationResult, Part
from .types import Context, Elite, Refused, RejectionReason


@dataclass(slots=True)
class SearchCounters(Part):
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
        points_are_free: whether points of tuning are no iterations: beside models, whose calls are.
        tells: whether proposers may know what operators brought.
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
    points_are_free: bool = False
    tells: bool = True

    @property
    def iterations(self) -> int:
        """Iterations opened that a budget counts."""
        return self.asked - self.points - self.unused

    def ask(self, iteration: Iteration) -> None:
        """Counts an opened point of tuning that no budget counts."""
        self.points += iteration.tuned and self.points_are_free

    def brief(self, number: int, parent: Elite, context: Context) -> Context:
        """See `Part`."""
        operators = dict(self.operators) if self.tells else {}
        return replace(context, operators=operators, costs=dict(self.costs))

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Counts an outcome."""
        outcome = result.outcome
        cost = result.cost
        point = iteration.tuned and self.points_are_free
        self.told += 1
        unused = isinstance(outcome, Refused) and outcome.rejection.reason is RejectionReason.EPISODE_OVER
        self.unused += unused
        self.since_improvement = 0 if result.improved else self.since_improvement + (not point and not unused)
        if isinstance(outcome, Refused):
            reason = outcome.rejection.reason.value
            self.rejections[reason] = self.rejections.get(reason, 0) + 1
        else:
            self.evaluations += 1
            self.executions += len(outcome.evaluation.scores)
            self.cpu_seconds += sum(score.cpu_seconds for score in outcome.evaluation.scores)
        if result.gained is not None and not unused:
            tries, gains = self.operators.get(outcome.operator, (0, 0))
            self.operators[outcome.operator] = (tries + 1, gains + result.gained)
        if cost is not None:
            self.costs[outcome.operator] = self.costs.get(outcome.operator, 0.0) + cost
