"""Racing stops an unpromising candidate before all instances are executed.

Paired, as in F-Race (Birattari et al. 2002, GECCO, pp. 11-18), against one incumbent: a one-sided paired t
test
at a few fixed numbers of instances, its level divided by the number of looks (Bonferroni), and, where
references are proven, a cut that needs no statistics: a partial sum of losses that is already far above the
rival's whole sum. A candidate that has answered the first instances exactly as its parent did is stopped too:
most of what a change of source brings is such a duplicate, and executing it to the end teaches nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from ..evaluators.base import Evaluation, EvaluationStatus, Race, Score, losses_of, student
from .archive import Archive
from .history import CandidateRegistry, Strata
from .islands import Pool
from .iteration import Iteration, IterationResult, Part
from .settings import knob
from .timing import time_class
from .types import Alike, Candidate, Complete, Elite, Failed, Origin, Outcome, Refused, Rejection, Worse

FIRST_LOOK = 4
_GROWTH = 1.5
SURE = 1.2
"""How far above the rival's whole loss a partial one must be to need no test (ratio)."""


@dataclass(frozen=True)
class RaceSettings:
    """When a candidate is stopped early."""

    race_level: float = knob(
        0.05,
        "level of the paired test that stops a candidate that is clearly worse (probability; "
        "0 executes every instance)",
        ge=0,
        lt=0.5,
    )


@dataclass(frozen=True, slots=True)
class PairedRace:
    """A race against a rival's losses; a function of the losses alone: a repeat stops at the same place.

    Attributes:
        incumbent: the rival's normalised loss (ratio) on every instance, in the order of execution.
        level: of the one-sided test over all looks (probability, 0 to 1).
        proven: whether losses are to proven optima or bounds, so that none can be below 0.
        parent: digests of the parent's answers on the first instances; empty when nothing is compared with
            them. As many answers of the candidate are compared.
        order: ids of the instances in the order of execution; empty for the usual order.
    """

    incumbent: tuple[float, ...]
    level: float
    proven: bool
    parent: tuple[str | None, ...] = ()
    order: tuple[str, ...] = ()

    @classmethod
    def against(
        cls,
        incumbent: Evaluation,
        loss_of: Callable[[Score], float | None],
        level: float,
        parent: Evaluation | None = None,
        compared: int = 0,
        groups: Mapping[str, str] | None = None,
    ) -> PairedRace:
        """The race against a complete evaluation.

        Args:
            incumbent: whose losses count.
            loss_of: normalised loss (ratio) of a score.
            level: see the attributes.
            parent: complete evaluation of the candidate's first parent.
            compared: answers that are compared with the parent's (count).
            groups: instance id → its stratum where the instances on which the parent loses most are executed
                first, see `hardest`; None for the usual order.

        Raises:
            ValueError: a score is not OK.
        """
        proven = all(score.reference_kind.proven for score in incumbent.scores)
        losses = losses_of(incumbent, loss_of)
        if parent is None:
            return cls(tuple(losses.values()), level, proven)
        answers = {score.instance: score.answer_digest for score in parent.scores}
        order = tuple(losses)
        if groups is not None:  # a start program that failed when the prefix grew lacks the new instances
            theirs = losses_of(parent, loss_of)
            order = (*hardest(theirs, groups), *(id for id in losses if id not in theirs))
        first = tuple(answers[id] for id in order[:compared])
        rated = tuple(losses[id] for id in order)
        return cls(rated, level, proven, first, () if groups is None else order)

    def lost(
        self, losses: Sequence[float], answers: Sequence[str | None], seconds: Sequence[float] = ()
    ) -> bool:
        """Whether the first instances show the candidate clearly worse than the incumbent, or like its
        parent."""
        if self.alike(answers):
            return True
        # Where losses can be below 0, what is to come could still make up for any sum.
        if self.proven and math.fsum(losses) > SURE * math.fsum(self.incumbent) + 1e-12:
            return True
        looks = looks_of(len(self.incumbent))
        if len(losses) not in looks:
            return False
        return clearly_above(
            [a - b for a, b in zip(losses, self.incumbent, strict=False)], self.level / len(looks)
        )

    def alike(self, answers: Sequence[str | None], seconds: Sequence[float] = ()) -> bool:
        """Whether the candidate ends here because it answered the first instances as its parent did."""
        return bool(self.parent) and tuple(answers) == self.parent


@dataclass(frozen=True, slots=True)
class TimedRace:
    """A race within the candidate's time class: a slow incumbent never ends a fast candidate.

    Attributes:
        incumbents: time class → the race against its incumbent; classes without an elite are missing.
        parent: digests of the parent's answers on the first instances.
        parent_seconds: net CPU seconds of the parent on them, in all.
        floor: CPU seconds of an execution that does nothing.
        order: ids of the instances in the order of execution; empty for the usual order.
    """

    incumbents: Mapping[int, PairedRace]
    parent: tuple[str | None, ...]
    parent_seconds: float
    floor: float
    order: tuple[str, ...] = ()

    def lost(
        self, losses: Sequence[float], answers: Sequence[str | None], seconds: Sequence[float] = ()
    ) -> bool:
        """Whether the candidate is clearly worse than its class's incumbent, or like its parent and no
        faster.

        The class is the one that the candidate shows so far; where it has no elite, the incumbent is that of
        the
        next faster class.
        """
        if self.alike(answers, seconds):
            return True
        shown = time_class(max(0.0, math.fsum(seconds) / len(seconds) - self.floor))
        quicker = [number for number in self.incumbents if number <= shown]
        return bool(quicker) and self.incumbents[max(quicker)].lost(losses, ())

    def alike(self, answers: Sequence[str | None], seconds: Sequence[float] = ()) -> bool:
        """Whether the candidate answers as its parent did, in more than half the parent's time."""
        if not self.parent or tuple(answers) != self.parent:
            return False
        return math.fsum(one - self.floor for one in seconds) > 0.5 * self.parent_seconds


Racing = PairedRace | TimedRace


def race_for(race: Race | None, candidate: Candidate) -> Race | None:
    """The race of an ask as its candidate runs it: a simplification may answer as its parent does.

    With the same answers everywhere a shorter program takes its parent's cell, so it is executed to the end;
    whoever submits a program may have made an earlier one faster.
    """
    if isinstance(race, PairedRace | TimedRace) and candidate.origin in (Origin.SIMPLIFY, Origin.SUBMIT):
        return replace(race, parent=())
    return race


def outcome_of(candidate: Candidate, evaluation: Evaluation, race: Race | None) -> Outcome:
    """The outcome of a candidate whose training evaluation has ended.

    Args:
        candidate: of the iteration.
        evaluation: on the training split.
        race: that the evaluation was in; None if there was none or its end is of no interest.
    """
    if evaluation.status is EvaluationStatus.COMPLETE:
        return Complete(candidate, evaluation)
    if evaluation.status is EvaluationStatus.FAILED:
        return Failed(candidate, evaluation)
    scores = evaluation.scores
    answers = [score.answer_digest for score in scores]
    seconds = [score.cpu_seconds for score in scores]
    if isinstance(race, PairedRace | TimedRace) and race.alike(answers, seconds):
        return Alike(candidate, evaluation)
    return Worse(candidate, evaluation)


def outcome_of_iteration(iteration: Iteration) -> Outcome:
    """The outcome of an iteration; waits for its evaluation."""
    made = iteration.made
    if isinstance(made, Candidate) and iteration.evaluation is not None:
        return outcome_of(made, iteration.evaluation.result(), race_for(iteration.race, made))
    if isinstance(made, Rejection):
        return Refused(made)
    raise AssertionError(f"iteration {iteration.number}: closed before there is an outcome")


def hardest(losses: Mapping[str, float], groups: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of instances from the largest loss (ratio) on, those first that are the hardest of their stratum.

    So a race that ends early has seen every stratum on which anything is lost. Equal losses keep their order.
    """
    ranked = sorted(losses, key=lambda id: -losses[id])
    firsts: dict[str, str] = {}
    for id in ranked:
        if losses[id] > 0:
            firsts.setdefault(groups[id], id)
    return (*firsts.values(), *(id for id in ranked if id not in firsts.values()))


def alike_after(count: int) -> int:
    """After how many of `count` instances answers are compared with the parent's: a quarter, at least two."""
    return max(2, math.ceil(count / 4))


def looks_of(count: int) -> tuple[int, ...]:
    """After how many of `count` instances the test is made: growing by half, the last instance left out."""
    looks = []
    size = float(FIRST_LOOK)
    while size < count:
        looks.append(int(size))
        size *= _GROWTH
    return tuple(looks)


def clearly_above(differences: Sequence[float], level: float) -> bool:
    """Whether the mean of differences is above 0 at a one-sided level (paired t test)."""
    count = len(differences)
    mean = fmean(differences)
    spread = stdev(differences)
    if spread == 0.0:
        return mean > 0.0
    return mean / (spread / math.sqrt(count)) > student(1 - level, count - 1)


# Founders that are no incumbents at first: one much slower than a candidate would stop it before it can grow.
#
# A local search of a second beats every rule of a millisecond, so a race against the search would stop all
# children of the rule. Until a child is better than the slow founder, such children race others.

SLOWER = 4.0
"""How much longer than a candidate's own founder an incumbent among the founders may take (ratio)."""
_LEAST_SECONDS = 0.005
"""CPU seconds of an execution below which every founder is quick; ratios of less are noise."""


class SlowFounders:
    """The founders that a candidate does not race, by the founder that it descends from.

    A function of recorded times and of the outcomes so far: the times of candidates differ between machines
    and do not count.
    """

    def __init__(self, seconds: Mapping[str, float], founders: Sequence[Elite]) -> None:
        """Takes the recorded mean CPU seconds of an execution of each founder, and the founders."""
        self._seconds = {e.candidate.id: seconds.get(e.candidate.id, 0.0) for e in founders}
        self._unbeaten = {e.candidate.id for e in founders}
        self._ancestors: dict[str, str] = {}

    def beaten(self, fitness: float, known: Mapping[str, float]) -> None:
        """Takes the training fitness of a child: the founders below it may be incumbents from now on.

        Args:
            fitness: of the child.
            known: candidate → training fitness; a founder without one holds no cell.
        """
        self._unbeaten = {id for id in self._unbeaten if known.get(id, -math.inf) >= fitness}

    def barred(self, parent: Candidate, memory: CandidateRegistry) -> frozenset[str]:
        """Ids of the founders that a child of `parent` does not race."""
        if not self._unbeaten:
            return frozenset()
        own = max(_LEAST_SECONDS, self._seconds.get(self._ancestor(parent, memory), 0.0))
        return frozenset(id for id in self._unbeaten if self._seconds[id] > SLOWER * own)

    def _ancestor(self, candidate: Candidate, memory: CandidateRegistry) -> str:
        """Id of the founder at the end of the chain of first parents."""
        chain: list[str] = []
        id = candidate.id
        while id not in self._ancestors:
            chain.append(id)
            parents = memory.candidates[id].parents if id in memory.candidates else ()
            if not parents:
                self._ancestors[id] = id
            else:
                id = parents[0]
        self._ancestors.update(dict.fromkeys(chain, self._ancestors[id]))
        return self._ancestors[id]


def best_elite(elites: Sequence[Elite]) -> Elite:
    """The elite with the largest training fitness; of equals the first one."""
    return max(elites, key=lambda elite: elite.fitness)


# The race of a candidate, made of the archive as it is at the ask; and whether an outcome is a new best.


class Races(Part):
    """Chooses whom a candidate races.

    Attributes:
        archive, memory, strata, pool: of the search.
        slow: founders that quicker candidates do not race.
        level: of the test (probability); 0 is no race.
    """

    def __init__(
        self,
        archive: Archive,
        memory: CandidateRegistry,
        strata: Strata,
        pool: Pool,
        slow: SlowFounders,
        level: float,
    ) -> None:
        """Takes the parts that a race depends on; see the class."""
        self.archive = archive
        self.memory = memory
        self.strata = strata
        self.pool = pool
        self.slow = slow
        self.level = level

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Founders below a complete candidate may be incumbents from now on."""
        if isinstance(result.outcome, Complete):
            self.slow.beaten(result.outcome.fitness, self.memory.fitness)

    def incumbent(self, island: int, parent: Elite) -> Elite | None:
        """The elite that a child of `parent` races; where time is a measure, that of the parent's class."""
        if self.level <= 0:
            return None
        if not self.archive.space.timed:
            return self.archive.incumbent(island, self.slow.barred(parent.candidate, self.memory))
        incumbents = self.archive.incumbents(island)
        quicker = [number for number in incumbents if number <= self.archive.class_of(parent)]
        return incumbents[max(quicker, default=min(incumbents))] if incumbents else None

    def race(
        self, island: int, incumbent: Elite | None, parent: Elite, *, hardest_first: bool = False
    ) -> Race | None:
        """The race of a child of `parent`; None without an incumbent.

        Args:
            island, incumbent, parent: of the ask.
            hardest_first: whether the hardest instances are executed first, as for a submission.
        """
        if incumbent is None:
            return None
        groups = self.strata.groups if hardest_first else None
        compared = alike_after(self.pool.first)
        return race_of(self.archive, island, incumbent, parent, self.level, compared, groups)


def race_of(
    archive: Archive,
    island: int,
    incumbent: Elite,
    parent: Elite,
    level: float,
    compared: int,
    groups: Mapping[str, str] | None,
) -> Racing:
    """The race of a candidate.

    Args:
        archive: whose measures say whether time counts.
        island: of the ask; where time counts, its best elites of each class are incumbents too.
        incumbent, parent: of the ask.
        level: of the test (probability).
        compared: answers that are compared with the parent's (count).
        groups: instance id → its stratum where the hardest instances are executed first; None otherwise.
    """
    space = archive.space

    def against(elite: Elite) -> PairedRace:
        return PairedRace.against(elite.evaluation, space.loss, level, parent.evaluation, compared, groups)

    race = against(incumbent)
    if not space.timed:
        return race
    incumbents = {number: against(elite) for number, elite in archive.incumbents(island).items()}
    seconds = {score.instance: score.cpu_seconds - space.floor for score in parent.evaluation.scores}
    first = (race.order or tuple(seconds))[:compared]
    return TimedRace(incumbents, race.parent, sum(seconds[id] for id in first), space.floor, race.order)


def better(best: Elite | None, before: Elite | None) -> bool:
    """Whether the best elite is another one than before and no simplification of it."""
    if best is None or best is before:
        return False
    return before is None or best.fitness > before.fitness
