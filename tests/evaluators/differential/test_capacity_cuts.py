"""The bound of routes by their edges against the linear programme with the cut of every set of customers."""

from __future__ import annotations

import random
import time
from itertools import combinations
from math import ceil, hypot
from typing import Any

from gapsmith.evaluators.classics.capacity_cuts import capacity_bound

CUSTOMERS = 7


def _customers(stream: random.Random) -> dict[str, Any]:
    """Two crowds of customers on both sides of the depot."""
    points = [(500, 500)]
    for number in range(CUSTOMERS):
        points.append((stream.randrange(200) + 800 * (number % 2), stream.randrange(1000)))
    distances = [[round(hypot(a - c, b - d)) for c, d in points] for a, b in points]
    demands = [0, *(stream.randint(1, 9) for _ in range(CUSTOMERS))]
    return {"distances": distances, "demands": demands, "capacity": stream.randint(10, 18)}


def _fractional(public: dict[str, Any], all_sets: bool) -> float:
    """Least length of fractional routes: of two ends at each customer, and enough routes into the set of all.

    Args:
        public: the instance.
        all_sets: whether every set of customers has enough routes, too.
    """
    from scipy.optimize import linprog

    pairs = list(combinations(range(CUSTOMERS + 1), 2))
    costs = [public["distances"][i][j] for i, j in pairs]
    degrees = [[float(c in pair) for pair in pairs] for c in range(1, CUSTOMERS + 1)]
    rows, limits = [], []
    for size in range(2 if all_sets else CUSTOMERS, CUSTOMERS + 1):
        for one in combinations(range(1, CUSTOMERS + 1), size):
            rows.append([-float((i in one) != (j in one)) for i, j in pairs])
            limits.append(-2.0 * ceil(sum(public["demands"][c] for c in one) / public["capacity"]))
    uses = [(0.0, 1.0 if i else 2.0) for i, _ in pairs]
    found = linprog(costs, rows, limits, degrees, [2.0] * CUSTOMERS, uses)
    assert found.success
    return float(found.fun)


def test_bounds_of_fractional_edges(stream: random.Random) -> None:
    """No bound is above that of all cuts, most are equal, and cuts are found that the programme breaks."""
    shares = []
    for _ in range(6):
        public = _customers(stream)
        bound = capacity_bound(public, [[c] for c in range(1, CUSTOMERS + 1)], time.monotonic() + 60)
        every = _fractional(public, all_sets=True)
        assert bound <= ceil(every - 1e-6)
        few = _fractional(public, all_sets=False)
        if every > few + 1:
            shares.append((bound - few) / (every - few))
    assert min(shares) > 0.5
    assert max(shares) > 0.99
