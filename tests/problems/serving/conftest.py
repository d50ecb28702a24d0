"""Fixtures: small requests, and programs as functions, online ones through their dialogue."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gapsmith.problems.serving.dialogue import Rounds

Whole = dict[str, Any]


@pytest.fixture
def requests_of() -> Callable[..., Iterator[Whole]]:
    """Draws small instances, arrivals sorted."""

    def make(count: int, requests: int, workers: int, memory: int, seed: int) -> Iterator[Whole]:
        stream = random.Random(seed)
        for _ in range(count):
            outputs = [stream.randint(1, memory // 2) for _ in range(requests)]
            yield {
                "workers": workers,
                "memory": memory,
                "arrivals": sorted(stream.randint(0, memory // 2) for _ in range(requests)),
                "prompts": [stream.randint(1, memory - output) for output in outputs],
                "outputs": outputs,
            }

    return make


@pytest.fixture
def run() -> Callable[[Any, str, Whole], Any]:
    """The schedule of all requests by a whole program, in this process; only for our own sources."""

    def answer(problem: Any, source: str, whole: Whole) -> Any:
        scope: dict[str, Any] = {}
        exec(source, scope)
        return scope[problem.entry_point](**copy.deepcopy(whole))

    return answer


@pytest.fixture
def online() -> Callable[[Any, Any, Whole], Any]:
    """The schedule of all requests by an online rule (a function), through driver and dialogue."""

    def answer(problem: Any, rule: Any, whole: Whole) -> Any:
        driver: dict[str, Any] = {}
        exec(problem.driver, driver)
        rounds, lines = Rounds(whole), [b""]

        def receive() -> bytes | None:
            return rounds.next(lines.pop())

        public = {"workers": whole["workers"], "memory": whole["memory"]}
        driver["drive"](rule, public, receive, lines.append)
        return rounds.answer()

    return answer
