"""Who the parents of an iteration are: the archive's choice, or that of a control at equal budget.

A share of the iterations begins again at the start program, as random immigrants do in a population
(Grefenstette 1992, PPSN II, pp. 137-144): islands that settled on a poor structure, or on one that is slow to
execute, meet others all along. At the beginning the share is larger: changes of the start program are the
first population, and as long as the archive is poor a race lets more of them through.
"""

from __future__ import annotations

from enum import StrEnum

from .archive import Archive
from .base import Elite, stream


class Control(StrEnum):
    """What takes the place of the search, to see what the search is worth."""

    NONE = "none"
    BEST_OF_N = "best-of-n"
    RANDOM = "random"


class Selection:
    """Chooses parents; a pure function of the archive and of what was told."""

    def __init__(self, control: Control, start: Elite, seed: int, *, share: float, until: int) -> None:
        """Takes what is chosen from.

        Args:
            control: `BEST_OF_N` proposes from the start program alone and learns nothing; `RANDOM`
                changes any valid candidate so far, good or bad.
            start: the start program's elite.
            seed: of the choices.
            share: of the iterations that begin at the start program (ratio, 0 to 1).
            until: iterations over which it falls from 1 to `share` (count); 0 is none.
        """
        self.control = control
        self._start = start
        self._seed = seed
        self._share = share
        self._until = until
        self._valid = [start]

    def fresh(self, number: int) -> bool:
        """Whether an iteration (1-based number) begins at the start program if it is not one of tuning."""
        if self.control is not Control.NONE:
            return False
        begins = 1 - number / self._until if self._until else 0.0
        return stream(self._seed, "fresh", number).random() < max(self._share, begins)

    def parents(self, archive: Archive, island: int, number: int, count: int) -> list[Elite]:
        """First parent and inspirations (`count` elites in all, fewer if there are fewer) of an iteration."""
        if self.control is Control.BEST_OF_N or self.fresh(number):
            return [self._start]
        rng = stream(self._seed, "select", number)
        if self.control is Control.RANDOM:
            return [self._valid[rng.randrange(len(self._valid))]]
        return archive.select(island, rng, count)

    def told(self, elite: Elite) -> None:
        """Takes a candidate that was valid on all training instances."""
        if self.control is Control.RANDOM:
            self._valid.append(elite)
