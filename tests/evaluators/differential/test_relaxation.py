"""Tardiness by relaxation and enumeration from bad starts, against all orders, with and without weights."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from gapsmith.evaluators.smtt.bounds import price_bound
from gapsmith.evaluators.smtt.relaxation import SequenceRelaxation
from gapsmith.evaluators.smtt.relaxation import prove as relax


def _jobs(stream: random.Random, weighted: bool, jobs: int = 7) -> dict[str, Any]:
    times = [stream.randint(1, stream.choice((4, 30))) for _ in range(jobs)]
    total = sum(times)
    dates = [stream.randint(round(0.1 * total), round(0.7 * total)) for _ in times]
    weights = {"weights": [stream.randint(1, 9) for _ in times]} if weighted else {}
    return {"processing_times": times, "due_dates": dates, **weights}


def _cost(public: dict[str, Any], order: list[int]) -> int:
    clock = cost = 0
    for job in order:
        clock += public["processing_times"][job]
        cost += public.get("weights", [1] * 7)[job] * max(0, clock - public["due_dates"][job])
    return cost


def _least(public: dict[str, Any]) -> tuple[int, list[int]]:
    """Least cost and such an order: the cheapest last job of each set."""
    times, dates = public["processing_times"], public["due_dates"]
    weights = public.get("weights", [1] * len(times))
    best: list[tuple[int, list[int]]] = [(0, [])]
    for members in range(1, 1 << len(times)):
        inside = [j for j in range(len(times)) if members >> j & 1]
        end = sum(times[j] for j in inside)
        found = []
        for j in inside:
            cost, order = best[members ^ (1 << j)]
            found.append((cost + weights[j] * max(0, end - dates[j]), [*order, j]))
        best.append(min(found))
    return best[-1]


@pytest.mark.parametrize("weighted", [False, True])
def test_proofs_from_any_start(weighted: bool, stream: random.Random) -> None:
    """From an optimal order with one unit to spare, and from drawn orders, the proof ends at the optimum."""
    for _ in range(10):
        public = _jobs(stream, weighted)
        least, order = _least(public)
        met = relax(public, order, 30.0, 1)
        assert (met.optimal, met.bound) == (True, least)
        assert met.sequence is not None
        assert _cost(public, list(met.sequence)) == least
        kept = relax(public, order, 30.0)
        assert (kept.optimal, kept.bound, kept.sequence) == (True, least, None)
        start = stream.sample(range(7), 7)
        found = relax(public, start, 30.0)
        assert (found.optimal, found.bound) == (True, least)
        assert _cost(public, list(found.sequence or start)) == least


def test_steps_come_close(stream: random.Random) -> None:
    """Steps along the subgradient prove most of the optimum from a drawn order, the first bound much less."""
    shares = []
    for _ in range(4):
        public = _jobs(stream, True, 10)
        least, _ = _least(public)
        order = stream.sample(range(10), 10)
        relaxation = SequenceRelaxation(public, order)
        first = relaxation.ascend(least, time.monotonic() + 30, 1)
        last = relaxation.ascend(least, time.monotonic() + 30, 150)
        assert price_bound(public, order) <= first <= last <= least
        shares.append((first / max(1, least), last / max(1, least)))
    assert sum(last for _, last in shares) > 0.95 * len(shares)
    assert sum(first for first, _ in shares) < sum(last for _, last in shares)


def test_costs_beyond_the_limit() -> None:
    """Costs of up to just less than the limit are proved, at the limit they are refused."""
    public: dict[str, Any] = {"processing_times": [1, 3], "due_dates": [0, 0], "weights": [1, 1]}
    for weight, fits in ((2**42 - 2, True), (2**42 - 1, False)):
        public["weights"][1] = weight
        if fits:
            assert relax(public, [0, 1], 30.0).bound == 3 * weight + 4
        else:
            with pytest.raises(ValueError, match="expected less than"):
                relax(public, [0, 1], 30.0)
