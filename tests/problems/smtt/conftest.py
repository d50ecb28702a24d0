"""Fixtures: small tie-heavy instances, brute force, shipped programs as functions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import pytest
from gapsmith.problems.smtt.verification import total_tardiness

Public = dict[str, list[int]]


@pytest.fixture
def draw() -> Callable[..., Iterator[Public]]:
    """Draws small instances with many ties, zero and negative slack, and due dates below 0."""

    def make(count: int, most: int, seed: int, weighted: bool = False) -> Iterator[Public]:
        stream = random.Random(seed)
        for _ in range(count):
            jobs = stream.randint(1, most)
            longest = stream.choice([2, 4, 10])
            times = [stream.randint(1, longest) for _ in range(jobs)]
            latest = max(1, int(sum(times) * stream.choice([0.4, 0.8, 1.1])))
            public = {"processing_times": times, "due_dates": [stream.randint(-3, latest) for _ in times]}
            if weighted:
                public["weights"] = [stream.randint(1, stream.choice([2, 9])) for _ in times]
            yield public

    return make


@pytest.fixture
def brute() -> Callable[[Public], int]:
    """Least total (weighted) tardiness over all sequences."""

    def least(public: Public) -> int:
        jobs = range(len(public["due_dates"]))
        return min(total_tardiness(public, order) for order in permutations(jobs))

    return least


@pytest.fixture
def function() -> Callable[[Any, str], Callable[..., list[int]]]:
    """A shipped program of a problem as a function of the public part; only for our own trusted sources."""

    def load(problem: Any, name: str) -> Callable[..., list[int]]:
        scope: dict[str, Any] = {}
        exec({**problem.start_programs(), **problem.baselines()}[name], scope)
        entry = scope[problem.entry_point]
        if not hasattr(problem, "driver"):
            return entry  # type: ignore[no-any-return]
        loop: dict[str, Any] = {}
        exec(problem.driver, loop)
        return lambda **public: loop["drive"](entry, public)

    return load
