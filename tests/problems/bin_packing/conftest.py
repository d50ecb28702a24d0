"""Helpers of the bin-packing tests: the problems, a sandbox slot, and exact optima of tiny instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from gapsmith.problems.base import Instance, Problem, canonical_json
from gapsmith.problems.bin_packing import bin_packing, online_bin_packing, online_bin_packing_known_n
from gapsmith.sandbox.base import Execution, Limits, Program
from gapsmith.sandbox.slot import Slot, open_sandbox


@pytest.fixture(scope="session")
def offline() -> Any:
    """The offline problem with its default parameters."""
    return bin_packing()


@pytest.fixture(scope="session")
def online() -> Any:
    """The online problem with its default parameters."""
    return online_bin_packing()


@pytest.fixture(scope="session")
def known_n() -> Any:
    """The online problem that tells the number of items."""
    return online_bin_packing_known_n()


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    """One sandbox slot."""
    with open_sandbox() as opened:
        yield opened


@pytest.fixture
def execute(slot: Slot) -> Callable[[Any, str, Instance], Execution]:
    """Runs a program's source on an instance in the sandbox, as the evaluator does."""

    def run(problem: Any, source: str, instance: Instance, limits: Limits | None = None) -> Execution:
        program = Program({"heuristic.py": source}, problem.entry_point, getattr(problem, "driver", None))
        dialogue = problem.dialogue(instance) if hasattr(problem, "dialogue") else None
        public = canonical_json(dict(instance.public)).encode()
        return slot.execute(program, public, limits or Limits(), 1, dialogue)

    return run


@pytest.fixture
def bins_of(execute: Callable[[Any, str, Instance], Execution]) -> Callable[[Any, str, Instance], int]:
    """Number of bins that a program's source needs on an instance; fails unless the answer is valid."""

    def run(problem: Problem, source: str, instance: Instance) -> int:
        execution = execute(problem, source, instance)
        assert execution.error is None, execution.error
        verdict = problem.verify(instance, execution.answer)
        assert verdict.objective is not None, verdict
        assert isinstance(verdict.objective, int)
        return verdict.objective

    return run


@pytest.fixture(scope="session")
def brute_force() -> Callable[[Sequence[int], int], int]:
    """Optimum of a handful of items by trying every packing, with no bound but the best found so far."""

    def optimum(sizes: Sequence[int], capacity: int) -> int:
        best = len(sizes)

        def place(item: int, loads: list[int]) -> None:
            nonlocal best
            if item == len(sizes):
                best = min(best, len(loads))
                return
            for index in range(len(loads)):
                if loads[index] + sizes[item] <= capacity:
                    loads[index] += sizes[item]
                    place(item + 1, loads)
                    loads[index] -= sizes[item]
            if len(loads) + 1 < best or item + 1 == len(sizes):
                place(item + 1, [*loads, sizes[item]])

        place(0, [])
        return best

    return optimum


@pytest.fixture
def online_instance() -> Callable[..., Instance]:
    """An online instance of given sizes (units of size), number of items untold."""

    def make(sizes: Sequence[int], capacity: int, public: Mapping[str, Any] | None = None) -> Instance:
        shown = {"capacity": capacity, **(public or {})}
        return Instance("small", "test", "small", shown, 1, "test", {"sizes": list(sizes)})

    return make
