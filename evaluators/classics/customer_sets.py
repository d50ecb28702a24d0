"""All sets of customers that fit into one vehicle, with the length of the shortest route of each.

Sets are bit masks: bit c − 1 stands for customer c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

MOST_CUSTOMERS = 62
"""Bits of a mask."""
MOST_SETS = 2_000_000
_BITS = 10


@dataclass(frozen=True)
class Level:
    """The sets of one size.

    Attributes:
        masks: the sets, sorted.
        members: their customers, one row per set, ascending.
        ends: length of the shortest path from the depot through the set that ends at each member.
    """

    masks: Any
    members: Any
    ends: Any


@dataclass(frozen=True)
class CustomerSets:
    """All sets of an instance.

    Attributes:
        matrix: distances.
        levels: sets of one customer, of two, …
    """

    matrix: Any
    levels: list[Level]

    @cached_property
    def masks(self) -> Any:
        """All sets, the small ones first."""
        return np.concatenate([level.masks for level in self.levels])

    @cached_property
    def lengths(self) -> Any:
        """Length of each set's shortest route, from the depot back to the depot."""
        return np.concatenate(
            [(level.ends + self.matrix[level.members, 0]).min(axis=1) for level in self.levels]
        )

    def route(self, mask: int) -> list[int]:
        """The customers of a set in the order of a shortest route."""
        customers: list[int] = []
        after = 0
        for level in reversed(self.levels[: mask.bit_count()]):
            row = np.searchsorted(level.masks, mask)
            place = int((level.ends[row] + self.matrix[level.members[row], after]).argmin())
            after = int(level.members[row, place])
            customers.append(after)
            mask ^= 1 << (after - 1)
        return customers[::-1]


def customer_sets(
    distances: Sequence[Sequence[int]], demands: Sequence[int], capacity: int, most: int = MOST_SETS
) -> CustomerSets | None:
    """The sets that fit, size by size; None if they are more than `most`, or the customers too many.

    The shortest paths are those of Held and Karp 1962, doi:10.1137/0110015.
    """
    matrix = np.array(distances, dtype=np.int64)
    customers = np.arange(1, len(matrix))
    if len(customers) > MOST_CUSTOMERS:
        return None
    weights = np.array(demands, dtype=np.int64)
    levels = [Level(1 << (customers - 1), customers[:, None], matrix[0, 1:, None])]
    total = len(customers)
    while True:
        level = _masks_of_the_next_size(levels[-1], weights, capacity)
        total += len(level[0])
        if not len(level[0]) or total > most:
            return CustomerSets(matrix, levels) if total <= most else None
        levels.append(_with_paths(levels[-1], *level, matrix))


def sums(masks: Any, values: Any) -> Any:
    """Sum of the values of each set's customers (`values[0]` is customer 1's)."""
    total = np.zeros(len(masks), dtype=values.dtype)
    bits = (np.arange(1 << _BITS)[:, None] >> np.arange(_BITS)) & 1
    for first in range(0, len(values), _BITS):
        part = values[first : first + _BITS]
        total += (bits[:, : len(part)] @ part)[(masks >> first) & ((1 << _BITS) - 1)]
    return total


def _masks_of_the_next_size(level: Level, weights: Any, capacity: int) -> tuple[Any, Any]:
    """Sorted masks and members of the sets with one customer more, a higher one than all of the set."""
    loads = sums(level.masks, weights[1:])
    masks = []
    members = []
    for customer in range(1, len(weights)):
        rows = np.flatnonzero((level.members[:, -1] < customer) & (loads + weights[customer] <= capacity))
        masks.append(level.masks[rows] | (1 << (customer - 1)))
        members.append(np.column_stack([level.members[rows], np.full(len(rows), customer)]))
    order = np.argsort(keys := np.concatenate(masks))
    return keys[order], np.concatenate(members)[order]


def _with_paths(before: Level, masks: Any, members: Any, matrix: Any) -> Level:
    """A level with its shortest paths, from those of the sets with one customer less."""
    ends = np.empty(members.shape, dtype=np.int64)
    for place in range(members.shape[1]):
        last = members[:, place]
        rows = np.searchsorted(before.masks, masks ^ (1 << (last - 1)))
        ends[:, place] = (before.ends[rows] + matrix[before.members[rows], last[:, None]]).min(axis=1)
    return Level(masks, members, ends)
