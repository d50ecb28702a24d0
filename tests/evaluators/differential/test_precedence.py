"""Precedences against all optimal orders of few jobs."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest
from gapsmith.evaluators.smtt.precedence import precedence


def _optimal_orders(public: dict[str, Any]) -> list[tuple[int, ...]]:
    times, dates = public["processing_times"], public["due_dates"]
    weights = public.get("weights", [1] * len(times))
    found: dict[int, list[tuple[int, ...]]] = {}
    for order in permutations(range(len(times))):
        clock = cost = 0
        for job in order:
            clock += times[job]
            cost += weights[job] * max(0, clock - dates[job])
        found.setdefault(cost, []).append(order)
    return found[min(found)]


@pytest.mark.parametrize("weighted", [False, True])
def test_an_optimal_order_has_all_precedences(weighted: bool, stream: random.Random) -> None:
    """Some optimal order has every pair and every limit; a short job that is due first is never behind."""
    pairs = 0
    for _ in range(30):
        largest = stream.choice((2, 5, 20))
        public: dict[str, Any] = {"processing_times": [stream.randint(1, largest) for _ in range(5)]}
        total = sum(public["processing_times"])
        public["due_dates"] = [stream.randint(0, round(total * 0.9)) for _ in range(5)]
        if weighted:
            public["weights"] = [stream.randint(1, 3) for _ in range(5)]
        known = precedence(public)
        times = public["processing_times"]
        before = [[bool(x) for x in row] for row in known.before]
        pairs += sum(map(sum, before))

        def fits(
            order: tuple[int, ...], before: Any = before, times: list[int] = times, known: Any = known
        ) -> bool:
            place = {job: k for k, job in enumerate(order)}
            ends, clock = {}, 0
            for job in order:
                clock += times[job]
                ends[job] = clock
            kept = all(place[i] < place[j] for i in range(5) for j in range(5) if before[i][j])
            return kept and all(known.earliest[j] <= ends[j] <= known.latest[j] for j in range(5))

        assert any(fits(order) for order in _optimal_orders(public))
        for j in range(5):
            assert known.earliest[j] == times[j] + sum(times[i] for i in range(5) if before[i][j])
            assert known.latest[j] == total - sum(times[i] for i in range(5) if before[j][i])
            weights = public.get("weights", [1] * 5)
            for i in range(5):
                rules = times[i] < times[j] and weights[i] >= weights[j]
                if rules and public["due_dates"][i] <= public["due_dates"][j]:
                    assert before[i][j] or before[j][i]
                assert not (before[i][j] and before[j][i])
    assert pairs
