"""What a campaign remembers of its candidates: shapes, fitness, and how they came about."""

from __future__ import annotations

from collections.abc import Iterable

from ..evaluators.base import Evaluation
from .base import Candidate, Elite, Failed, Origin, Rejection
from .tune import OPERATOR

_LINEAGE = 3


class Memory:
    """All candidates so far, by id."""

    def __init__(self, starts: Iterable[Candidate], elites: Iterable[Elite]) -> None:
        """Knows the start programs, and the fitness of those that are elites."""
        self.candidates: dict[str, Candidate] = {}
        self.shapes: dict[str, str] = {}
        self.failed: dict[int, Failed] = {}
        self.fitness = {elite.candidate.id: elite.fitness for elite in elites}
        for candidate in starts:
            self.know(candidate)

    def told(self, island: int, outcome: Candidate | Rejection | None, evaluation: Evaluation | None) -> None:
        """Remembers what failed last on an island, save for repairs that failed again and tuned numbers."""
        self.failed.pop(island, None)
        score = evaluation.failure if evaluation is not None else None
        if not isinstance(outcome, Candidate) or score is None:
            return
        if outcome.origin is not Origin.REPAIR and outcome.operator != OPERATOR:
            self.failed[island] = Failed(outcome, score)

    def know(self, candidate: Candidate) -> None:
        """Takes a candidate; of several of one shape the first is remembered."""
        self.candidates[candidate.id] = candidate
        if (shape := candidate.description.shape_digest) is not None:
            self.shapes.setdefault(shape, candidate.id)

    def better_than_parent(self, outcome: Candidate | Rejection | None, parents: tuple[str, ...]) -> bool:
        """Whether an outcome is a candidate whose training fitness is above that of its first parent."""
        if not isinstance(outcome, Candidate) or not parents:
            return False
        mine, parent = self.fitness.get(outcome.id), self.fitness.get(parents[0])
        return mine is not None and parent is not None and mine > parent

    def lineage(self, id: str) -> tuple[str, ...]:
        """How a candidate came about, oldest first."""
        lines: list[str] = []
        while id and len(lines) < _LINEAGE and (candidate := self.candidates.get(id)) is not None:
            fitness = self.fitness.get(id)
            shown = "no fitness" if fitness is None else f"fitness {fitness:.5f}"
            lines.append(f"iteration {candidate.iteration}, {candidate.operator}: {shown}")
            id = candidate.parents[0] if candidate.parents else ""
        return tuple(reversed(lines))
