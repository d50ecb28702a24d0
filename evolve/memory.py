"""The search's memory of its candidates: ids, shapes, fitness and lineage."""

from __future__ import annotations

from collections.abc import Iterable

from ..evaluators.base import ScoreStatus
from ..prompts.text import percent
from ..sandbox.base import CROWDED
from .admission import rejected
from .base import Candidate, Complete, Elite, Failed, Origin, Outcome, Proposal, Rejection, RejectionReason

_LINEAGE = 3
_CRASHES = (ScoreStatus.RAISED, ScoreStatus.CRASHED, ScoreStatus.REFUSED, ScoreStatus.INVALID_ANSWER)


def crashed(failed: Failed) -> bool:
    """Whether a program itself raised, or returned no valid form of answer: usually a slip that can be
    repaired.
    """
    return failed.score.status in _CRASHES


class Memory:
    """All candidates so far, by id."""

    def __init__(self, starts: Iterable[Candidate], elites: Iterable[Elite] = ()) -> None:
        """Knows the start programs, and the fitness of those that are elites."""
        self.candidates: dict[str, Candidate] = {}
        self.shapes: dict[str, str] = {}
        self.failed: dict[int, Failed] = {}
        self.crashed: dict[int, list[Failed]] = {}
        self.fitness = {elite.candidate.id: elite.fitness for elite in elites}
        for candidate in starts:
            self.know(candidate)

    def admit(
        self, proposal: Proposal, parents: tuple[str, ...], island: int, iteration: int
    ) -> Candidate | Rejection:
        """Makes an examined proposal a candidate and remembers it.

        Rejects known ids, and known shapes unless they come from tuning or from a submitter.

        Args:
            proposal: with what is known of its files.
            parents, island, iteration: of the candidate.
        """
        if proposal.examined is None:
            raise AssertionError("a proposal is examined before it is admitted")
        id, description = proposal.examined.id, proposal.examined.description
        if id in self.candidates:
            return rejected(proposal, RejectionReason.DUPLICATE, f"same tokens as candidate {id}")
        near = self.shapes.get(description.shape_digest or "") if len(proposal.files) == 1 else None
        if near is not None and proposal.origin not in (Origin.TUNE, Origin.SUBMIT):
            excerpt = f"candidate {near} but for names and the last digits of numbers"
            return rejected(proposal, RejectionReason.NEAR_DUPLICATE, excerpt)
        candidate = Candidate(
            id=id,
            files=proposal.files,
            parents=parents,
            origin=proposal.origin,
            operator=proposal.operator,
            island=island,
            iteration=iteration,
            description=description,
            idea=proposal.idea,
        )
        self.know(candidate)
        return candidate

    def know(self, candidate: Candidate) -> None:
        """Remembers a candidate; of several with one shape, the first counts."""
        self.candidates[candidate.id] = candidate
        if (shape := candidate.description.shape_digest) is not None:
            self.shapes.setdefault(shape, candidate.id)

    def ancestors(self, id: str) -> frozenset[str]:
        """A candidate's id with those of all its ancestors."""
        line: set[str] = set()
        wanted = [id]
        while wanted:
            id = wanted.pop()
            if id not in line and (candidate := self.candidates.get(id)) is not None:
                wanted += candidate.parents
            line.add(id)
        return frozenset(line)

    def take_failure(self, island: int) -> Failed | None:
        """Hands out a repairable failure of an island once: the oldest crash, else the last failure."""
        if crashes := self.crashed.get(island):
            return crashes.pop(0)
        return self.failed.pop(island, None)

    def note_failure(self, island: int, outcome: Outcome, *, repairable: bool) -> None:
        """Remembers an island's crashes and its last other failure until an ask hands them out for repair.

        Args:
            island: index.
            outcome: of an iteration of the island.
            repairable: False for a point of tuning; a repair that failed again is none either, nor a program
                that a busy machine kept from its end.
        """
        if not repairable or not isinstance(outcome, Failed) or outcome.candidate.origin is Origin.REPAIR:
            return
        timeout = outcome.score.status is ScoreStatus.TIMEOUT
        if timeout and (outcome.score.message or "").endswith(CROWDED):
            return
        if crashed(outcome):
            self.crashed.setdefault(island, []).append(outcome)
        else:
            self.failed[island] = outcome

    def better_than_parent(self, outcome: Outcome, parents: tuple[str, ...]) -> bool:
        """Whether an outcome is a candidate whose training fitness is above that of its first parent."""
        if not isinstance(outcome, Complete) or not parents:
            return False
        parent = self.fitness.get(parents[0])
        return parent is not None and outcome.fitness > parent

    def lineage(self, id: str) -> tuple[str, ...]:
        """How a candidate came about, oldest first."""
        lines: list[str] = []
        while id and len(lines) < _LINEAGE and (candidate := self.candidates.get(id)) is not None:
            fitness = self.fitness.get(id)
            shown = "stopped or failed" if fitness is None else f"mean gap {percent(-100 * fitness)}"
            idea = f": {candidate.idea}" if candidate.idea else ""
            lines.append(f"{candidate.operator}, {shown}{idea}")
            id = candidate.parents[0] if candidate.parents else ""
        return tuple(reversed(lines))
