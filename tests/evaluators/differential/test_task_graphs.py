"""Task graphs against all orders and places of the tasks."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from gapsmith.evaluators.graphs.models import arithmetic_bound

NAMES = ["task-graph", "task-graph-rule"]


def _graph(stream: random.Random, tasks: int, processors: int) -> dict[str, Any]:
    """Times between 1 and 20, some places forbidden, transfers as long as tasks."""
    times: list[list[int | None]] = []
    for _ in range(tasks):
        row: list[int | None] = [stream.randint(1, 20) for _ in range(processors)]
        if stream.random() < 0.3:
            row[stream.randrange(processors)] = None
        times.append(row)
    edges = [
        [i, k, stream.randint(0, 15)]
        for k in range(tasks)
        for i in range(k)
        if k - i <= 3 and stream.random() < 0.5
    ]
    return {"times": times, "edges": edges}


def _all_lists(public: dict[str, Any]) -> tuple[int, list[list[int]]]:
    """Least makespan and a schedule: tasks one by one, each as early as its place allows, in every order."""
    times, edges = public["times"], public["edges"]
    best: list[Any] = [10**9, []]

    def extend(placed: dict[int, tuple[int, int]], free: tuple[int, ...], longest: int) -> None:
        if longest >= best[0]:
            return
        if len(placed) == len(times):
            best[:] = [longest, [list(placed[task]) for task in range(len(times))]]
            return
        for task, row in enumerate(times):
            into = [(i, size) for i, k, size in edges if k == task]
            if task in placed or any(i not in placed for i, _ in into):
                continue
            for place, time in enumerate(row):
                if time is None:
                    continue
                start = free[place]
                for i, size in into:
                    sender, begin = placed[i]
                    arrival = begin + times[i][sender] + (size if sender != place else 0)
                    start = max(start, arrival)
                later = (*free[:place], start + time, *free[place + 1 :])
                extend({**placed, task: (place, start)}, later, max(longest, start + time))

    extend({}, (0,) * len(times[0]), 0)
    return best[0], best[1]


def _chains_and_work(public: dict[str, Any]) -> int:
    """The longest chain of least times, or all least times shared by the processors and rounded up."""
    least = [min(time for time in row if time is not None) for row in public["times"]]

    def chain(task: int) -> int:
        return least[task] + max((chain(k) for i, k, _ in public["edges"] if i == task), default=0)

    processors = len(public["times"][0])
    return max(max(map(chain, range(len(least)))), (sum(least) + processors - 1) // processors)


@pytest.mark.parametrize("name", NAMES)
def test_makespans_of_all_lists(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Seven tasks on two processors: the optimum is the best list, the arithmetic bound below."""
    public = _graph(stream, 7, 2)
    instance = drawn(public)
    least, schedule = _all_lists(public)
    assert objective(name, instance, schedule) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert arithmetic_bound(public) == _chains_and_work(public) <= least
