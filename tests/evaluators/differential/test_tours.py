"""Tours against Held and Karp's programme over sets and against circuits of CP-SAT."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import hypot
from typing import Any

import pytest

NAMES = ["tsp"]


def _clusters(stream: random.Random, nodes: int) -> dict[str, Any]:
    """Nodes in clusters far apart: without cuts the cheapest degrees of two are a tour for each cluster."""
    middles = [(stream.randrange(2000), stream.randrange(2000)) for _ in range(max(2, nodes // 5))]
    points = []
    for node in range(nodes):
        x, y = middles[node % len(middles)]
        points.append([x + stream.randrange(400), y + stream.randrange(400)])
    distances = [[round(hypot(a - c, b - d)) for c, d in points] for a, b in points]
    return {"coordinates": points, "distances": distances}


def _held_karp(distances: list[list[int]]) -> tuple[int, list[int]]:
    """Least length of a tour and such a tour: the shortest path through each set that ends at each node."""
    others = len(distances) - 1
    paths: dict[tuple[int, int], tuple[int, list[int]]] = {
        (1 << k, k): (distances[0][k + 1], [0, k + 1]) for k in range(others)
    }
    for members in range(1, 1 << others):
        for last in range(others):
            rest = members & ~(1 << last)
            if members >> last & 1 and rest:
                paths[members, last] = min(
                    (paths[rest, k][0] + distances[k + 1][last + 1], [*paths[rest, k][1], last + 1])
                    for k in range(others)
                    if rest >> k & 1
                )
    every = (1 << others) - 1
    return min((paths[every, k][0] + distances[k + 1][0], paths[every, k][1]) for k in range(others))


def _circuit(distances: list[list[int]]) -> tuple[int, list[int]]:
    """Least length of a tour and such a tour: one circuit of arcs."""
    from ortools.sat.python import cp_model

    model, count = cp_model.CpModel(), len(distances)
    arcs = {(i, j): model.new_bool_var("") for i in range(count) for j in range(count) if i != j}
    model.add_circuit([(i, j, arc) for (i, j), arc in arcs.items()])
    model.minimize(sum(distances[i][j] * arc for (i, j), arc in arcs.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2  # the search without a relaxation of circuits takes minutes
    assert solver.solve(model) == cp_model.OPTIMAL
    after = {i: j for (i, j), arc in arcs.items() if solver.value(arc)}
    tour = [0]
    while len(tour) < count:
        tour.append(after[tour[-1]])
    return round(solver.objective_value), tour


@pytest.mark.parametrize("name", NAMES)
def test_tours_over_sets(
    name: str,
    stream: random.Random,
    drawn: Callable[..., Any],
    prove: Any,
    objective: Any,
    met_again: Any,
) -> None:
    """Twelve clustered nodes: the optimum is that of the programme over sets."""
    instance = drawn(_clusters(stream, 12))
    least, tour = _held_karp(instance.public["distances"])
    assert objective(name, instance, tour) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert met_again(name, instance, tour) == least


@pytest.mark.parametrize("nodes", [20, 25])
@pytest.mark.parametrize("name", NAMES)
def test_tours_as_circuits(
    name: str,
    nodes: int,
    stream: random.Random,
    drawn: Callable[..., Any],
    prove: Any,
    objective: Any,
    met_again: Any,
) -> None:
    """20 and 25 clustered nodes: the optimum is that of a circuit."""
    instance = drawn(_clusters(stream, nodes))
    least, tour = _circuit(instance.public["distances"])
    assert objective(name, instance, tour) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert met_again(name, instance, tour) == least
