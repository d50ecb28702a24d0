"""Prices of patterns against all patterns, and the value of the programme against all patterns at once."""

from __future__ import annotations

import random
import time
from itertools import product
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.bin_packing.columns import Master, to_patterns


def _patterns(sizes: list[int], demand: list[int], capacity: int) -> list[tuple[int, ...]]:
    """All numbers of items of each size that fit one bin."""
    ranges = [range(min(n, capacity // size) + 1) for size, n in zip(sizes, demand, strict=True)]
    every = product(*ranges)
    return [one for one in every if sum(n * s for n, s in zip(one, sizes, strict=True)) <= capacity]


def _items(stream: random.Random) -> tuple[dict[int, int], int]:
    capacity = stream.randint(10, 40)
    sizes = stream.sample(range(2, capacity), stream.randint(2, 4))
    return {size: stream.randint(1, 9) for size in sizes}, capacity


def test_dearest_patterns(stream: random.Random) -> None:
    """The dual value is the largest of all patterns within capacity and demand, and the pattern has it."""
    for _ in range(40):
        counts, capacity = _items(stream)
        master = Master(counts, capacity, [], time.monotonic() + 60)
        sizes = sorted(counts, reverse=True)
        demand = [counts[size] for size in sizes]
        assert (master.sizes, master.demand.tolist()) == (sizes, demand)
        duals = np.array([stream.choice((0.0, stream.random(), 1.0)) for _ in sizes])
        most = max(float(np.dot(one, duals)) for one in _patterns(sizes, demand, capacity))
        value, column = master.price(duals)
        assert value == pytest.approx(most)
        assert tuple(column.tolist()) in _patterns(sizes, demand, capacity)
        assert float(column @ duals) == pytest.approx(most)


def _fractional(patterns: list[tuple[int, ...]], demand: list[int]) -> float:
    """Least number of bins where patterns may be used in parts."""
    from scipy.optimize import linprog

    found = linprog(
        [1.0] * len(patterns), -np.transpose(np.array(patterns, dtype=float)), [-n for n in demand]
    )
    assert found.success
    return float(found.fun)


def _whole(master: Master) -> int:
    """Least number of bins of the patterns that a master has."""
    from scipy.optimize import LinearConstraint, milp

    columns = np.transpose(np.array(master.patterns))
    enough = LinearConstraint(columns, master.demand, np.inf)
    return round(milp(np.ones(len(master.patterns)), constraints=enough, integrality=1).fun)


def test_bins_in_parts(stream: random.Random) -> None:
    """Patterns enter until the value is that of all patterns; duals prove it, whole bins hold all items."""
    for _ in range(15):
        counts, capacity = _items(stream)
        master = Master(counts, capacity, [], time.monotonic() + 60)
        values, duals = master.generate()
        demand = master.demand.tolist()
        patterns = _patterns(master.sizes, demand, capacity)
        least = _fractional(patterns, demand)
        assert float(values.sum()) == pytest.approx(least)
        assert float(duals @ master.demand) == pytest.approx(least)
        chosen: Any = master.integer_solution(1, 10.0)
        bins = to_patterns(chosen, master.sizes, counts)
        assert all(sum(one) <= capacity for one in bins)
        held = [item for one in bins for item in one]
        assert {size: held.count(size) for size in counts} == counts
        assert sum(number for _, number in chosen) == _whole(master) >= least - 1e-6
        less = [max(0, number - 1) for number in demand]
        master.set_demand(np.array(less))
        fewer = float(master.generate()[0].sum())
        fitting = _fractional(_patterns(master.sizes, less, capacity), less)
        assert _fractional(patterns, less) - 1e-6 <= fewer <= fitting + 1e-6
