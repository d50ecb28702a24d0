"""Fixtures: Topcuoglu's example, small graphs, programs as functions, CP-SAT without a process of its own."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gapsmith.evaluators.graphs.models import graph_model

Public = dict[str, Any]

_TIMES = (
    "14 16 9,13 19 18,11 13 19,13 8 17,12 13 10,13 16 9,7 15 11,5 11 14,18 12 20,21 7 16"  # three processors
)
_EDGES = (
    "1 2 18,1 3 12,1 4 9,1 5 11,1 6 14,2 8 19,2 9 16,3 7 23,"
    "4 8 27,4 9 23,5 9 13,6 8 15,7 10 17,8 10 11,9 10 13"
)


@pytest.fixture(scope="session")
def example() -> Public:
    """The graph of Topcuoglu, Hariri and Wu 2002, figure 2: ten tasks, three processors."""
    rows = [[int(word) for word in row.split()] for row in _EDGES.split(",")]
    return {
        "times": [[int(word) for word in row.split()] for row in _TIMES.split(",")],
        "edges": [[tail - 1, head - 1, size] for tail, head, size in rows],
    }


@pytest.fixture
def graphs() -> Callable[..., Iterator[Public]]:
    """Draws small graphs; one task in six cannot run on one of the processors."""

    def make(count: int, tasks: int, processors: int, longest: int, seed: int) -> Iterator[Public]:
        stream = random.Random(seed)
        for _ in range(count):
            times: list[list[int | None]] = [
                [stream.randint(1, longest) for _ in range(processors)] for _ in range(tasks)
            ]
            for row in times:
                if processors > 1 and stream.random() < 1 / 6:
                    row[stream.randrange(processors)] = None
            edges = [
                [i, k, stream.randint(0, longest)]
                for k in range(tasks)
                for i in range(k)
                if stream.random() < 0.4
            ]
            yield {"times": times, "edges": edges}

    return make


@pytest.fixture
def run() -> Callable[[Any, str, Public], Any]:
    """The schedule by a program (source text) of a problem, in this process; only for our own sources."""

    def answer(problem: Any, source: str, public: Public) -> Any:
        scope: dict[str, Any] = {}
        exec(source, scope)
        entry, arguments = scope[problem.entry_point], copy.deepcopy(dict(public))
        if not hasattr(problem, "driver"):
            return entry(**arguments)
        loop: dict[str, Any] = {}
        exec(problem.driver, loop)
        return loop["drive"](entry, arguments)

    return answer


@pytest.fixture
def solve() -> Callable[..., int | None]:
    """CP-SAT's least makespan, in this process; None where no schedule meets the deadline."""

    def answer(public: Public, deadline: int | None = None) -> int | None:
        from ortools.sat.python import cp_model

        graph = graph_model(public, deadline=deadline)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        status = solver.solve(graph.model)
        if status == cp_model.INFEASIBLE:
            return None
        assert status == cp_model.OPTIMAL
        rows = zip(graph.on, graph.starts, public["times"], strict=True)
        return max(
            solver.value(start) + next(times[p] for p, here in on.items() if solver.value(here))
            for on, start, times in rows
        )

    return answer
