"""Sets of customers and their shortest routes against all sets and all orders."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, permutations

import numpy as np
from gapsmith.evaluators.classics.customer_sets import customer_sets, sums


def test_all_sets_that_fit(stream: random.Random) -> None:
    """The sets that fit, each once, with the length and the order of a shortest route."""
    for _ in range(3):
        customers = 6
        matrix = [[stream.randint(1, 99) for _ in range(customers + 1)] for _ in range(customers + 1)]
        distances = [[matrix[min(i, j)][max(i, j)] * (i != j) for j in range(7)] for i in range(7)]
        demands = [0, *(stream.randint(1, 5) for _ in range(customers))]
        capacity = stream.randint(5, 12)
        expected = {}
        for size in range(1, customers + 1):
            for one in combinations(range(1, customers + 1), size):
                if sum(demands[c] for c in one) <= capacity:
                    ways = [(0, *order, 0) for order in permutations(one)]
                    lengths = [sum(distances[a][b] for a, b in pairwise(w)) for w in ways]
                    expected[sum(1 << (c - 1) for c in one)] = min(lengths)
        sets = customer_sets(distances, demands, capacity)
        assert sets is not None
        masks = [int(mask) for mask in sets.masks]
        assert dict(zip(masks, map(int, sets.lengths), strict=True)) == expected
        assert len(masks) == len(expected)
        for mask in masks:
            route = sets.route(mask)
            way = (0, *route, 0)
            assert sum(distances[a][b] for a, b in pairwise(way)) == expected[mask]
            assert sorted(route) == [c for c in range(1, 7) if mask >> (c - 1) & 1]
        assert customer_sets(distances, demands, capacity, len(expected)) is not None
        assert customer_sets(distances, demands, capacity, len(expected) - 1) is None


def test_sums_over_sets(stream: random.Random) -> None:
    """The sum of the values of a set's customers, of many customers too."""
    values = np.array([stream.randint(-99, 99) for _ in range(33)])
    masks = np.array([stream.getrandbits(33) for _ in range(50)])
    expected = [sum(int(v) for k, v in enumerate(values) if int(mask) >> k & 1) for mask in masks]
    assert sums(masks, values).tolist() == expected


def test_too_many_customers() -> None:
    """62 customers have a bit each, 63 do not."""
    for customers in (62, 63):
        distances = [[1] * (customers + 1)] * (customers + 1)
        sets = customer_sets(distances, [1] * (customers + 1), 1)
        assert (sets is None) == (customers > 62)
