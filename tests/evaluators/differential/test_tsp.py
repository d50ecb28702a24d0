"""The relaxation of tours against the linear programme with all cuts, and tours from starts far off."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import combinations, permutations
from math import ceil, hypot
from typing import Any

import numpy as np
from gapsmith.evaluators.classics.tour_proof import UNIT, TourRelaxation, certified, edge_bound
from gapsmith.problems.base import VerdictStatus
from gapsmith.problems.classics.tsp import judge

NODES = 8


def _clusters(stream: random.Random, nodes: int = NODES) -> list[list[int]]:
    """Distances of nodes in three clusters far apart, which cuts alone tie together."""
    middles = [(stream.randrange(900), stream.randrange(900)) for _ in range(3)]
    points = [
        (middles[node % 3][0] + stream.randrange(150), middles[node % 3][1] + stream.randrange(150))
        for node in range(nodes)
    ]
    return [[round(hypot(a - c, b - d)) for c, d in points] for a, b in points]


def _fractional(distances: list[list[int]]) -> float:
    """Least length of a fractional tour that crosses the border of every set of nodes twice."""
    from scipy.optimize import linprog

    pairs = list(combinations(range(NODES), 2))
    costs = [distances[i][j] for i, j in pairs]
    degrees = [[float(node in pair) for pair in pairs] for node in range(NODES)]
    sets = [set(one) for size in range(2, NODES - 1) for one in combinations(range(NODES), size)]
    borders = [[-float((i in one) != (j in one)) for i, j in pairs] for one in sets]
    found = linprog(costs, borders, [-2.0] * len(sets), degrees, [2.0] * NODES, (0.0, 1.0))
    assert found.success
    return float(found.fun)


def _shortest(distances: list[list[int]]) -> int:
    """Least length of all orders."""
    return min(
        _length(distances, (0, *order))
        for order in permutations(range(1, len(distances)))
        if order[0] < order[-1]
    )


def _length(distances: list[list[int]], order: Sequence[int]) -> int:
    return sum(distances[order[k - 1]][order[k]] for k in range(len(order)))


def test_bounds_of_fractional_tours(stream: random.Random) -> None:
    """From few edges the relaxation comes to the value with all edges and all cuts, and proves no more."""
    tighter = 0
    for _ in range(6):
        distances = _clusters(stream)
        matrix = np.array(distances, dtype=np.int64)
        ring = sorted({(min(i, j), max(i, j)) for i in range(NODES) for j in ((i + 1) % NODES,)})
        relaxation = TourRelaxation(matrix, int(matrix.sum()), ring)
        noted: list[int] = []
        relaxation.solve(time.monotonic() + 60, noted.append)
        least = _fractional(distances)
        assert ceil(least - 0.05) <= noted[-1] <= ceil(least - 1e-6)
        assert relaxation.bound <= UNIT * least + 0.01
        tighter += noted[-1] > noted[0]
        late = relaxation.finish(time.monotonic() - 1, lambda bound: None)
        assert late == (noted[-1], None)
    assert tighter


def test_tours_from_far_starts(stream: random.Random) -> None:
    """With much to spare the branching itself finds the shortest tour, and no bound on the way is above."""
    for _ in range(4):
        distances = _clusters(stream)
        least = _shortest(distances)
        noted: list[Any] = []
        start = stream.sample(range(NODES), NODES)
        found = certified({"distances": distances}, 60.0, start, 700, noted.append)
        assert found["bound"] == found["value"] == least
        assert max(one["bound"] for one in noted) <= least
        halves = sum(sum(sorted(row)[1:3]) for row in distances)
        assert noted[0]["bound"] == edge_bound(distances) == (halves + 1) // 2


def test_branching_ties_cycles_together(stream: random.Random) -> None:
    """Without any cut the least cycles are one of each cluster: branching finds the tour of all nodes."""
    for _ in range(2):
        distances = _clusters(stream, 9)
        least = _shortest(distances)
        pairs = list(combinations(range(9), 2))
        relaxation = TourRelaxation(np.array(distances, dtype=np.int64), 2 * least, pairs)
        relaxation.take_duals([0.0] * 9)
        bound, tour = relaxation.finish(time.monotonic() + 60, lambda bound: None)
        assert relaxation.cuts
        assert tour is not None
        assert sorted(tour) == list(range(9))
        assert bound == _length(distances, tour) == least


def test_least_tours(stream: random.Random) -> None:
    """Three, four and five nodes."""
    for nodes in (3, 4, 5):
        points = [(stream.randrange(90), stream.randrange(90)) for _ in range(nodes)]
        distances = [[round(hypot(a - c, b - d)) for c, d in points] for a, b in points]
        orders = [(0, *order) for order in permutations(range(1, nodes))]
        least = min(sum(distances[order[k - 1]][order[k]] for k in range(nodes)) for order in orders)
        found = certified({"distances": distances}, 60.0, None, 0)
        assert found["bound"] == found["value"] == least


def test_tours_that_are_none() -> None:
    """Every node once, and the way back is not written out: words say so, and only where it is."""
    distances = [[0, 2, 9], [2, 0, 4], [9, 4, 0]]
    assert judge({"distances": distances}, [2, 0, 1]).objective == 15
    closed = judge({"distances": distances}, [2, 0, 1, 2])
    assert closed.status is VerdictStatus.INVALID_ANSWER
    assert "the way back" in closed.violations[0]
    for answer in (
        [0, 1],
        [0, 1, 1],
        [0, 1, 3],
        [-1, 0, 1],
        [0, 1, 2, 1],
        [1, 1],
        [0, 1, True],
        [0.0, 1, 2],
        None,
    ):
        verdict = judge({"distances": distances}, answer)  # type: ignore[arg-type]
        assert verdict.status is VerdictStatus.INVALID_ANSWER
        assert "the way back" not in verdict.violations[0]
