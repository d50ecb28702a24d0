"""Job shops with and without buffers against mixed-integer programmes with one Boolean for each pair."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from gapsmith.evaluators.shops.models import arithmetic_bound

NAMES = [("job-shop", False), ("job-shop-rule", False), ("blocking-job-shop", True)]
NAMES += [("blocking-job-shop-rule", True)]


def _shop(stream: random.Random, jobs: int, machines: int) -> dict[str, Any]:
    routes = [stream.sample(range(machines), machines) for _ in range(jobs)]
    return {
        "machines": machines,
        "routes": routes,
        "times": [[stream.randint(1, 40) for _ in route] for route in routes],
    }


def _disjunctive(public: dict[str, Any], blocking: bool) -> tuple[int, list[list[int]]]:
    """Least makespan and start times: of two operations on a machine, one leaves before the other comes."""
    import highspy

    model, late = highspy.Highs(), sum(map(sum, public["times"]))
    model.setOptionValue("output_flag", False)
    model.setOptionValue("mip_rel_gap", 0.0)
    end = model.addVariable(0, late)
    on: dict[int, list[tuple[Any, Any]]] = {}
    begins = []
    for route, times in zip(public["routes"], public["times"], strict=True):
        starts = [model.addVariable(0, late) for _ in route]
        ready = [start + time for start, time in zip(starts, times, strict=True)]
        for before, after in zip(ready[:-1], starts[1:], strict=True):
            model.addConstr(after >= before)
        model.addConstr(end >= ready[-1])
        leaves = [*(starts[1:] if blocking else ready[:-1]), ready[-1]]
        for machine, start, leave in zip(route, starts, leaves, strict=True):
            on.setdefault(machine, []).append((start, leave))
        begins.append(starts)
    for operations in on.values():
        for (start, leave), (other, other_leave) in combinations(operations, 2):
            first = model.addBinary()
            model.addConstr(other + late * (1 - first) >= leave)
            model.addConstr(start + late * first >= other_leave)
    model.minimize(end)
    assert model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return round(model.getObjectiveValue()), [[round(model.val(s)) for s in starts] for starts in begins]


def _loads(public: dict[str, Any]) -> int:
    """The longest job, or the largest sum of a machine's least head, its work and its least tail."""
    sums = [sum(times) for times in public["times"]]
    for machine in range(public["machines"]):
        places = [route.index(machine) for route in public["routes"]]
        rows = list(zip(public["times"], places, strict=True))
        sums.append(
            min(sum(times[:place]) for times, place in rows)
            + sum(times[place] for times, place in rows)
            + min(sum(times[place + 1 :]) for times, place in rows)
        )
    return max(sums)


@pytest.mark.parametrize(("name", "blocking"), NAMES)
def test_makespans_of_programmes(
    name: str,
    blocking: bool,
    stream: random.Random,
    drawn: Callable[..., Any],
    prove: Any,
    objective: Any,
) -> None:
    """Five jobs on three machines: the optimum is that of the programme, the arithmetic bound below."""
    public = _shop(stream, 5, 3)
    instance = drawn(public)
    least, starts = _disjunctive(public, blocking)
    assert objective(name, instance, starts) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert arithmetic_bound(public) == _loads(public) <= least
