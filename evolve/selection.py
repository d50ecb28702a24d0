"""Parent selection: of the archive, of a control, and of models; exhausted parents are left out.

A share of the iterations begins again at the start program, or at the best founder, as random immigrants do
in a population (Grefenstette 1992, PPSN II, pp. 137-144): islands with a poor or slow structure thus keep
meeting other structures. Where a search begins with start programs alone, the share is
larger at first: their changes are the first population, and as long as the archive is poor a race lets more
of them through.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from .archive import Archive
from .history import CandidateRegistry, Strata
from .settings import knob
from .types import Alike, Elite, Event, Failed, Origin, Outcome, Refused, Worse, stream, unique

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


@dataclass(slots=True)
class Guide:
    """Chooses the programs that a model is shown; a function of the archive and of the outcomes so far.

    Attributes:
        memory: how candidates came about.
        strata: where elites are good.
        simplified: ids of the programs that were to be simplified.
    """

    memory: CandidateRegistry
    strata: Strata
    simplified: set[str] = field(default_factory=set)
    _told: int = 0
    _children: dict[str, Children] = field(default_factory=dict)
    _offers: Counter[str] = field(default_factory=Counter)
    _open: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def note(self, number: int, outcome: Outcome, parents: tuple[str, ...]) -> None:
        """Takes the outcome of a model's ask (1-based number); a rejection says nothing of the parent."""
        self._open.pop(number, None)
        self._told += 1
        if outcome.operator.split(" ")[0] == Origin.SIMPLIFY:
            self.simplified.update(parents[:1])
        if isinstance(outcome, Refused) or not parents:
            return
        children = self._children.setdefault(parents[0], Children())
        children.told += 1
        children.lost += isinstance(outcome, Worse | Alike | Failed)

    def offer(self, number: int, shown: Sequence[str]) -> None:
        """Notes the ids of the programs that an ask (1-based number) shows, the parent first."""
        self._offers.update(shown[1:])
        self._open[number] = tuple(shown)

    def parents(
        self, archive: Archive, island: int, first: Elite | None, rng: random.Random, count: int
    ) -> list[Elite]:
        """First parent and programs beside it (`count` elites in all, fewer if there are fewer).

        With `first` that is the parent. Otherwise no two asks under way show the same programs, as long as
        there are others.
        """
        everywhere = archive.elites()
        if first is None:
            first = self._first(archive, island, everywhere, rng, count)
        return [first, *self._beside(first, everywhere)[: count - 1]]

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
            return elite.fitness < WEAK * min(best, 0.0) and self.strata.beaten(elite, others)
        better = [other for other in others if other.candidate.iteration and other.fitness > elite.fitness]
        return len(unique(better)) >= SURPASSED or self.strata.beaten(elite, others)

    def _chance(self, elite: Elite, best: float) -> float:
        """Factor of a program's chance by rank, given the best fitness (a ratio) so far."""
        weak = self._told >= LATE and elite.fitness < WEAK * min(best, 0.0)
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
        own = self.memory.ancestors(first.candidate.id)
        least = self.strata.parts(first)
        suitable = {
            elite.candidate.id: elite
            for elite in elites
            if elite.candidate.id not in own
            and first.candidate.id not in self.memory.ancestors(elite.candidate.id)
            and not self.strata.beaten_in_parts(elite, elites)
            and not self._done(elite, elites)
        }
        shown = {id for ids in self._open.values() if ids[:1] == (first.candidate.id,) for id in ids}
        return sorted(
            suitable.values(),
            key=lambda elite: (
                elite.candidate.id in shown,
                -self.strata.gain(elite, least) / (1 + self._offers[elite.candidate.id]),
                self._offers[elite.candidate.id],
                -elite.fitness,
                elite.candidate.id,
            ),
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


class Selection:
    """Chooses parents; a pure function of the archive and of the outcomes so far."""

    def __init__(
        self,
        control: Control,
        start: Elite,
        settings: FreshSettings,
        *,
        seed: int,
        founders: Sequence[Elite] = (),
    ) -> None:
        """Prepares the choice.

        Args:
            control: `BEST_OF_N` proposes from `start` alone and learns nothing; `RANDOM`
                changes any valid candidate so far, good or bad.
            start: the elite that fresh starts and `BEST_OF_N` change.
            settings: how often an iteration begins at it.
            seed: of the choices.
            founders: what `RANDOM` begins with, `start` alone by default.
        """
        self.control = control
        self._start = start
        self._seed = seed
        self._settings = settings
        self._valid = list(founders) or [start]
        self._founders = sorted(self._valid, key=lambda elite: (-elite.fitness, elite.candidate.id))
        self.exhausted = ExhaustedParents()

    def fresh(self, number: int) -> bool:
        """Whether an iteration (1-based number) begins again at `start` if it is not one of tuning."""
        if self.control is not Control.NONE:
            return False
        until = self._settings.fresh_until
        share = 1 - number / until if until else 0.0
        return stream(self._seed, "fresh", number).random() < max(self._settings.fresh_share, share)

    def parents(self, archive: Archive, island: int, number: int, count: int) -> list[Elite]:
        """First parent and inspirations (`count` elites in all, fewer if there are fewer) of an iteration."""
        if self.control is Control.BEST_OF_N:
            return [self._start]
        if self.fresh(number):
            return self.exhausted.filter([self._start, *self._founders])[:1]
        rng = stream(self._seed, "select", number)
        if self.control is Control.RANDOM:
            return [self._valid[rng.randrange(len(self._valid))]]
        return archive.select(island, rng, count, self.exhausted.filter)

    def grow(self, start: Elite) -> None:
        """Takes the start program's elite on more instances."""
        self._start = start

    def add(self, elite: Elite) -> None:
        """Takes a candidate that is valid on all training instances; only `RANDOM` remembers it."""
        if self.control is Control.RANDOM:
            self._valid.append(elite)
