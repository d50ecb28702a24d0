"""Documented neighbours of sequence packing: the exact partition of layers, balance without a barrier."""

from __future__ import annotations

import itertools
import random
import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """The functions of the documented script."""
    path = Path(__file__).parents[3] / "benchmarks" / "training_balance.py"
    return runpy.run_path(str(path))


@pytest.mark.parametrize(
    ("thousands", "even", "best"), [(32, 1.19, 1.19), (64, 1.37, 1.18), (128, 1.70, 1.12), (256, 2.27, 1.45)]
)
def test_vocabulary_layers_as_documented(
    example: dict[str, Any], thousands: int, even: float, best: float
) -> None:
    """The table of docs/problems/sequence-packing.md, to its two digits."""
    loads = example["stage_loads"](32, 3_072, thousands * 1_024)
    ideal = sum(loads) / 8
    assert float(example["equal_split"](loads, 8) / ideal) == pytest.approx(even, abs=0.005)
    assert float(example["best_partition"](loads, 8) / ideal) == pytest.approx(best, abs=0.005)


def test_the_partition_is_optimal_by_brute_force(example: dict[str, Any]) -> None:
    """All cuts of up to eight layers into up to four stages."""
    stream = random.Random(1)
    for _ in range(40):
        loads = [Fraction(stream.randint(1, 20)) for _ in range(stream.randint(1, 8))]
        stages = stream.randint(1, 4)
        cuts = itertools.combinations_with_replacement(range(len(loads) + 1), stages - 1)
        edges = ([0, *cut, len(loads)] for cut in cuts)
        optimum = min(max(sum(loads[a:b]) for a, b in itertools.pairwise(edge)) for edge in edges)
        assert example["best_partition"](loads, stages) == optimum


def test_balance_stays_above_its_bound(example: dict[str, Any]) -> None:
    """On random sequences no rank is faster than the arithmetic says."""
    stream = random.Random(2)
    for _ in range(50):
        tokens = [stream.randint(1, 100) for _ in range(stream.randint(1, 40))]
        times = [n + n * n // 50 for n in tokens]
        arguments = (times, tokens, stream.randint(1, 6), 100, stream.randint(0, 50))
        assert example["balance"](*arguments) >= example["balance_bound"](*arguments)
