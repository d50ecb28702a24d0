"""Parent selection: one class for each way to choose what an iteration starts from, and their registry.

`OfflineSelection` draws from an island, `ModelSelection` chooses for models, `BestOfN` and `RandomDrift` are
controls. Another one is a class with a method `parents` (docs/add-a-selection.md).

A share of the iterations begins again at the start program, or at the best founder, as random immigrants do
in a population (Grefenstette 1992, PPSN II, pp. 137-144): islands with a poor or slow structure thus keep
meeting other structures. Where a search begins with start programs alone, the share is
larger at first: their changes are the first population, and as long as the archive is poor a race lets more
of them through.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ..evaluators.base import Evaluation
from .agenda import Subjects, SubjectSettings
from .archive import Archive
from .history import CandidateRegistry, Strata
from .iteration import Iteration, IterationResult, Part
from .settings import knob
from .types import (
    Alike,
    Complete,
    Context,
    Elite,
    Event,
    Failed,
    Origin,
    Outcome,
    Refused,
    Worse,
    stream,
    unique,
)

# Exhausted parents: all proposals from them are rejected, so the search selects other parents if there are
# any.
#
# The offline proposer has only a few dozen changes for a program of one line. Once all of them are made,
# every further proposal repeats a program, and thousands of iterations may pass without an evaluation.

PATIENCE = 40
"""Proposals in succession without a candidate after which a parent counts as exhausted (count)."""


class ExhaustedParents:
    """The parents whose latest proposals were all rejected; a function of the outcomes in their order."""

    def __init__(self) -> None:
        """Starts without outcomes."""
        self.parents: set[str] = set()
        self._rejections: dict[str, Counter[str]] = {}

    def tell(self, number: int, parent: str, outcome: Outcome) -> list[Event]:
        """Takes an outcome; returns an event when its parent becomes exhausted, once for each parent.

        Args:
            number: of the iteration.
            parent: id of its first parent.
            outcome: outcome of the iteration.
        """
        if not isinstance(outcome, Refused):
            self._rejections.pop(parent, None)
            self.parents.discard(parent)
            return []
        reasons = self._rejections.setdefault(parent, Counter())
        reasons[outcome.rejection.reason.value] += 1
        if reasons.total() != PATIENCE:
            return []
        self.parents.add(parent)
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        text = (
            f"iteration {number}: the last {PATIENCE} proposals from program {parent[:8]} were no new "
            f"programs ({counts}); other programs are the parents where there are any: `--start` and "
            "`search.founders=all` begin with more"
        )
        return [Event(number, "note", {"text": text})]

    def filter(self, elites: list[Elite]) -> list[Elite]:
        """The elites that are not exhausted; all of them if every one is."""
        return [elite for elite in elites if elite.candidate.id not in self.parents] or elites


class Control(StrEnum):
    """A control that replaces the search, to measure what the search contributes."""

    NONE = "none"
    BEST_OF_N = "best-of-n"
    RANDOM = "random"


FRESH_UNTIL = 600
"""Default of `fresh_until` before it is capped (count)."""


@dataclass(frozen=True)
class InspirationSettings:
    """What a proposer gets beside the parent."""

    inspirations: int = knob(1, "elites given to the proposer beside the parent (count, 0 to 8)", ge=0, le=8)


@dataclass(frozen=True)
class FreshSettings:
    """Share of iterations that begin again at the start program, or at the best founder."""

    fresh_share: float = knob(
        0.25,
        "share of the iterations whose parent is the best founder, whatever the archive holds "
        "(ratio; 0 is none; with models 0 by default)",
        ge=0,
        le=0.9,
    )
    fresh_until: int | None = knob(
        None,
        "first iterations, over which the share of fresh starts falls from 1 to fresh_share (count; "
        f"0 is none); default {FRESH_UNTIL}, capped at a quarter of the iteration budget; 0 with models or "
        "with all founders; "
        "with only a time limit, set a quarter of the iterations you expect",
        ge=0,
    )


@dataclass(frozen=True)
class SelectionSettings(FreshSettings, SubjectSettings):
    """What the strategies read of the configuration."""


@dataclass(frozen=True, slots=True)
class SelectionBasis:
    """What a strategy may use.

    Attributes:
        archive: the elites, as they are now.
        memory, strata: how candidates came about; where elites are good.
        start: the elite that fresh starts and best-of-n change.
        founders: what the search begins with.
        settings: see there.
        count: programs that a proposer sees, the parent among them (count).
        seed: of the choices.
    """

    archive: Archive
    memory: CandidateRegistry
    strata: Strata
    start: Elite
    founders: tuple[Elite, ...]
    settings: SelectionSettings
    count: int
    seed: int

    def rng(self, number: int) -> random.Random:
        """The random stream of a choice (1-based number of the ask)."""
        return stream(self.seed, "select", number)


class Selection(Part):
    """Chooses what an iteration starts from; a pure function of the archive and of the outcomes so far.

    Attributes:
        learns: whether proposals may know of each other; a control's may not.
        races: whether candidates are stopped early.
    """

    learns = True
    races = True

    def __init__(self, basis: SelectionBasis) -> None:
        """Takes what the choice may use."""
        self.basis = basis
        self.start = basis.start

    def parents(self, number: int, island: int) -> list[Elite]:
        """First parent and inspirations of an ask.

        Args:
            number: of the ask, 1-based.
            island: index of the island that the iteration belongs to.
        """
        raise NotImplementedError

    def whole(self, number: int) -> bool:
        """Whether the candidate of an ask is executed to the end, whatever its losses."""
        return False

    def gained(self, iteration: Iteration, result: IterationResult, better: bool) -> bool | None:
        """Whether an outcome is a gain of its operator; None if it says nothing of it.

        Args:
            iteration, result: what was asked for and what came of it.
            better: whether the candidate is better in training than its first parent.
        """
        return better

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """See `Part`: takes the start program's elite on more instances."""
        start = evaluations.get(self.start.candidate.id)
        if start is not None and start.fitness is not None:
            self.start = self.basis.archive.elite(self.start.candidate, start, 0)


class BestOfN(Selection):
    """A control: changes the start program alone, and learns nothing."""

    learns = False

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`."""
        return [self.start]


class RandomDrift(Selection):
    """A control: changes any valid candidate so far, good or bad; a race would be the selection it lacks."""

    learns = False
    races = False

    def __init__(self, basis: SelectionBasis) -> None:
        """See `Selection`."""
        super().__init__(basis)
        self._valid = list(basis.founders) or [basis.start]

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`."""
        return [self._valid[self.basis.rng(number).randrange(len(self._valid))]]

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Remembers what is valid on all training instances."""
        if isinstance(result.outcome, Complete):
            candidate = result.outcome.candidate
            self._valid.append(
                self.basis.archive.elite(candidate, result.outcome.evaluation, iteration.island)
            )


class OfflineSelection(Selection):
    """Draws from an island by rank; a share begins again, and exhausted parents are left out."""

    def __init__(self, basis: SelectionBasis) -> None:
        """See `Selection`."""
        super().__init__(basis)
        founders = basis.founders or (basis.start,)
        self._founders = sorted(founders, key=lambda elite: (-elite.fitness, elite.candidate.id))
        self._exhausted = ExhaustedParents()

    def fresh(self, number: int) -> bool:
        """Whether an iteration (1-based number) begins again at the start if it is not one of tuning."""
        settings = self.basis.settings
        until = settings.fresh_until
        share = 1 - number / until if until else 0.0
        return stream(self.basis.seed, "fresh", number).random() < max(settings.fresh_share, share)

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`."""
        if self.fresh(number):
            return self._exhausted.filter([self.start, *self._founders])[:1]
        rng = self.basis.rng(number)
        return self.basis.archive.select(island, rng, self.basis.count, self._exhausted.filter)

    def gained(self, iteration: Iteration, result: IterationResult, better: bool) -> bool | None:
        """See `Selection`; almost any change of a start program is a gain, so it says nothing."""
        return better if iteration.tuned or not self.fresh(iteration.first) else None

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Notes whether the parent still brings new programs."""
        if not iteration.tuned:
            events = self._exhausted.tell(iteration.number, iteration.parents[0], result.outcome)
            result.notes += [str(event.data["text"]) for event in events]
            result.events += events


# Chooses parents for models, whose calls are few and expensive, and avoids programs without promise.
#
# Elites are drawn by rank of fitness. A start program leaves the draw once another elite beats it on every
# stratum, or several replies are better in the mean. A reply leaves the draw once another elite beats it on
# every stratum and its loss is twice that of the best. A program whose children are often stopped is chosen
# less, and late in a campaign so is one with twice the loss of the best. The program shown beside the
# parent, for a model to combine the two, is neither its ancestor nor its descendant and is good on some
# stratum; all such programs take turns.

SURPASSED = 4
"""Replies better in the mean after which a start program is shown no more (count)."""

WEAK = 2.0
"""Loss beside the best program's from which a reply that is beaten on every stratum is no parent (ratio)."""

LATE = 20
"""Outcomes of replies after which a program that loses `WEAK` times as much as the best is chosen less."""
LATE_CHANCE = 0.25
"""What the chance of such a program is multiplied by."""


@dataclass(slots=True)
class Children:
    """Told children of a program, and those of them that were stopped or failed (counts)."""

    told: int = 0
    lost: int = 0

    @property
    def chance(self) -> float:
        """Factor of the program's chance: 1 without children, 1 / (n + 1) if all n were lost."""
        return (1 + self.told - self.lost) / (1 + self.told)


class ModelSelection(Selection):
    """Chooses the programs that a model is shown, and what it is asked for.

    Attributes:
        beside: chooses for the offline proposer where that works beside models.
    """

    for_models = True

    def __init__(self, basis: SelectionBasis) -> None:
        """See `Selection`."""
        super().__init__(basis)
        self.beside = OfflineSelection(basis)
        self._subjects = Subjects(basis.settings, basis.archive.best)
        self._simplified: set[str] = set()
        self._completed = 0
        self._children: dict[str, Children] = {}
        self._offers: Counter[str] = Counter()
        self._open: dict[int, tuple[str, ...]] = {}

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`; no two asks under way show the same programs, as long as there are others."""
        if self.beside.fresh(number):
            return self.beside.parents(number, island)
        archive = self.basis.archive
        everywhere = archive.elites()
        first = self._subjects.parent(number, archive.best)
        if first is None:
            first = self._first(archive, island, everywhere, self.basis.rng(number), self.basis.count)
        return [first, *self._beside(first, everywhere)[: self.basis.count - 1]]

    def whole(self, number: int) -> bool:
        """See `Selection`: the first form of a design may be improved, so it races nobody."""
        return self._subjects.designs(number)

    def gained(self, iteration: Iteration, result: IterationResult, better: bool) -> bool | None:
        """See `Selection`; of a model's calls, which are few, only a new best is a gain."""
        if iteration.of_model:
            return result.improved
        return self.beside.gained(iteration, result, better)

    def ask(self, iteration: Iteration) -> None:
        """Notes the question and the programs that it shows."""
        if iteration.asks:
            self._subjects.ask(iteration.number, iteration.shown[0])
            self._offers.update(iteration.shown[1:])
            self._open[iteration.number] = iteration.shown

    def brief(self, number: int, parent: Elite, context: Context) -> Context:
        """What the ask is about, and whether the parent was to be simplified before."""
        simplified = parent.candidate.id in self._simplified
        return replace(self._subjects.brief(number, context), simplified=simplified)

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Takes an outcome; a rejection says nothing of the parent."""
        outcome = result.outcome
        if iteration.of_model or iteration.submitted:
            self._note(iteration.number, outcome, iteration.parents)
        asked = outcome if iteration.of_model else None
        self._subjects.tell(iteration.number, self.basis.archive, asked, result.duplicate)

    def _note(self, number: int, outcome: Outcome, parents: tuple[str, ...]) -> None:
        self._open.pop(number, None)
        self._completed += 1
        if outcome.operator.split(" ")[0] == Origin.SIMPLIFY:
            self._simplified.update(parents[:1])
        if isinstance(outcome, Refused) or not parents:
            return
        children = self._children.setdefault(parents[0], Children())
        children.told += 1
        children.lost += isinstance(outcome, Worse | Alike | Failed)

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """See `Part`."""
        super().grow(evaluations)
        self.beside.grow(evaluations)
        self._subjects.grow(self.basis.archive.best)

    def _first(
        self, archive: Archive, island: int, everywhere: Sequence[Elite], rng: random.Random, count: int
    ) -> Elite:
        """A parent by rank, of those whose programs no ask under way shows if there are such."""
        elites = archive.elites(island)
        if (number := archive.draw_class(elites, rng)) is not None:
            elites = [elite for elite in elites if archive.class_of(elite) == number]
        best = max(elite.fitness for elite in everywhere)
        possible = [e for e in elites if not self._done(e, everywhere)] or elites
        first = self._draw(possible, best, rng)
        others = [e for e in possible if self._is_new(e, everywhere, count)]
        return first if not others or first in others else self._draw(others, best, rng)

    def _is_new(self, first: Elite, elites: Sequence[Elite], count: int) -> bool:
        """Whether no ask under way shows the programs that an ask with this parent would show."""
        shown = [elite.candidate.id for elite in (first, *self._beside(first, elites)[: count - 1])]
        return tuple(shown) not in self._open.values()

    def _done(self, elite: Elite, others: Sequence[Elite]) -> bool:
        """Whether a start program is beaten on every stratum, or by several replies in the mean.

        A reply has to be beaten on every stratum, and to lose several times as much as the best program.
        """
        if elite.candidate.iteration != 0:
            best = max(other.fitness for other in others)
            return elite.fitness < WEAK * min(best, 0.0) and self.basis.strata.beaten(elite, others)
        better = [other for other in others if other.candidate.iteration and other.fitness > elite.fitness]
        return len(unique(better)) >= SURPASSED or self.basis.strata.beaten(elite, others)

    def _chance(self, elite: Elite, best: float) -> float:
        """Factor of a program's chance by rank, given the best fitness (a ratio) so far."""
        weak = self._completed >= LATE and elite.fitness < WEAK * min(best, 0.0)
        return self._children.get(elite.candidate.id, Children()).chance * (LATE_CHANCE if weak else 1.0)

    def _draw(self, elites: Sequence[Elite], best: float, rng: random.Random) -> Elite:
        """An elite by rank (squared uniform), less often if its children were lost, or if it is weak."""
        count = len(elites)
        steps = [(rank / count) ** 0.5 for rank in range(count + 1)]
        weights = [
            (steps[rank + 1] - steps[rank]) * self._chance(elite, best) for rank, elite in enumerate(elites)
        ]
        return rng.choices(elites, weights)[0]

    def _beside(self, first: Elite, elites: Sequence[Elite]) -> list[Elite]:
        """Elites that are neither ancestors nor descendants of the parent, and not beaten.

        Those come first that no ask under way shows beside it, and of these the ones that win the most
        against it, summed over strata and divided by how often they were shown beside a parent.
        """
        own = self.basis.memory.ancestors(first.candidate.id)
        least = self.basis.strata.parts(first)
        suitable = {
            elite.candidate.id: elite
            for elite in elites
            if elite.candidate.id not in own
            and first.candidate.id not in self.basis.memory.ancestors(elite.candidate.id)
            and not self.basis.strata.beaten_in_parts(elite, elites)
            and not self._done(elite, elites)
        }
        shown = {id for ids in self._open.values() if ids[:1] == (first.candidate.id,) for id in ids}
        return sorted(
            suitable.values(),
            key=lambda elite: (
                elite.candidate.id in shown,
                -self.basis.strata.gain(elite, least) / (1 + self._offers[elite.candidate.id]),
                self._offers[elite.candidate.id],
                -elite.fitness,
                elite.candidate.id,
            ),
        )


SELECTIONS: dict[str, type[Selection]] = {
    Control.NONE: OfflineSelection,
    Control.BEST_OF_N: BestOfN,
    Control.RANDOM: RandomDrift,
    "models": ModelSelection,
}
"""Name → strategy; to register one, add a row."""
