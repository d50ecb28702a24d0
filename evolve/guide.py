"""Parents for models, whose calls are few and dear: no iteration goes to a program that teaches nothing.

Elites are drawn by rank of fitness. Start programs leave the draw once another elite beats them on every
stratum, and a program whose children are stopped again and again is chosen less. The program beside the
parent, with which a model may combine it, is no relative of its and is good somewhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from .archive import Archive
from .base import Alike, Elite, Failed, Outcome, Refused, Turn, Worse
from .memory import Memory
from .strata import Strata


@dataclass(slots=True)
class Children:
    """Told children of a program, and those of them that were stopped or failed (counts)."""

    told: int = 0
    lost: int = 0

    @property
    def chance(self) -> float:
        """What the program's chance is multiplied by: 1 without children, 1 / (n + 1) if all n were lost."""
        return (1 + self.told - self.lost) / (1 + self.told)


@dataclass(slots=True)
class Guide:
    """Chooses the programs that a model is shown; a function of the archive and of the outcomes so far.

    Attributes:
        start: the start program's elite.
        memory: how candidates came about.
        strata: where elites are good.
    """

    start: Elite
    memory: Memory
    strata: Strata
    _children: dict[str, Children] = field(default_factory=dict)

    def note(self, outcome: Outcome, parents: tuple[str, ...]) -> None:
        """Takes an outcome of a model's reply; a rejected reply says nothing of the parent."""
        if isinstance(outcome, Refused) or not parents:
            return
        children = self._children.setdefault(parents[0], Children())
        children.told += 1
        children.lost += isinstance(outcome, Worse | Alike | Failed)

    def parents(
        self, archive: Archive, island: int, turn: Turn | None, rng: random.Random, count: int
    ) -> list[Elite]:
        """First parent and programs beside it (`count` elites in all, fewer if there are fewer).

        A fresh start has the start program as its parent; another turn asks for something else of the best.
        """
        elites = archive.elites(island)
        if (number := archive.draw_class(elites, rng)) is not None:
            elites = [elite for elite in elites if archive.class_of(elite) == number]
        everywhere = archive.elites()
        if turn is Turn.FRESH:
            first = self.start
        elif turn is not None and archive.best is not None:
            first = archive.best
        else:
            first = self._draw([e for e in elites if not self._done(e, everywhere)] or elites, rng)
        return [first, *self._beside(first, everywhere)[: count - 1]]

    def _done(self, elite: Elite, others: Sequence[Elite]) -> bool:
        """Whether an elite is a start program that another elite beats on every stratum."""
        return elite.candidate.iteration == 0 and self.strata.beaten(elite, others)

    def _draw(self, elites: Sequence[Elite], rng: random.Random) -> Elite:
        """An elite by rank (squared uniform), less often if its children were lost."""
        count = len(elites)
        steps = [(rank / count) ** 0.5 for rank in range(count + 1)]
        weights = [
            (steps[rank + 1] - steps[rank]) * self._children.get(elite.candidate.id, Children()).chance
            for rank, elite in enumerate(elites)
        ]
        return rng.choices(elites, weights)[0]

    def _beside(self, first: Elite, elites: Sequence[Elite]) -> list[Elite]:
        """Elites that are neither ancestors nor descendants of the parent, and not beaten everywhere.

        Those that win the most against it, summed over strata, come first.
        """
        own = self.memory.ancestors(first.candidate.id)
        least = self.strata.losses(first)
        suitable = {
            elite.candidate.id: elite
            for elite in elites
            if elite.candidate.id not in own
            and first.candidate.id not in self.memory.ancestors(elite.candidate.id)
            and not self.strata.beaten(elite, elites)
        }
        return sorted(
            suitable.values(),
            key=lambda elite: (-self.strata.gain(elite, least), -elite.fitness, elite.candidate.id),
        )
