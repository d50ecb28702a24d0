"""Flow shops against all orders of the jobs."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest
from gapsmith.evaluators.classics.flow_shop import lower_bound

NAMES = ["flow-shop", "flow-shop-rule"]


def _all_orders(times: list[list[int]]) -> tuple[int, list[int]]:
    """Least makespan of an order and such an order, job after job, cut where a machine's rest is too long."""
    best: list[Any] = [sum(map(sum, times)) + 1, []]
    machines = range(len(times[0]))

    def extend(order: list[int], ends: list[int], left: list[int]) -> None:
        if not left:
            best[:] = min(best, [ends[-1], order])
            return
        if any(ends[k] + sum(times[j][k] for j in left) >= best[0] for k in machines):
            return
        for job in left:
            after = list[int]()
            for k in machines:
                after.append(max(ends[k], after[-1] if k else 0) + times[job][k])
            extend([*order, job], after, [j for j in left if j != job])

    extend([], [0] * len(times[0]), list(range(len(times))))
    return best[0], best[1]


def _machine_loads(times: list[list[int]]) -> int:
    """The largest of all jobs' lengths and of all machines' least head, work and least tail."""
    heads = [[0, *accumulate(row)] for row in times]
    work = [
        min(head[k] for head in heads)
        + sum(row[k] for row in times)
        + min(head[-1] - head[k + 1] for head in heads)
        for k in range(len(times[0]))
    ]
    return max(*work, *(head[-1] for head in heads))


@pytest.mark.parametrize("name", NAMES)
def test_makespans_of_all_orders(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Eight jobs on four machines: the optimum is the best of all orders, the arithmetic bound below."""
    times = [[stream.randint(1, 99) for _ in range(4)] for _ in range(8)]
    instance = drawn({"times": times})
    least, order = _all_orders(times)
    assert objective(name, instance, order) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert lower_bound(times) == _machine_loads(times) <= least


def test_one_job_takes_its_own_time(drawn: Callable[..., Any], prove: Any) -> None:
    """There is one order, and nothing to wait for."""
    reference = prove("flow-shop", drawn({"times": [[7, 1, 5]]}))
    assert (reference.kind, reference.value) == ("optimum", 13)
