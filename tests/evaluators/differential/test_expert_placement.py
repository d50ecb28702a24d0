"""The bound of plans, its second proof, and copies of experts, against all numbers of copies."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.placement.expert_placement import greedy_counts, lower_bound, smallest_largest_copy


def _least_copy(loads: list[int], slots: int) -> Fraction:
    """Least largest load of a copy, of all numbers of copies that fill the slots."""
    return min(
        max(Fraction(load, n) for load, n in zip(loads, counts, strict=True))
        for counts in product(range(1, slots - len(loads) + 2), repeat=len(loads))
        if sum(counts) == slots
    )


def test_least_largest_copies(stream: random.Random) -> None:
    """Copies given one by one, and bisection over all values, come to the least of all numbers of copies."""
    for _ in range(25):
        experts = stream.randint(1, 4)
        gpus, each = stream.choice(((1, 4), (2, 2), (2, 3), (2, 4)))
        slots = gpus * each
        loads = [round(10 * stream.paretovariate(0.6)) for _ in range(experts)]
        least = _least_copy(loads, slots)
        counts = greedy_counts(loads, slots)
        assert sum(counts) == slots
        assert max(Fraction(load, n) for load, n in zip(loads, counts, strict=True)) == least
        assert smallest_largest_copy(loads, slots) == least
        assert lower_bound(loads, gpus, each) == max(Fraction(sum(loads), gpus), least)


def test_the_bound_proved_again(stream: random.Random, drawn: Callable[..., Any], prove: Any) -> None:
    """The second proof comes to the value of the first one where one expert's copies decide."""
    references: Any = load_problem("expert-placement").references
    for load in (1, 50, 5_000):
        loads = [load, *(stream.randint(1, 60) for _ in range(3))]
        instance = drawn({"loads": loads, "gpus": 3, "slots": 2, "groups": 2, "nodes": 1})
        reference = prove("expert-placement", instance, 0.1)
        again = references.reprove(instance, reference, 0.1)
        expected = max(Fraction(sum(loads), 3), _least_copy(loads, 6))
        assert again.value == reference.value == expected
