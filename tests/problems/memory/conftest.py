"""Fixtures: small sets of buffers, and programs as functions."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

Buffers = list[list[int]]
Run = Callable[[Any, str, Buffers], list[int]]


@pytest.fixture
def draws() -> Callable[..., Iterator[Buffers]]:
    """Draws small sets of buffers with many equal times and sizes."""

    def make(count: int, buffers: int, seed: int, steps: int = 6, largest: int = 4) -> Iterator[Buffers]:
        stream = random.Random(seed)
        for _ in range(count):
            starts = [stream.randrange(steps) for _ in range(buffers)]
            yield [[s, s + stream.randint(1, 4), stream.randint(1, largest)] for s in starts]

    return make


@pytest.fixture
def run() -> Run:
    """Offsets by a program (source text) of a problem, in this process; only for our own sources."""

    def answer(problem: Any, source: str, buffers: Buffers) -> list[int]:
        scope: dict[str, Any] = {}
        exec(source, scope)
        public = {"buffers": copy.deepcopy(buffers)}
        if not hasattr(problem, "driver"):
            return scope[problem.entry_point](**public)  # type: ignore[no-any-return]
        loop: dict[str, Any] = {}
        exec(problem.driver, loop)
        return loop["drive"](scope[problem.entry_point], public)  # type: ignore[no-any-return]

    return answer
