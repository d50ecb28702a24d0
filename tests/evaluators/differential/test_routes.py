"""Routes against a partition of all customers into sets, each with its shortest route, and against CP-SAT."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import cache
from math import hypot
from typing import Any

import pytest
from gapsmith.evaluators.classics.capacity_cuts import capacity_bound

NAMES = ["cvrp"]


def _customers(stream: random.Random, customers: int, capacity: int) -> dict[str, Any]:
    """Customers far from the depot, so that the number of routes decides."""
    points = [[0, 0], *([stream.randint(300, 999), stream.randint(300, 999)] for _ in range(customers))]
    distances = [[round(hypot(a - c, b - d)) for c, d in points] for a, b in points]
    demands = [0, *(stream.randint(1, 9) for _ in range(customers))]
    return {"coordinates": points, "distances": distances, "demands": demands, "capacity": capacity}


def _partitioned(public: dict[str, Any]) -> tuple[int, list[list[int]]]:
    """Least length of all routes and such routes, from the shortest routes of all sets that fit."""
    distances, demands = public["distances"], public["demands"]
    count = len(demands) - 1

    @cache
    def path(members: int, last: int) -> tuple[int, tuple[int, ...]]:
        rest = members & ~(1 << last)
        if not rest:
            return distances[0][last + 1], (last + 1,)
        ends = [k for k in range(count) if rest >> k & 1]
        length, before = min((path(rest, k)[0] + distances[k + 1][last + 1], path(rest, k)[1]) for k in ends)
        return length, (*before, last + 1)

    @cache
    def route(members: int) -> tuple[int, tuple[int, ...]] | None:
        if sum(demands[k + 1] for k in range(count) if members >> k & 1) > public["capacity"]:
            return None
        ends = [k for k in range(count) if members >> k & 1]
        return min((path(members, k)[0] + distances[k + 1][0], path(members, k)[1]) for k in ends)

    @cache
    def cheapest(members: int) -> tuple[int, tuple[tuple[int, ...], ...]]:
        if not members:
            return 0, ()
        first, found = members & -members, []
        rest = others = members ^ first
        while True:
            if (one := route(first | others)) is not None:
                length, routes = cheapest(rest ^ others)
                found.append((one[0] + length, (one[1], *routes)))
            if not others:
                return min(found)
            others = (others - 1) & rest

    length, routes = cheapest((1 << count) - 1)
    return length, [list(one) for one in routes]


def _circuits(public: dict[str, Any]) -> int:
    """Least length of all routes: circuits through the depot, loads that grow along each."""
    from ortools.sat.python import cp_model

    distances, demands, room = public["distances"], public["demands"], public["capacity"]
    model, nodes = cp_model.CpModel(), range(len(demands))
    arcs = {(i, j): model.new_bool_var("") for i in nodes for j in nodes if i != j}
    loads = [model.new_int_var(demand, room, "") for demand in demands]
    model.add_multiple_circuit([(i, j, arc) for (i, j), arc in arcs.items()])
    for (i, j), arc in arcs.items():
        if i and j:
            model.add(loads[j] >= loads[i] + demands[j]).only_enforce_if(arc)
    model.minimize(sum(distances[i][j] * arc for (i, j), arc in arcs.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2  # the search without a relaxation of circuits takes minutes
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize("name", NAMES)
def test_routes_from_all_sets(
    name: str,
    stream: random.Random,
    drawn: Callable[..., Any],
    prove: Any,
    objective: Any,
    met_again: Any,
) -> None:
    """Nine customers, three or four routes: the optimum is the partition's, the capacity bound below."""
    public = _customers(stream, 9, 16)
    instance = drawn(public)
    least, routes = _partitioned(public)
    assert objective(name, instance, routes) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert met_again(name, instance, routes) == least
    assert 0.8 * least <= capacity_bound(public, routes, time.monotonic() + 10) <= least


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_routes_as_circuits(name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any) -> None:
    """Twelve customers: the optimum is that of circuits."""
    instance = drawn(_customers(stream, 12, 20))
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", _circuits(instance.public))
