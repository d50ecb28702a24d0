"""The bound of fleets slice by slice, and a fleet whose pooled form has no split in time."""

from __future__ import annotations

import random
from fractions import Fraction
from importlib import import_module
from math import ceil, gcd
from typing import Any

import pytest
from gapsmith.evaluators.toolbox.solved import conclude
from gapsmith.problems.base import Sense

gpu_fleet: Any = import_module("gapsmith.evaluators.placement.gpu_fleet")


def test_cheapest_prices_of_slices(stream: random.Random) -> None:
    """Each slice at its cheapest type, in whole units of the prices, rounded up once."""
    for _ in range(40):
        kinds = stream.randint(1, 4)
        loads: list[list[int | None]] = [
            [stream.choice((None, stream.randint(1, 900), stream.randint(1, 900))) for _ in range(kinds)]
            for _ in range(stream.randint(1, 4))
        ]
        for row in loads:
            if not any(row):
                row[stream.randrange(kinds)] = 500
        public = {
            "prices": [stream.randint(1, 9) * stream.choice((500, 1000)) for _ in range(kinds)],
            "loads": loads,
            "slices": [stream.randint(1, 5) for _ in loads],
            "capacity": 1000,
        }
        total = Fraction(0)
        for row, count in zip(loads, public["slices"], strict=True):
            costs = [Fraction(n * p, 1000) for n, p in zip(row, public["prices"], strict=True) if n]
            total += count * min(costs)
        expected = ceil(total / gcd(*public["prices"]))
        assert gpu_fleet.closed_form_bound(public) == expected


def test_a_pool_without_a_split(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search over all fleets then decides alone: five slices of two fifths need three GPUs."""
    public = {"prices": [10_000], "loads": [[400]], "slices": [5], "capacity": 1000}

    def late(public: Any, seconds: float, solver: str = "highs") -> Any:
        bound = gpu_fleet.closed_form_bound(public)
        stopped = conclude(
            ended="limit", value=None, bound=bound, solution=None, names=[], sense=Sense.MINIMISE,
            known_bound=None, exact=True, solver="HiGHS", version="1", seconds=seconds, command="", note="",
        )  # fmt: skip
        return stopped, None

    monkeypatch.setattr(gpu_fleet, "pool", late)
    reference = gpu_fleet.packed_reference(public, 30.0).reference
    assert (reference.kind, reference.value) == ("optimum", 3)
