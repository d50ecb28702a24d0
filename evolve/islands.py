"""Islands and the pool: migration along a ring, resets, and the growing prefix of instances."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..evaluators.base import Evaluation
from .archive import Archive
from .iteration import Iteration, IterationResult, Part
from .settings import constant, knob
from .types import Event, stream, unique

SURVIVORS = 3
"""Elites that settle an emptied island (count)."""
RESET_LOOK = 40
"""Told iterations between looks for an island that stands still (count); each look resettles one at most."""
CALLS_PER_ISLAND = 200
"""Iterations with models for which another island is added (count)."""


def islands_with_models(iterations: int | None) -> int:
    """Islands (count) of a campaign with models, by its budget of iterations; 1 where that is not known.

    A few dozen replies on several islands never meet: each prompt would show the best of its own island.
    """
    return 1 if iterations is None else min(1 + iterations // CALLS_PER_ISLAND, IslandSettings.islands)


@dataclass(frozen=True)
class IslandSettings:
    """How many islands there are and how they meet."""

    islands: int = knob(
        4,
        "islands of the archive (count, 1 to 64); with models 1, and one more for each "
        f"{CALLS_PER_ISLAND} iterations of the budget, at most 4",
        ge=1,
        le=64,
    )
    migration_every: int = constant(
        40, "told iterations between migrations along the ring (count; 0 is never)", ge=0
    )
    reset_after: int = constant(
        400,
        "told iterations without a better best after which an island is resettled (count; 0 is never)",
        ge=0,
    )


class Islands(Part):
    """Moves elites between the islands of an archive; a pure function of the outcomes in their order."""

    def __init__(self, archive: Archive, settings: IslandSettings, *, seed: int) -> None:
        """Takes the archive with its start programs; the seed chooses the survivors."""
        self._archive = archive
        self._seed = seed
        self._settings = settings
        self._bests: list[float | None] = [None] * archive.islands
        self._since = [0] * archive.islands
        self._completed = 0

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Counts an outcome, and makes the moves that are due."""
        self._completed += 1
        result.events += self.meet(self._completed)

    def meet(self, count: int) -> list[Event]:
        """Makes the moves due after `count` told iterations (from 1); returns an event for each move."""
        if self._archive.islands < 2:
            return []
        self._note(count)
        every = self._settings.migration_every
        return [
            *(() if count % RESET_LOOK else self._reset(count)),
            *(self._migrate(count) if every and not count % every else ()),
        ]

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """Takes the bests on more instances: no island stands still now."""
        for elite in self._archive.bests():
            self._bests[elite.island] = elite.fitness
            self._since[elite.island] = self._completed

    def _quality(self, island: int) -> float:
        best = self._bests[island]
        return -math.inf if best is None else best

    def _note(self, count: int) -> None:
        for elite in self._archive.bests():
            before = self._bests[elite.island]
            if before is None or elite.fitness > before:
                self._bests[elite.island], self._since[elite.island] = elite.fitness, count

    def _migrate(self, count: int) -> Iterator[Event]:
        """Copies each island's best to the next island of the ring."""
        for elite in self._archive.bests():
            target = (elite.island + 1) % self._archive.islands
            added = self._archive.migrate(elite, target)
            data = {"candidate": elite.candidate.id, "from": elite.island, "to": target}
            yield Event(count, "migration", {**data, "added": int(added)})

    def _reset(self, count: int) -> Iterator[Event]:
        """Resettles the worst island that stands still, if any, with the best elites of another one."""
        after = self._settings.reset_after
        still = [i for i, since in enumerate(self._since) if count - since >= after]
        if not after or not still:
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
        yield Event(count, "reset", {"island": worst, "from": source, "candidates": ids})


# The training instances of a campaign: a finite pool, of which a growing prefix is in use.
#
# Programs selected on few instances overfit them. More instances from the beginning would make every
# candidate expensive, also the many poor ones. So the pool is drawn before the start, and the prefix doubles
# whenever the re-evaluation of the elites on the new instances is cheap beside what the search has executed.

MOST_SETS = 64
"""Largest size of a pool (training sets)."""


@dataclass(frozen=True)
class PoolSettings:
    """How many training instances there are, and when more of them are used."""

    pool: int = knob(
        8,
        "size of the pool of training instances (multiple of the problem's training set, 1 to 64; 1 is the "
        "training set alone)",
        ge=1,
        le=MOST_SETS,
    )
    pool_share: float = constant(
        0.2,
        "executions that re-evaluate elites when the prefix of the pool doubles, relative to all executions "
        "before (ratio, > 0)",
        gt=0,
    )


def prefixes(first: int, pool: int) -> tuple[int, ...]:
    """Sizes of the prefixes of a pool (counts): `first`, then doubled, the last one the whole pool."""
    sizes = [first]
    while sizes[-1] < pool:
        sizes.append(min(2 * sizes[-1], pool))
    return tuple(sizes)


class Pool(Part):
    """The prefix of the training instances in use; a pure function of the outcomes in their order."""

    def __init__(self, sizes: Sequence[int], share: float) -> None:
        """Begins with the first prefix.

        Args:
            sizes: of all prefixes (counts, ascending, at least one).
            share: see `PoolSettings`.
        """
        self._sizes = tuple(sizes)
        self._share = share
        self._stage = 0

    @property
    def first(self) -> int:
        """Size of the first prefix (count)."""
        return self._sizes[0]

    @property
    def prefix(self) -> int:
        """Size of the prefix in use (count)."""
        return self._sizes[self._stage]

    def due(self, executions: int, elites: int) -> int | None:
        """Size of the next prefix if the search can afford it now, else None.

        Args:
            executions: of the search so far (count).
            elites: candidates that would be evaluated on the new instances (count).
        """
        if self._stage + 1 == len(self._sizes):
            return None
        size = self._sizes[self._stage + 1]
        return size if elites * (size - self.prefix) <= self._share * executions else None

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """Goes on to the next prefix."""
        self._stage += 1

    def stop(self) -> None:
        """Keeps the prefix in use for the rest of the campaign."""
        self._sizes = self._sizes[: self._stage + 1]
