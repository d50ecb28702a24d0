"""What a search remembers: counts, its candidates, their attempts for a prompt, their losses by stratum."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from ..evaluators.base import Evaluation, Score, ScoreStatus, half_interval, losses_of
from ..problems.base import Instance
from ..prompts.text import percent
from ..sandbox.base import CROWDED
from .admission import rejected
from .iteration import Iteration, IterationResult, Part
from .types import (
    AddStatus,
    Attempt,
    Candidate,
    Complement,
    Complete,
    Context,
    Elite,
    End,
    Failed,
    Origin,
    Outcome,
    Proposal,
    Refused,
    Rejection,
    RejectionReason,
    unique,
)

_LINEAGE = 3


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
        return replace(context, operators=operators)

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Counts an outcome."""
        outcome = result.outcome
        point = iteration.tuned and self.points_are_free
        self.told += 1
        over = isinstance(outcome, Refused) and outcome.rejection.reason is RejectionReason.EPISODE_OVER
        # An episode that brings nothing at all is an iteration, or none would end.
        unused = over and iteration.program > 1
        self.unused += unused
        self.since_improvement = 0 if result.improved else self.since_improvement + (not point and not unused)
        if isinstance(outcome, Refused):
            reason = outcome.rejection.reason.value
            self.rejections[reason] = self.rejections.get(reason, 0) + 1
        else:
            self.evaluations += 1
            self.executions += len(outcome.evaluation.scores)
            self.cpu_seconds += sum(score.cpu_seconds for score in outcome.evaluation.scores)
        if result.gained is not None and not over:
            tries, gains = self.operators.get(outcome.operator, (0, 0))
            self.operators[outcome.operator] = (tries + 1, gains + result.gained)


class CandidateRegistry(Part):
    """All candidates so far, by id, and the failures that may be repaired."""

    def __init__(
        self, starts: Iterable[Candidate], elites: Iterable[Elite] = (), *, repairs: bool = True
    ) -> None:
        """Knows the start programs, and fitness of elites; with `repairs`, failures are handed out."""
        self._repairs = repairs
        self.candidates: dict[str, Candidate] = {}
        self.shapes: dict[str, str] = {}
        self.failed: dict[int, Failed] = {}
        self.crashed: dict[int, list[Failed]] = {}
        self.fitness = {elite.candidate.id: elite.fitness for elite in elites}
        for candidate in starts:
            self.add(candidate)

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
        id = proposal.examined.id
        description = proposal.examined.description
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
        self.add(candidate)
        return candidate

    def add(self, candidate: Candidate) -> None:
        """Remembers a candidate; of several with one shape, the first counts."""
        self.candidates[candidate.id] = candidate
        if (shape := candidate.description.shape_digest) is not None:
            self.shapes.setdefault(shape, candidate.id)

    def ask(self, iteration: Iteration) -> None:
        """Hands a failure of the island to a question."""
        if iteration.asks:
            iteration.failed = self.take_failure(iteration.island)

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Remembers a failure that may be repaired."""
        if self._repairs:  # a control's proposals know nothing of each other
            self.note_failure(iteration.island, result.outcome, repairable=iteration.of_model)

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """Takes the fitness of candidates on more instances; the others have none any more."""
        self.fitness = {id: e.fitness for id, e in evaluations.items() if e.fitness is not None}

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
        if outcome.crashed:
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


# The attempts that a prompt lists: one line for each candidate, the newest first, then the best.

NEWEST = 20
"""How many of the newest candidates are told of (count)."""
BEST = 20
"""How many of the best older ones are told of (count)."""


class AttemptLog:
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
        duplicate: str | None,
        parents: tuple[str, ...],
        incumbent: str | None = None,
    ) -> None:
        """Takes an outcome; a rejected proposal is no candidate.

        Args:
            outcome: of an iteration.
            added: what the archive did with the candidate.
            duplicate: id of an earlier candidate with the same answers, None if there is none.
            parents: parents of the iteration; a stopped candidate may have given the first parent's answers.
            incumbent: id of the candidate that it raced; None without a race.
        """
        if isinstance(outcome, Refused):
            return
        candidate = outcome.candidate
        scores = outcome.evaluation.scores
        end = End.STOPPED
        reason = ""
        means = None
        beyond = False
        if isinstance(outcome, Failed):
            score = outcome.score
            words = [score.status.value.replace("_", " "), *(score.message or "").split("\n")[:1]]
            end = End.FAILED
            reason = ": ".join(word for word in words if word)
        elif isinstance(outcome, Complete):
            self._scores[candidate.id] = _by_instance(outcome.evaluation)
            end = End.DUPLICATE if duplicate is not None else End.KEPT if added else End.BEHIND
        else:
            duplicate = self._answered_alike(outcome.evaluation, parents)
            means = self._means(outcome.evaluation, incumbent)
            beyond = self._beyond(outcome.evaluation, incumbent)
        attempt = Attempt(
            id=candidate.id,
            operator=candidate.operator,
            idea=candidate.idea,
            loss=-outcome.fitness if isinstance(outcome, Complete) else None,
            end=end,
            duplicate=duplicate or "",
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

    def _means(self, stopped: Evaluation, incumbent: str | None) -> tuple[float, float] | None:
        """Mean losses (ratios) of a stopped candidate and of its incumbent on the executed instances."""
        pairs = self._pairs(stopped, incumbent or "")
        return (fmean(a for a, _ in pairs), fmean(b for _, b in pairs)) if pairs else None

    def _beyond(self, stopped: Evaluation, incumbent: str | None) -> bool:
        """Whether a stopped candidate's losses alone are above those of its incumbent on all instances."""
        theirs = self._losses(self._scores.get(incumbent or "", {}).values())
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


# Mean loss by stratum, and which elites win on strata where the best elite loses.
#
# Where there is one stratum alone, its instances take the place of strata in comparisons of programs that
# are shown together: otherwise none would stand beside the best, and no two could be combined.

COMPLEMENTS = 2
"""How many complements of the best elite are looked for (count)."""
_CLOSE = 1e-12


class Strata(Part):
    """Mean training loss of elites on each stratum; computed once per elite."""

    def __init__(self, instances: Mapping[str, Instance], loss_of: Callable[[Score], float | None]) -> None:
        """Takes the training instances by id, and the function that gives an execution's loss."""
        self._instances = instances
        self._loss_of = loss_of
        self._losses: dict[str, dict[str, float]] = {}
        self._alone: dict[str, dict[str, float]] = {}
        self._several = len({instance.stratum for instance in instances.values()}) > 1

    @property
    def groups(self) -> dict[str, str]:
        """Instance id → its stratum."""
        return {id: instance.stratum for id, instance in self._instances.items()}

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """Forgets the means that were computed on fewer instances."""
        self._losses.clear()
        self._alone.clear()

    def losses(self, elite: Elite) -> dict[str, float]:
        """Stratum → mean loss (ratio), strata in the order of their names."""
        id = elite.candidate.id
        if id not in self._losses:
            groups: dict[str, list[float]] = {}
            for instance, loss in losses_of(elite.evaluation, self._loss_of).items():
                groups.setdefault(self._instances[instance].stratum, []).append(loss)
            self._losses[id] = {name: fmean(groups[name]) for name in sorted(groups)}
        return self._losses[id]

    def parts(self, elite: Elite) -> dict[str, float]:
        """Stratum → mean loss (ratio), or instance → loss where there is one stratum alone."""
        if self._several:
            return self.losses(elite)
        id = elite.candidate.id
        if id not in self._alone:
            self._alone[id] = losses_of(elite.evaluation, self._loss_of)
        return self._alone[id]

    def complements(self, best: Elite, elites: Sequence[Elite]) -> tuple[Complement, ...]:
        """The elites that together would reduce the best elite's loss most, each with the strata it wins.

        The first reduces the loss of the best elite most; each next one reduces the remaining loss most.
        Returns fewer elites where fewer win a stratum.
        """
        least = dict(self.parts(best))
        rest = [elite for elite in unique(elites) if elite.candidate.id != best.candidate.id]
        complements: list[Complement] = []
        while rest and len(complements) < COMPLEMENTS:
            first = max(rest, key=lambda elite: (self.gain(elite, least), elite.fitness, elite.candidate.id))
            won = tuple(name for name, loss in self.parts(first).items() if loss < least[name] - _CLOSE)
            if not won:
                break
            complements.append(Complement(first, won))
            rest.remove(first)
            least = {name: min(loss, self.parts(first)[name]) for name, loss in least.items()}
        return tuple(complements)

    def gain(self, elite: Elite, least: Mapping[str, float]) -> float:
        """By how much an elite is below some losses of parts (ratio, summed)."""
        return sum(max(0.0, least[name] - loss) for name, loss in self.parts(elite).items())
