"""Verdicts on drawn choices of items against sums row by row."""

from __future__ import annotations

import random
from typing import Any

from gapsmith.problems.base import VerdictStatus
from gapsmith.problems.classics.multi_knapsack import judge


def test_choices_that_fit(stream: random.Random) -> None:
    """Valid iff all items are there, once each, and every row holds them; the profit is their sum."""
    found = set()
    for _ in range(200):
        weights = [[stream.randint(1, 9) for _ in range(5)] for _ in range(2)]
        public = {"profits": [stream.randint(1, 9) for _ in range(5)], "weights": weights}
        public |= {"capacities": [stream.randint(5, 30), stream.randint(5, 30)]}  # type: ignore[dict-item]
        chosen: Any = [stream.randint(0, 4) for _ in range(stream.randint(0, 3))]
        if stream.random() < 0.2:
            chosen.append(stream.choice((-1, 5, 6, 1.0, True, None)))
        items = [item for item in chosen if type(item) is int and 0 <= item < 5]
        wanted = VerdictStatus.VALID
        for row, capacity in zip(weights, public["capacities"], strict=True):
            if sum(row[item] for item in items) > capacity:  # type: ignore[operator]
                wanted = VerdictStatus.INFEASIBLE
        if len(set(items)) < len(chosen):
            wanted = VerdictStatus.INVALID_ANSWER
        verdict = judge(public, chosen)
        assert verdict.status is wanted
        if wanted is VerdictStatus.VALID:
            assert verdict.objective == sum(public["profits"][item] for item in items)
        found.add(wanted)
    assert len(found) == 3
    all_items = judge({"profits": [1, 2], "weights": [[1, 1]], "capacities": [2]}, [0, 1])
    assert all_items.objective == 3
