"""Racing stops an unpromising candidate before all instances are executed.

Paired, as in F-Race (Birattari et al. 2002, GECCO, pp. 11-18), against one rival: a one-sided paired t test
at a few fixed numbers of instances, its level divided by the number of looks (Bonferroni), and, where
references are proven, a cut that needs no statistics: a partial sum of losses that is already far above the
rival's whole sum. A candidate that has answered the first instances exactly as its parent did is stopped too:
most of what a change of source brings is such a twin, and executing it to the end teaches nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean, stdev

from ..evaluators.base import Evaluation, EvaluationStatus, Score
from .base import Alike, Candidate, Complete, Failed, Origin, Outcome, Worse
from .knobs import knob
from .timing import time_class

FIRST_LOOK = 4
_GROWTH = 1.5
FEWEST = 5
"""Values from which the interval of a mean is given (count)."""
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
        rival: the rival's normalised loss (ratio) on every instance, in the order of execution.
        level: of the one-sided test over all looks (probability, 0 to 1).
        proven: whether losses are to proven optima or bounds, so that none can be below 0.
        parent: digests of the parent's answers on the first instances; empty when nothing is compared with
            them. As many answers of the candidate are compared.
        order: ids of the instances in the order of execution; empty for the usual order.
    """

    rival: tuple[float, ...]
    level: float
    proven: bool
    parent: tuple[str | None, ...] = ()
    order: tuple[str, ...] = ()

    @classmethod
    def against(
        cls,
        rival: Evaluation,
        loss_of: Callable[[Score], float | None],
        level: float,
        parent: Evaluation | None = None,
        compared: int = 0,
        groups: Mapping[str, str] | None = None,
    ) -> PairedRace:
        """The race against a complete evaluation.

        Args:
            rival: whose losses count.
            loss_of: normalised loss (ratio) of a score.
            level: see the attributes.
            parent: complete evaluation of the candidate's first parent.
            compared: answers that are compared with the parent's (count).
            groups: instance id → its stratum where the instances on which the parent loses most are executed
                first, see `hardest`; None for the usual order.

        Raises:
            ValueError: a score is not OK.
        """
        proven = all(score.reference_kind.proven for score in rival.scores)
        losses = losses_of(rival, loss_of)
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
        """Whether the first instances show the candidate clearly worse than the rival, or like its parent."""
        if self.alike(answers):
            return True
        # Where losses can be below 0, what is to come could still make up for any sum.
        if self.proven and math.fsum(losses) > SURE * math.fsum(self.rival) + 1e-12:
            return True
        looks = looks_of(len(self.rival))
        if len(losses) not in looks:
            return False
        return clearly_above(
            [a - b for a, b in zip(losses, self.rival, strict=False)], self.level / len(looks)
        )

    def alike(self, answers: Sequence[str | None], seconds: Sequence[float] = ()) -> bool:
        """Whether the candidate ends here because it answered the first instances as its parent did."""
        return bool(self.parent) and tuple(answers) == self.parent


@dataclass(frozen=True, slots=True)
class TimedRace:
    """A race within the candidate's time class: a slow rival never ends a fast candidate.

    Attributes:
        rivals: time class → the race against its rival; classes without an elite are missing.
        parent: digests of the parent's answers on the first instances.
        parent_seconds: net CPU seconds of the parent on them, in all.
        floor: CPU seconds of an execution that does nothing.
        order: ids of the instances in the order of execution; empty for the usual order.
    """

    rivals: Mapping[int, PairedRace]
    parent: tuple[str | None, ...]
    parent_seconds: float
    floor: float
    order: tuple[str, ...] = ()

    def lost(
        self, losses: Sequence[float], answers: Sequence[str | None], seconds: Sequence[float] = ()
    ) -> bool:
        """Whether the candidate is clearly worse than its class's rival, or like its parent and no faster.

        The class is the one that the candidate shows so far; where it has no elite, the rival is that of the
        next faster class.
        """
        if self.alike(answers, seconds):
            return True
        shown = time_class(max(0.0, math.fsum(seconds) / len(seconds) - self.floor))
        quicker = [number for number in self.rivals if number <= shown]
        return bool(quicker) and self.rivals[max(quicker)].lost(losses, ())

    def alike(self, answers: Sequence[str | None], seconds: Sequence[float] = ()) -> bool:
        """Whether the candidate answers as its parent did, in more than half the parent's time."""
        if not self.parent or tuple(answers) != self.parent:
            return False
        return math.fsum(one - self.floor for one in seconds) > 0.5 * self.parent_seconds


Racing = PairedRace | TimedRace


def race_for(race: Racing | None, candidate: Candidate) -> Racing | None:
    """The race of an ask as its candidate runs it: a simplification may answer as its parent does.

    With the same answers everywhere a shorter program takes its parent's cell, so it is executed to the end;
    whoever submits a program may have made an earlier one faster.
    """
    if race is None or candidate.origin not in (Origin.SIMPLIFY, Origin.SUBMIT):
        return race
    return replace(race, parent=())


def outcome_of(candidate: Candidate, evaluation: Evaluation, race: Racing | None) -> Outcome:
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
    if race is not None and race.alike([s.answer_digest for s in scores], [s.cpu_seconds for s in scores]):
        return Alike(candidate, evaluation)
    return Worse(candidate, evaluation)


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


def losses_of(evaluation: Evaluation, loss_of: Callable[[Score], float | None]) -> dict[str, float]:
    """Instance id → normalised loss (ratio) of a complete evaluation.

    Raises:
        ValueError: a score is not OK.
    """
    found = {}
    for score in evaluation.scores:
        loss = loss_of(score)
        if loss is None:
            raise ValueError(f"instance {score.instance}: status {score.status}, expected ok")
        found[score.instance] = loss
    return found


def looks_of(count: int) -> tuple[int, ...]:
    """After how many of `count` instances the test is made: growing by half, the last instance left out."""
    looks, size = [], float(FIRST_LOOK)
    while size < count:
        looks.append(int(size))
        size *= _GROWTH
    return tuple(looks)


def clearly_above(differences: Sequence[float], level: float) -> bool:
    """Whether the mean of differences is above 0 at a one-sided level (paired t test)."""
    count = len(differences)
    mean, spread = fmean(differences), stdev(differences)
    if spread == 0.0:
        return mean > 0.0
    return mean / (spread / math.sqrt(count)) > student(1 - level, count - 1)


def half_interval(values: Sequence[float]) -> float | None:
    """Half of the 95 % interval of a mean (Student's t); None for fewer than five values."""
    count = len(values)
    return None if count < FEWEST else student(0.975, count - 1) * stdev(values) / math.sqrt(count)


def student(probability: float, freedom: int) -> float:
    """Quantile of Student's t distribution (Abramowitz and Stegun 1964, 26.7.5), for 3 degrees and more.

    The expansion is within 3 % of the quantile up to probability 0.999.
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z * z * z + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, start=1))
