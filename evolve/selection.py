"""The parents of an iteration: the archive's choice, or that of a control at equal budget.

A share of the iterations begins again at the start program, or at the best founder, as random immigrants do
in a population (Grefenstette 1992, PPSN II, pp. 137-144): islands with a poor or slow structure thus keep
meeting other structures. Where a search begins with start programs alone, the share is
larger at first: their changes are the first population, and as long as the archive is poor a race lets more
of them through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from .archive import Archive
from .barren import Barren
from .base import Elite, stream
from .knobs import knob


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
        self.barren = Barren()

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
            return self.barren.fertile([self._start, *self._founders])[:1]
        rng = stream(self._seed, "select", number)
        if self.control is Control.RANDOM:
            return [self._valid[rng.randrange(len(self._valid))]]
        return archive.select(island, rng, count, self.barren.fertile)

    def grow(self, start: Elite) -> None:
        """Takes the start program's elite on more instances."""
        self._start = start

    def add(self, elite: Elite) -> None:
        """Takes a candidate that is valid on all training instances; only `RANDOM` remembers it."""
        if self.control is Control.RANDOM:
            self._valid.append(elite)
