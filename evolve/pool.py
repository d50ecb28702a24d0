"""The training instances of a campaign: a finite pool, of which a growing prefix is in use.

Programs selected on few instances overfit them. More instances from the beginning would make every candidate
expensive, also the many poor ones. So the pool is drawn before the start, and the prefix doubles
whenever the re-evaluation of the elites on the new instances is cheap beside what the search has executed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .knobs import knob

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
    pool_share: float = knob(
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


class Pool:
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

    def grow(self) -> None:
        """Goes on to the next prefix."""
        self._stage += 1

    def stop(self) -> None:
        """Keeps the prefix in use for the rest of the campaign."""
        self._sizes = self._sizes[: self._stage + 1]
