"""Arithmetic bounds of shops and task graphs, where a machine or the shared work decides as well as a job."""

from __future__ import annotations

import random
from typing import Any

from gapsmith.evaluators.graphs import models as graphs
from gapsmith.evaluators.shops import models as shops


def test_bounds_of_machines_and_jobs(stream: random.Random) -> None:
    """Least head, work and least tail of a machine, or the longest job, worked out operation by operation."""
    decided = set()
    for _ in range(40):
        machines = stream.randint(1, 4)
        routes = [stream.sample(range(machines), machines) for _ in range(stream.randint(1, 6))]
        times = [[stream.randint(1, 9) for _ in route] for route in routes]
        sums = [sum(row) for row in times]
        for machine in range(machines):
            heads, tails, work = [], [], 0
            for route, row in zip(routes, times, strict=True):
                seen, before, after = False, 0, 0
                for one, time in zip(route, row, strict=True):
                    if one == machine:
                        seen = True
                        work += time
                    elif seen:
                        after += time
                    else:
                        before += time
                heads.append(before)
                tails.append(after)
            sums.append(min(heads) + work + min(tails))
        decided.add(sums.index(max(sums)) < len(routes))
        public: dict[str, Any] = {"machines": machines, "routes": routes, "times": times}
        assert shops.arithmetic_bound(public) == max(sums)
    assert decided == {False, True}


def test_bounds_of_chains_and_work(stream: random.Random) -> None:
    """The longest chain, or the work of all tasks over the processors, rounded up."""
    decided = set()
    for _ in range(40):
        tasks, processors = stream.randint(1, 8), stream.randint(1, 4)
        times: list[list[int | None]] = [
            [stream.randint(1, 9) for _ in range(processors)] for _ in range(tasks)
        ]
        for row in times:
            if processors > 1 and stream.random() < 0.3:
                row[stream.randrange(processors)] = None
        edges = [
            [i, k, stream.randint(0, 9)] for k in range(tasks) for i in range(k) if stream.random() < 0.2
        ]
        least = [min(time for time in row if time is not None) for row in times]
        chains = [0] * tasks
        for task in reversed(range(tasks)):
            chains[task] = least[task] + max([chains[k] for i, k, _ in edges if i == task], default=0)
        shared = 0
        while shared * processors < sum(least):
            shared += 1
        decided.add(shared > max(chains))
        assert graphs.arithmetic_bound({"times": times, "edges": edges}) == max(shared, *chains)
    assert decided == {False, True}
