"""Tours of many nodes that collect prizes, and a bound of the prize by arithmetic; apart from branch and cut.

The insertions are those of the problem's own programs; here what an insertion changes is computed again and
nothing else, and the time has a limit.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from .tour_search import shortened

_POWERS = (1.0, 0.5, 2.0)
"""Of the prize in the rating of a node."""
_SLACK = 0.97
"""Share of the prize that a tour to go on from has at least."""


def prize_tour(public: Mapping[str, Any], trials: int, deadline: float) -> list[int]:
    """A tour by insertions, made shorter and filled up; then parts are taken out at random, in time.

    Args:
        public: the instance.
        trials: times that a part is taken out, at most.
        deadline: on the monotonic clock, seconds.
    """
    prizes = np.array(public["prizes"])
    insertion = _Insertion(np.array(public["distances"], dtype=np.int64), prizes, public["max_length"])
    stream = random.Random(0)
    best: list[int] = []
    for power in _POWERS:
        nodes = insertion.filled([], power, deadline)
        best = max(best, nodes, key=lambda one: int(prizes[one].sum()))
    now = best
    for _ in range(trials if best else 0):
        if time.monotonic() > deadline:
            break
        first = stream.randrange(len(now))
        size = stream.randint(1, 1 + len(now) // 4)
        kept = [node for place, node in enumerate(now) if (place - first) % len(now) >= size]
        nodes = insertion.filled(kept, stream.choice(_POWERS), deadline)
        value = int(prizes[nodes].sum())
        if nodes and value >= _SLACK * int(prizes[now].sum()):
            now = nodes
        if value > int(prizes[best].sum()):
            best = nodes
    return best


class _Insertion:
    """Insertion of nodes into tours of one instance."""

    def __init__(self, matrix: Any, prizes: Any, longest: int) -> None:
        self.matrix = matrix
        self.prizes = prizes
        self.longest = longest

    def filled(self, nodes: list[int], power: float, deadline: float) -> list[int]:
        """A tour made shorter and filled up in turn, as long as nodes come in."""
        count = -1
        while len(nodes) > count and time.monotonic() < deadline:
            count = len(nodes)
            nodes = self.inserted(shortened(nodes, self.matrix, deadline), power, deadline)
        return nodes

    def inserted(self, nodes: Sequence[int], power: float, deadline: float) -> list[int]:
        """Always the node with the largest prize (to this power) for its detour, at its best place."""
        matrix = self.matrix
        after = dict(zip([0, *nodes], [*nodes, 0], strict=True))
        rest = self.longest - sum(int(matrix[a, b]) for a, b in after.items())
        worth = self.prizes.astype(float) ** power
        left = np.ones(len(matrix), dtype=bool)
        left[list(after)] = False
        detour = np.zeros(len(matrix), dtype=np.int64)
        at = np.zeros(len(matrix), dtype=np.int64)
        self._renew(np.flatnonzero(left), after, detour, at)
        while time.monotonic() < deadline:
            fitting = np.flatnonzero(left & (detour <= rest))
            if not len(fitting):
                break
            node = int(fitting[(worth[fitting] / np.maximum(1, detour[fitting])).argmax()])
            before = int(at[node])
            rest -= int(detour[node])
            left[node] = False
            after[before], after[node] = node, after[before]
            self._renew(np.flatnonzero(left & (at == before)), after, detour, at)
            others = np.flatnonzero(left & (at != before))
            for stop in (before, node):
                new = matrix[stop, others] + matrix[others, after[stop]] - matrix[stop, after[stop]]
                better = new < detour[others]
                detour[others[better]] = new[better]
                at[others[better]] = stop
        tour = list[int]()
        stop = after[0]
        while stop:
            tour.append(stop)
            stop = after[stop]
        return tour

    def _renew(self, nodes: Any, after: Mapping[int, int], detour: Any, at: Any) -> None:
        """Least detours of nodes, and the stops behind which they come."""
        stops = np.array(list(after))
        ends = np.array(list(after.values()))
        for some in np.array_split(nodes, 1 + len(nodes) * len(stops) // 10**6):
            ways = self.matrix[np.ix_(some, stops)] + self.matrix[np.ix_(some, ends)]
            ways -= self.matrix[stops, ends]
            place = ways.argmin(axis=1)
            detour[some] = ways[np.arange(len(some)), place]
            at[some] = stops[place]


def prize_bound(public: Mapping[str, Any]) -> int:
    """No tour has a larger prize: a fractional knapsack of nodes, each as long as half its two shortest ways.

    A tour of two nodes or more has two edges to different nodes at each stop, so its length is at least the
    sum of these halves. Nodes that no tour within the length reaches are left out.
    """
    matrix = np.array(public["distances"], dtype=np.int64)
    longest = public["max_length"]
    prizes = [int(prize) for prize in public["prizes"]]
    single = [k for k in range(1, len(matrix)) if int(matrix[0, k] + matrix[k, 0]) <= longest]
    np.fill_diagonal(matrix, np.iinfo(np.int64).max // 4)
    # In halves of a unit of length; ways through other nodes may be shorter than an edge to the depot.
    halves = np.partition(matrix, 1, axis=1)[:, :2].sum(axis=1)
    room = 2 * longest - int(halves[0])
    bound = Fraction(0)
    for node in sorted(range(1, len(matrix)), key=lambda k: Fraction(-prizes[k], max(1, int(halves[k])))):
        if room <= 0:
            break
        size = int(halves[node])
        if size > 2 * longest:
            continue
        share = Fraction(1) if size <= room else Fraction(room, size)
        bound += share * prizes[node]
        room -= min(size, room)
    return max(floor(bound), *(prizes[k] for k in single), 0)
