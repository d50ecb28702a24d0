"""Can weights go into equal bins? Exhaustive search, one bin at a time.

Bin completion: take the largest weight left and try every set that completes its bin, fullest first.
What all bins together may waste is known beforehand, so a bin that wastes more than what is left of it
is never opened; a set of weights that failed with k bins is not tried again. Korf, An improved algorithm
for optimal bin packing, IJCAI 2003; Fukunaga and Korf 2007, doi:10.1613/jair.2106.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

VERSION = "1"
_NODES_PER_LOOK = 256


class CompletionTimeout(Exception):
    """The time was over before the search was."""


def pack(weights: Sequence[int], bins: int, capacity: int, deadline: float) -> list[int] | None:
    """Bin of each weight, or None if there is no packing, which is then a proof.

    Args:
        weights: integers ≥ 0.
        bins: number of bins, ≥ 1.
        capacity: of each bin, integer ≥ 0.
        deadline: on the monotonic clock, seconds.

    Raises:
        Unfinished: the deadline has passed; nothing is known.
    """
    search = _Search(sorted(weights, reverse=True), capacity, deadline)
    order = sorted(range(len(weights)), key=lambda i: -weights[i])
    slack = bins * capacity - sum(weights)
    if slack < 0 or (weights and max(weights) > capacity):
        return None
    contents = search.fill(tuple(range(len(weights))), bins, slack)
    if contents is None:
        return None
    answer = [0] * len(weights)
    for number, content in enumerate(contents):
        for place in content:
            answer[order[place]] = number
    return answer


class _Search:
    """One search; items are places in the weights, which fall."""

    def __init__(self, weights: list[int], capacity: int, deadline: float) -> None:
        self.weights = weights
        self.capacity = capacity
        self.deadline = deadline
        self.failed: set[tuple[tuple[int, ...], int]] = set()
        self.nodes = 0

    def fill(self, items: tuple[int, ...], bins: int, slack: int) -> list[tuple[int, ...]] | None:
        """Contents of at most `bins` bins that hold the items and waste at most `slack` (≥ 0), or None."""
        if not items:
            return []
        if bins == 1:
            return [items]  # slack ≥ 0 says that they fit
        if (items, bins) in self.failed:
            return None
        self.nodes += 1
        if self.nodes % _NODES_PER_LOOK == 0 and time.monotonic() > self.deadline:
            raise CompletionTimeout
        first = items[0]
        rest = items[1:]
        for total, chosen in sorted(self.completions(self.weights[first], rest, slack), reverse=True):
            taken = set(chosen)
            others = tuple(i for i in rest if i not in taken)
            contents = self.fill(others, bins - 1, slack - (self.capacity - total))
            if contents is not None:
                return [(first, *chosen), *contents]
        self.failed.add((items, bins))
        return None

    def completions(
        self, base: int, rest: tuple[int, ...], slack: int
    ) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Total and items of all sets that, with `base`, fill a bin up to at most `slack` of waste."""
        weights = self.weights
        capacity = self.capacity
        least = self.capacity - slack
        behind = [0] * (len(rest) + 1)
        for place in range(len(rest) - 1, -1, -1):
            behind[place] = behind[place + 1] + weights[rest[place]]
        chosen: list[int] = []

        def extend(start: int, total: int) -> Iterator[tuple[int, tuple[int, ...]]]:
            if total >= least:
                yield total, tuple(chosen)
            for place in range(start, len(rest)):
                if total + behind[place] < least:
                    return
                weight = weights[rest[place]]
                if total + weight <= capacity:
                    chosen.append(rest[place])
                    yield from extend(place + 1, total + weight)
                    chosen.pop()

        return extend(0, base)
