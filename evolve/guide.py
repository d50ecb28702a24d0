"""Chooses parents for models, whose calls are few and expensive, and avoids programs without promise.

Elites are drawn by rank of fitness. A start program leaves the draw once another elite beats it on every
stratum, or several replies are better in the mean. A reply leaves the draw once another elite beats it on
every stratum and its loss is twice that of the best. A program whose children are often stopped is chosen
less, and late in a campaign so is one with twice the loss of the best. The program shown beside the parent,
for a model to combine the two, is neither its ancestor nor its descendant and is good on some stratum; all
such programs take turns.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from .archive import Archive, unique
from .base import Alike, Elite, Failed, Origin, Outcome, Refused, Worse
from .memory import Memory
from .strata import Strata

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

    memory: Memory
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
