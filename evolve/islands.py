"""How islands meet: migration along a ring, and the resettling of islands that stand still."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .archive import Archive, unique
from .base import stream

SURVIVORS = 3
"""Elites that settle an emptied island (count)."""
RESET_LOOK = 40
"""Told iterations between looks for an island that stands still (count); each look resettles one at most."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to the islands: a kind (`migration`, `reset`) and its data."""

    kind: str
    data: dict[str, Any]


class Islands:
    """Moves elites between the islands of an archive; a pure function of what was told, in which order."""

    def __init__(self, archive: Archive, *, seed: int, migration_every: int, reset_after: int) -> None:
        """Takes the archive and the two intervals.

        Args:
            archive: with its start programs.
            seed: of the choice of survivors.
            migration_every: told iterations between migrations (count); 0 is never.
            reset_after: told iterations without a better best after which an island stands still (count);
                0 is never.
        """
        self._archive = archive
        self._seed = seed
        self._migration_every = migration_every
        self._reset_after = reset_after
        self._bests: list[float | None] = [None] * archive.islands
        self._since = [0] * archive.islands

    def told(self, count: int) -> list[Event]:
        """Does what is due after `count` told iterations (from 1), and says what was done."""
        if self._archive.islands < 2:
            return []
        self._note(count)
        due = self._migration_every and not count % self._migration_every
        return [
            *(() if count % RESET_LOOK else self._reset(count)),
            *(self._migrate() if due else ()),
        ]

    def _quality(self, island: int) -> float:
        best = self._bests[island]
        return -math.inf if best is None else best

    def _note(self, count: int) -> None:
        for elite in self._archive.bests():
            before = self._bests[elite.island]
            if before is None or elite.fitness > before:
                self._bests[elite.island], self._since[elite.island] = elite.fitness, count

    def _migrate(self) -> Iterator[Event]:
        """Copies each island's best to the next island of the ring."""
        for elite in self._archive.bests():
            target = (elite.island + 1) % self._archive.islands
            added = self._archive.migrate(elite, target)
            data = {"candidate": elite.candidate.id, "from": elite.island, "to": target}
            yield Event("migration", {**data, "added": int(added)})

    def _reset(self, count: int) -> Iterator[Event]:
        """Resettles the worst island that stands still, if any, with the best elites of another one."""
        still = [i for i, since in enumerate(self._since) if count - since >= self._reset_after]
        if not self._reset_after or not still:
            return
        worst = min(still, key=lambda island: (self._quality(island), island))
        # Only from islands at least as good: the best elite of all is never lost.
        others = [
            i for i in range(len(self._bests)) if i != worst and self._quality(i) >= self._quality(worst)
        ]
        if not others:
            return
        source = stream(self._seed, "reset", count).choice(others)
        survivors = unique(self._archive.elites(source))[:SURVIVORS]
        self._archive.reset(worst, survivors)
        self._bests[worst], self._since[worst] = survivors[0].fitness if survivors else None, count
        ids = [elite.candidate.id for elite in survivors]
        yield Event("reset", {"island": worst, "from": source, "candidates": ids})
