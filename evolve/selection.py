"""Who the parents of an iteration are: the archive's choice, or that of a control at equal budget."""

from __future__ import annotations

import random
from enum import StrEnum

from .archive import Archive
from .base import Elite


class Control(StrEnum):
    """What takes the place of the search, to see what the search is worth."""

    NONE = "none"
    BEST_OF_N = "best-of-n"
    RANDOM = "random"


class Selection:
    """Chooses parents; a pure function of the archive and of what was told."""

    def __init__(self, control: Control, start: Elite) -> None:
        """Takes what is chosen from.

        Args:
            control: `BEST_OF_N` proposes from the start program alone and learns nothing; `RANDOM`
                changes any valid candidate so far, good or bad.
            start: the start program's elite.
        """
        self.control = control
        self._start = start
        self._valid = [start]

    def parents(self, archive: Archive, island: int, rng: random.Random, count: int) -> list[Elite]:
        """First parent and inspirations (`count` elites in all, fewer if there are fewer)."""
        if self.control is Control.BEST_OF_N:
            return [self._start]
        if self.control is Control.RANDOM:
            return [self._valid[rng.randrange(len(self._valid))]]
        return archive.select(island, rng, count)

    def told(self, elite: Elite) -> None:
        """Takes a candidate that was valid on all training instances."""
        if self.control is Control.RANDOM:
            self._valid.append(elite)
