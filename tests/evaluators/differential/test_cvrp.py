"""The relaxation of routes against the programme over all sets with all subset-row cuts, both by SciPy."""

from __future__ import annotations

import random
import time
from itertools import combinations, pairwise, permutations
from math import ceil, hypot
from typing import Any

import numpy as np
from gapsmith.evaluators.classics.customer_sets import customer_sets
from gapsmith.evaluators.classics.route_proof import edge_bound, partitioned
from gapsmith.problems.classics.cvrp import length

CUSTOMERS = 9


def _customers(stream: random.Random) -> dict[str, Any]:
    """Customers around the depot with demands nearly equal: routes of two or three, hard to tell apart."""
    points = [(500, 500), *((stream.randrange(1000), stream.randrange(1000)) for _ in range(CUSTOMERS))]
    distances = [[round(hypot(a - c, b - d)) for c, d in points] for a, b in points]
    demands = [0, *(stream.choice((3, 3, 3, 4)) for _ in range(CUSTOMERS))]
    return {"distances": distances, "demands": demands, "capacity": 7 if stream.random() < 0.6 else 10}


def _routes(public: dict[str, Any]) -> list[tuple[tuple[int, ...], int]]:
    """All sets that fit, each with its least length."""
    distances, demands = public["distances"], public["demands"]

    def least(customers: tuple[int, ...]) -> int:
        ways = ((0, *order, 0) for order in permutations(customers))
        return min(sum(distances[a][b] for a, b in pairwise(way)) for way in ways)

    return [
        (customers, least(customers))
        for size in (1, 2, 3)
        for customers in combinations(range(1, CUSTOMERS + 1), size)
        if sum(demands[c] for c in customers) <= public["capacity"]
    ]


def _programme(public: dict[str, Any], most: float | None, whole: bool) -> float:
    """Least length of (fractional) choices of routes; at most `most` share two of any three customers."""
    from scipy.optimize import LinearConstraint, milp

    routes = _routes(public)
    held = np.array([[float(c in one) for one, _ in routes] for c in range(1, CUSTOMERS + 1)])
    fewest = -(-sum(public["demands"]) // public["capacity"])
    rows = [LinearConstraint(held, 1, 1), LinearConstraint(np.ones(len(routes)), fewest, np.inf)]
    if most is not None:
        threes = [list(three) for three in combinations(range(CUSTOMERS), 3)]
        shared = np.array([held[three].sum(axis=0) >= 2 for three in threes], dtype=float)
        rows.append(LinearConstraint(shared, -np.inf, most))
    found = milp([cost for _, cost in routes], constraints=rows, integrality=[int(whole)] * len(routes))
    assert found.success
    return float(found.fun)


def test_bounds_of_fractional_routes(stream: random.Random) -> None:
    """Bounds lie between those of all cuts with and without tolerance; branching finds the optimum."""
    cut = 0
    for number in range(40):
        if cut and number > 4:
            break
        public = _customers(stream)
        alone = [[customer] for customer in range(1, CUSTOMERS + 1)]
        sets = customer_sets(public["distances"], public["demands"], public["capacity"])
        assert sets is not None
        noted: list[int] = []
        note = lambda bound, _, kept=noted: kept.append(bound)  # noqa: E731
        routes, bound = partitioned(public, sets, alone, time.monotonic() + 60, 1, note)
        least = _programme(public, None, whole=True)
        assert length(public["distances"], routes) == bound == round(least)
        if noted:
            assert noted[0] <= ceil(_programme(public, 1.0, whole=False) - 1e-6)
            assert noted[0] >= ceil(_programme(public, 1.02, whole=False) - 0.5)
            assert max(noted) <= least + 1e-6
            cut += noted[0] > ceil(_programme(public, None, whole=False))
    assert cut


def test_bounds_of_shortest_edges(stream: random.Random) -> None:
    """The quick bound is the sum of each customer's shortest edge."""
    for _ in range(10):
        distances = _customers(stream)["distances"]
        assert edge_bound(distances) == sum(sorted(row)[1] for row in distances[1:])


def test_routes_that_demand_much(stream: random.Random) -> None:
    """Two customers to a vehicle: half of the customers is the number of routes that the bound counts."""
    for _ in range(4):
        public = _customers(stream) | {"demands": [0] + [5] * 8, "capacity": 10}
        public["distances"] = [row[:9] for row in public["distances"][:9]]
        alone = [[customer] for customer in range(1, 9)]
        sets = customer_sets(public["distances"], public["demands"], public["capacity"])
        assert sets is not None
        routes, bound = partitioned(public, sets, alone, time.monotonic() + 60, 0, lambda bound, _: None)
        matched = _matching(public["distances"], tuple(range(1, 9)))
        assert bound == length(public["distances"], routes) == matched


def _matching(distances: list[list[int]], left: tuple[int, ...]) -> int:
    """Least length of routes of two customers each, or of one."""
    if not left:
        return 0
    first, rest = left[0], left[1:]
    alone = 2 * distances[0][first] + _matching(distances, rest)
    pairs = (
        distances[0][first]
        + distances[first][other]
        + distances[other][0]
        + _matching(distances, tuple(k for k in rest if k != other))
        for other in rest
    )
    return min([alone, *pairs])
