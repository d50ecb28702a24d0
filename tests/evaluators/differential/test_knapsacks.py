"""Knapsacks with several rows against all choices of items."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

NAMES = ["multi-knapsack"]


def _items(stream: random.Random, items: int, rows: int) -> dict[str, Any]:
    """Profits that go with the weights, rows that hold half of all: choices are hard to tell apart."""
    weights = [[stream.randint(1, 1000) for _ in range(items)] for _ in range(rows)]
    profits = [sum(row[i] for row in weights) // rows + stream.randint(1, 500) for i in range(items)]
    return {"profits": profits, "weights": weights, "capacities": [sum(row) // 2 for row in weights]}


def _all_choices(public: dict[str, Any]) -> tuple[int, list[int]]:
    """Largest profit of a choice that fits every row, and such a choice."""
    count = len(public["profits"])
    choices = np.arange(1 << count)

    def sums(values: list[int]) -> Any:
        total = np.zeros(1 << count, dtype=np.int64)
        for item, value in enumerate(values):
            total += value * (choices >> item & 1)
        return total

    profits = sums(public["profits"])
    for row, capacity in zip(public["weights"], public["capacities"], strict=True):
        profits[sums(row) > capacity] = -1
    best = int(profits.argmax())
    return int(profits[best]), [item for item in range(count) if best >> item & 1]


@pytest.mark.parametrize("name", NAMES)
def test_profits_of_all_choices(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """18 items in three rows: the optimum is the best of all choices."""
    instance = drawn(_items(stream, 18, 3))
    most, items = _all_choices(instance.public)
    assert objective(name, instance, items) == most
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", most)
