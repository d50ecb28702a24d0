"""Fixtures of the workshop's tests: a task folder, and a short way to run a driver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.sandbox.base import Execution, Limits, Program
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.trusted_evaluator import EvaluatorTask, Workshop

Drive = Callable[..., Execution]
"""Runs the body of a driver, and returns how that ended."""
MEMORY = 256 << 20


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """Runs the body of a driver in a workshop of its own over an empty task."""

    def run(
        body: str, program: str = "", *, seconds: float = 20.0, without: frozenset[str] = frozenset()
    ) -> Execution:
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        driver = f"def drive(path, folder, instance, options, seed, report):\n{lines}\n"
        limits = Limits(seconds, MEMORY)
        with Workshop(EvaluatorTask(tmp_path, driver), Policy(without=without)) as workshop:
            return workshop.execute(Program({"heuristic.py": program}, "f"), b'{"repeat": 1}', limits, 7)

    return run
