"""What the loop carries: its settings, its ports, the asks under way and the running counts."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..evaluators.base import Evaluation, EvaluationStatus, Evaluator
from ..problems.base import Problem
from .admission import Admission
from .base import Candidate, Proposal, Proposer, Rejection
from .executor import Executor
from .racing import PairedRace
from .selection import Control
from .store.store import Store
from .tune import OPERATOR


class Order(StrEnum):
    """In which order outcomes are told: as submitted (offline, scripted) or as they arrive (real models)."""

    SUBMITTED = "submitted"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a campaign searches; all stored with the run.

    Attributes:
        seed: of all random streams.
        in_flight: asks without an outcome (count); a constant of the run, never the number of workers.
        order: of telling.
        migration_every: told iterations between migrations along the ring of islands (count); 0 is never.
        reset_after: told iterations without a better best after which an island is resettled (count); 0 is
            never.
        inspirations: elites shown or crossed beside the first parent (count).
        waits: whether the proposer waits for somebody else (a model), so that it runs in a thread of its own.
        control: what takes the place of the search.
        race_level: of the test that stops a candidate early (probability); 0 executes every instance.
        tune_share: of the iterations and executions that tuning may take (ratio, 0 to 1); 0 is none.
        tune_evaluations: points for one structure (count).
        validate_every: told iterations between validations of an island's new best (count).
        fresh_share: of the iterations that begin at the start program (ratio, 0 to 1); 0 is none.
        fresh_until: iterations over which that share falls from 1 to `fresh_share` (count); 0 is none.
    """

    seed: int
    in_flight: int
    order: Order
    migration_every: int
    reset_after: int
    inspirations: int
    waits: bool
    control: Control
    race_level: float
    tune_share: float
    tune_evaluations: int
    validate_every: int
    fresh_share: float
    fresh_until: int

    @property
    def races(self) -> bool:
        """Whether candidates race; a race would be the selection that random changes are to lack."""
        return self.race_level > 0 and self.control is not Control.RANDOM


@dataclass(frozen=True, slots=True)
class Ports:
    """What the loop works with; it knows nothing of how they do it."""

    problem: Problem
    evaluator: Evaluator
    proposer: Proposer
    executor: Executor
    admission: Admission
    store: Store


@dataclass(slots=True)
class Ask:
    """One iteration under way: what was asked and, as it becomes known, what came of it."""

    iteration: int
    island: int
    parents: tuple[str, ...]
    race: PairedRace | None = None
    proposal: Future[Proposal | Rejection] | None = None
    outcome: Candidate | Rejection | None = None
    evaluation: Future[Evaluation] | None = None
    recorded: bool = False

    @property
    def awaited(self) -> Future[Any] | None:
        """What it waits for, None when it has landed."""
        return self.proposal if self.outcome is None else self.evaluation

    @property
    def tuned(self) -> bool:
        """Whether it is a point of tuning, as far as is known."""
        return self.outcome is not None and self.outcome.operator == OPERATOR

    @property
    def alike(self) -> bool:
        """Whether its evaluation was ended because it answers as its first parent does."""
        if self.race is None or self.evaluation is None:
            return False
        found = self.evaluation.result()
        stopped = found.status is EvaluationStatus.STOPPED
        return stopped and self.race.alike([score.answer_digest for score in found.scores])

    @property
    def landed(self) -> bool:
        """Whether it can be told."""
        if isinstance(self.outcome, Candidate):
            return self.evaluation is not None and self.evaluation.done()
        return self.outcome is not None


@dataclass(slots=True)
class Tally:
    """Running counts; all derived from what was told."""

    asked: int = 0
    told: int = 0
    evaluations: int = 0
    executions: int = 0
    cpu_seconds: float = 0.0
    since_improvement: int = 0
    rejections: dict[str, int] = field(default_factory=dict)
    operators: dict[str, tuple[int, int]] = field(default_factory=dict)
    costs: dict[str, float] = field(default_factory=dict)

    def count(
        self,
        ask: Ask,
        evaluation: Evaluation | None,
        *,
        improved: bool,
        gained: bool | None,
        cost: float | None,
    ) -> None:
        """Counts an outcome.

        Args:
            ask: the iteration.
            evaluation: None for a rejection.
            improved: whether it is a new best.
            gained: whether it is better than its first parent; None where that says nothing of its operator.
            cost: US dollars of its model calls, None if not known.
        """
        self.told += 1
        self.since_improvement = 0 if improved else self.since_improvement + 1
        if isinstance(ask.outcome, Rejection):
            reason = ask.outcome.reason.value
            self.rejections[reason] = self.rejections.get(reason, 0) + 1
        if evaluation is not None:
            self.evaluations += 1
            self.executions += len(evaluation.scores)
            self.cpu_seconds += sum(score.cpu_seconds for score in evaluation.scores)
        if ask.outcome is not None and gained is not None:
            tries, gains = self.operators.get(ask.outcome.operator, (0, 0))
            self.operators[ask.outcome.operator] = (tries + 1, gains + gained)
        if ask.outcome is not None and cost is not None:
            spent = self.costs.get(ask.outcome.operator, 0.0)
            self.costs[ask.outcome.operator] = spent + cost
