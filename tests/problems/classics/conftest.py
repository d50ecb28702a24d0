"""Fixtures: programs of the classics as functions."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[[Any, str, dict[str, Any]], Any]


@pytest.fixture(scope="session")
def run() -> Run:
    """The answer of a program (source text) of a problem, in this process; only for our own sources."""

    def answer(problem: Any, source: str, public: dict[str, Any]) -> Any:
        scope: dict[str, Any] = {}
        exec(source, scope)
        entry, given = scope[problem.entry_point], copy.deepcopy(dict(public))
        if not hasattr(problem, "driver"):
            return entry(**given)
        loop: dict[str, Any] = {}
        exec(problem.driver, loop)
        return loop["drive"](entry, given)

    return answer
