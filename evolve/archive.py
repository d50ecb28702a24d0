"""Islands of MAP-Elites cells (Mouret and Clune 2015, arXiv:1504.04909; islands as in FunSearch)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from ..evaluators.base import Evaluation
from .base import AddStatus, Candidate, Elite
from .measures import MeasureSpace


class Archive:
    """One elite a cell and island; a better candidate of the same cell takes its place.

    A pure function of the sequence of `add` and `migrate` calls: rebuilt from the store on resume.
    """

    def __init__(self, space: MeasureSpace, islands: int) -> None:
        """Makes `islands` (count, ≥ 1) empty islands over the cells of `space`."""
        if islands < 1:
            raise ValueError(f"Archive islands: got {islands}, expected at least 1")
        self.space = space
        self._islands: list[dict[tuple[int, ...], Elite]] = [{} for _ in range(islands)]
        self._best: Elite | None = None

    @property
    def islands(self) -> int:
        """Number of islands."""
        return len(self._islands)

    @property
    def best(self) -> Elite | None:
        """The elite with the largest training fitness; of equals the first one added."""
        return self._best

    def add(self, candidate: Candidate, evaluation: Evaluation, island: int) -> AddStatus:
        """Adds a candidate with its complete training evaluation to an island."""
        measures = self.space.measures(candidate, evaluation)
        return self._place(Elite(candidate, evaluation, island, self.space.cell(measures), measures))

    def migrate(self, elite: Elite, island: int) -> AddStatus:
        """Copies an elite to another island; it keeps its candidate, evaluation and lineage."""
        return self._place(replace(elite, island=island))

    def migrate_ring(self) -> list[tuple[Elite, int, AddStatus]]:
        """Copies each island's best to the next island of the ring; (elite, target, what it did there)."""
        bests = [elite for island in range(self.islands) for elite in self.elites(island)[:1]]
        moves = [(elite, (elite.island + 1) % self.islands) for elite in bests]
        return [(elite, target, self.migrate(elite, target)) for elite, target in moves]

    def elites(self, island: int | None = None) -> list[Elite]:
        """Elites of one island or all, best first; ties by id."""
        groups = self._islands if island is None else [self._islands[island]]
        found = [elite for group in groups for elite in group.values()]
        return sorted(found, key=lambda e: (-e.fitness, e.candidate.id, e.island))

    def select(self, island: int, rng: random.Random, parents: int = 2) -> list[Elite]:
        """Parents from an island: the first by rank (squared uniform, so better is likelier), others uniform.

        The same elite is never chosen twice; fewer come back when the island holds fewer.
        """
        pool = self.elites(island)
        chosen = [pool.pop(int(len(pool) * rng.random() ** 2))] if pool else []
        while pool and len(chosen) < parents:
            chosen.append(pool.pop(rng.randrange(len(pool))))
        return chosen

    def occupancy(self) -> list[int]:
        """Cells filled on each island (count)."""
        return [len(island) for island in self._islands]

    def _place(self, elite: Elite) -> AddStatus:
        cells = self._islands[elite.island]
        holder = cells.get(elite.cell)
        if holder is not None and elite.fitness <= holder.fitness:
            return AddStatus.NOT_ADDED
        cells[elite.cell] = elite
        if self._best is None or elite.fitness > self._best.fitness:
            self._best = elite
        return AddStatus.NEW if holder is None else AddStatus.IMPROVED


def unique(elites: Sequence[Elite]) -> list[Elite]:
    """Elites without further copies of the same candidate, order kept."""
    seen: dict[str, Elite] = {}
    for elite in elites:
        seen.setdefault(elite.candidate.id, elite)
    return list(seen.values())
