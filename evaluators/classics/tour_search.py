"""Tours of many nodes by neighbour lists and don't-look bits, the best so far when the time is over.

J. L. Bentley, Fast algorithms for geometric traveling salesman problems, ORSA Journal on Computing 4 (1992)
387-411, doi:10.1287/ijoc.4.4.387; apart from the branch and cut, which starts from such a tour.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

import numpy as np

_NEIGHBOURS = 10
_SEGMENT = 3
"""Nodes that move together, at most."""


def nearest_tour(matrix: Any) -> list[int]:
    """Nearest neighbour from node 0."""
    left = np.ones(len(matrix), dtype=bool)
    left[0] = False
    tour = [0]
    while len(tour) < len(matrix):
        nodes = np.flatnonzero(left)
        node = int(nodes[matrix[tour[-1], nodes].argmin()])
        left[node] = False
        tour.append(node)
    return tour


def shortened(nodes: list[int], matrix: Any, deadline: float) -> list[int]:
    """The nodes in the order of a shorter tour from the depot, node 0, which is none of them."""
    stops = [0, *nodes]
    if len(stops) < 8:
        return nodes
    tour = descended(list(range(len(stops))), matrix[np.ix_(stops, stops)], deadline)
    start = tour.index(0)
    return [stops[k] for k in [*tour[start:], *tour[:start]][1:]]


def descended(tour: list[int], matrix: Any, deadline: float) -> list[int]:
    """A tour by reversals and by moves of segments to near nodes, until none helps or the time is over.

    Args:
        tour: a permutation of the nodes.
        matrix: symmetric distances, an array of integers.
        deadline: on the monotonic clock, seconds.
    """
    others = matrix - np.eye(len(matrix), dtype=matrix.dtype)  # itself first, also among equals
    near = np.argsort(others, axis=1, kind="stable")[:, 1 : _NEIGHBOURS + 1].tolist()
    descent = _Descent(list(tour), matrix.tolist(), near)
    waiting = deque(tour)
    queued = set(tour)
    while waiting and time.monotonic() < deadline:
        node = waiting.popleft()
        queued.discard(node)
        while changed := descent.step(node):
            fresh = [other for other in changed if other not in queued]
            waiting.extend(fresh)
            queued.update(fresh)
            if time.monotonic() > deadline:
                break
    return descent.tour


class _Descent:
    """A tour with the place of each node."""

    def __init__(self, tour: list[int], matrix: list[list[int]], near: list[list[int]]) -> None:
        self.tour = tour
        self.matrix = matrix
        self.near = near
        self.place = [0] * len(tour)
        for place, node in enumerate(tour):
            self.place[node] = place

    def step(self, node: int) -> tuple[int, ...]:
        """The first change at a node that shortens the tour: nodes whose edges it changed, or none."""
        return self._reversal(node) or self._move(node)

    def _reversal(self, a: int) -> tuple[int, ...]:
        """2-opt: the edge from `a` to the node behind it, or before it, goes to a near node instead."""
        tour = self.tour
        place = self.place
        d = self.matrix
        n = len(tour)
        for step in (1, -1):
            b = tour[(place[a] + step) % n]
            for c in self.near[a]:
                if d[a][c] >= d[a][b]:
                    break
                e = tour[(place[c] + step) % n]
                if c != b and e != a and d[a][c] + d[b][e] < d[a][b] + d[c][e]:
                    first, last = (b, c) if step == 1 else (c, b)
                    self._reverse(place[first], place[last])
                    return a, b, c, e
        return ()

    def _move(self, a: int) -> tuple[int, ...]:
        """Or-opt: a segment that begins or ends at `a` goes between a near node and one beside it."""
        tour = self.tour
        place = self.place
        d = self.matrix
        n = len(tour)
        for size in range(1, min(_SEGMENT, n - 3) + 1):
            for step in (1, -1):
                segment = [tour[(place[a] + step * k) % n] for k in range(size)]
                b = segment[-1]
                p = tour[(place[a] - step) % n]
                q = tour[(place[b] + step) % n]
                gain = d[p][a] + d[b][q] - d[p][q]
                for c in self.near[a]:
                    if d[a][c] >= gain:
                        break
                    if c in segment:
                        continue
                    for side in (1, -1):
                        e = tour[(place[c] + side) % n]
                        if e in segment or d[c][a] + d[b][e] - d[c][e] >= gain:
                            continue
                        self._put(segment, c, e)
                        return p, q, a, b, c, e
        return ()

    def _put(self, segment: list[int], c: int, e: int) -> None:
        """Takes a segment out and puts it between two neighbours, its first node beside `c`."""
        inside = set(segment)
        rest = [node for node in self.tour if node not in inside]
        at = rest.index(c)
        if rest[(at + 1) % len(rest)] == e:
            rest[at + 1 : at + 1] = segment
        else:
            rest[at:at] = segment[::-1]
        self.tour = rest
        for place, node in enumerate(rest):
            self.place[node] = place

    def _reverse(self, i: int, j: int) -> None:
        """Reverses the part of the tour from place i on to place j, or, where that is shorter, the rest."""
        n = len(self.tour)
        length = (j - i) % n + 1
        if 2 * length > n:
            i = (j + 1) % n
            length = n - length
        places = [(i + k) % n for k in range(length)]
        nodes = [self.tour[place] for place in places]
        for place, node in zip(places, reversed(nodes), strict=True):
            self.tour[place] = node
            self.place[node] = place
