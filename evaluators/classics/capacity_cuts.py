"""A bound of routes by their edges: a linear relaxation with rounded capacity cuts.

Laporte, Nobert and Desrochers 1985, doi:10.1287/opre.33.5.1050; cuts are looked for greedily, as Augerat et
al. 1998, doi:10.1016/S0377-2217(97)00290-7, do first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np

from .tour_proof import NEAREST, UNIT, TourRelaxation

_EPSILON = 1e-6
_CUTS = 50
"""Cuts that enter at once."""
_HELD = 100 * _CUTS
"""Cuts that are held at once while they are looked for, at most."""
_LEAST = 1e-3
"""So much of a border is missing at least where a cut enters."""


class RouteRelaxation(TourRelaxation):
    """Edges of routes; node 0 is the depot, cuts are sets of customers."""

    demands: Any
    capacity: int

    def ends(self, node: int) -> int:
        """Two at a customer, two for each route that is needed at the depot."""
        return 2 if node else 2 * self.routes(self.demands.sum())

    def most_ends(self, node: int) -> float:
        """Two at a customer."""
        return 2.0 if node else inf

    def crossings(self, cut: Any) -> int:
        """Two for each route that the customers need."""
        return 2 * self.routes(self.demands[cut].sum())

    def uses(self, edge: tuple[int, int]) -> int:
        """Twice for a route of one customer."""
        return 1 if edge[0] else 2

    def routes(self, demand: int) -> int:
        """How many routes customers with this demand in all need: one even where they demand nothing."""
        return max(1, -(-int(demand) // self.capacity))

    def violated(self, values: Any) -> Iterator[Any]:
        """Sets of customers whose borders carry too little, grown from each customer on."""
        count = len(self.matrix)
        weights = np.zeros((count, count))
        for (i, j), value in zip(self.edges, values, strict=True):
            weights[i, j] = weights[j, i] = value
        lacks: dict[bytes, tuple[float, Any]] = {}
        for node in range(1, count):
            lacks |= {cut.tobytes(): (lack, cut) for lack, cut in self.grown(weights, node)}
            if len(lacks) >= _HELD:
                lacks = {cut.tobytes(): (lack, cut) for lack, cut in _largest(lacks)}
        yield from (cut for _, cut in _largest(lacks))

    def grown(self, weights: Any, node: int) -> Iterator[tuple[float, Any]]:
        """The sets from one customer on, each with the customer more that is tied to the set most.

        Only those whose borders carry too little, with what they lack.
        """
        if time.monotonic() > self.deadline:
            return
        cut = np.zeros(len(weights), dtype=bool)
        cut[node] = True
        ties = weights[node].copy()
        ties[0] = -1.0
        border = float(weights[node].sum())
        demand = int(self.demands[node])
        while True:
            ties[cut] = -1.0
            new = int(ties.argmax())
            if ties[new] <= _EPSILON:
                return
            cut[new] = True
            border += float(weights[new].sum() - 2 * ties[new])
            demand += int(self.demands[new])
            ties += weights[new]
            ties[0] = -1.0
            if (lack := 2 * self.routes(demand) - border) > _LEAST:
                yield lack, cut.copy()


def _largest(lacks: Mapping[bytes, tuple[float, Any]]) -> list[tuple[float, Any]]:
    """The cuts that lack most, as many as enter at once."""
    return sorted(lacks.values(), key=lambda one: -one[0])[:_CUTS]


def capacity_bound(
    public: Mapping[str, Any],
    known: Sequence[Sequence[int]],
    deadline: float,
    note: Callable[[int], None] = lambda bound: None,
) -> int:
    """A bound of the length of all routes, computed in integers.

    Args:
        public: the instance.
        known: routes to start from.
        deadline: on the monotonic clock, seconds.
        note: takes each bound as soon as it holds.
    """
    matrix = np.array(public["distances"], dtype=np.int64)
    near = np.argsort(matrix, axis=1, kind="stable")[:, : NEAREST + 1]
    links = [(i, int(j)) for i, row in enumerate(near) for j in row if i != j]
    links += [(0, customer) for customer in range(1, len(matrix))]
    for route in known:
        links += pairwise(route)
    fleet = RouteRelaxation(matrix, int(matrix.sum()), sorted({(min(edge), max(edge)) for edge in links}))
    fleet.demands = np.array(public["demands"])
    fleet.capacity = public["capacity"]
    fleet.solve(deadline, note)
    return -(-fleet.bound // UNIT)
