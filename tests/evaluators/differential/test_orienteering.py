"""Orienteering against the shortest tours of all sets of nodes and against a circuit with optional nodes."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import hypot
from typing import Any

import pytest

NAMES = ["orienteering", "orienteering-rule"]


def _nodes(stream: random.Random, count: int, share: float) -> dict[str, Any]:
    """Nodes in a square, prizes of few sizes, and a tour no longer than a share of the square's border."""
    points = [[stream.randrange(1000), stream.randrange(1000)] for _ in range(count)]
    distances = [[round(hypot(a - c, b - d)) for c, d in points] for a, b in points]
    prizes = [0, *(stream.randint(1, 30) for _ in range(count - 1))]
    return {
        "coordinates": points,
        "distances": distances,
        "prizes": prizes,
        "max_length": round(4000 * share),
    }


def _over_sets(public: dict[str, Any]) -> tuple[int, list[int]]:
    """Largest prize of a set of nodes with a short enough tour, and that tour without the depot."""
    distances, count = public["distances"], len(public["prizes"]) - 1
    paths: dict[tuple[int, int], tuple[int, list[int]]] = {
        (1 << k, k): (distances[0][k + 1], [k + 1]) for k in range(count)
    }
    best: tuple[int, list[int]] = (0, [])
    for members in range(1, 1 << count):
        inside = [k for k in range(count) if members >> k & 1]
        for last in inside:
            rest = members & ~(1 << last)
            if rest:
                paths[members, last] = min(
                    (paths[rest, k][0] + distances[k + 1][last + 1], [*paths[rest, k][1], last + 1])
                    for k in inside
                    if k != last
                )
        length, nodes = min(
            (paths[members, k][0] + distances[k + 1][0], paths[members, k][1]) for k in inside
        )
        if length <= public["max_length"]:
            best = max(best, (sum(public["prizes"][k + 1] for k in inside), nodes))
    return best


def _circuit(public: dict[str, Any]) -> int:
    """Largest prize of a circuit through the depot that may pass by nodes."""
    from ortools.sat.python import cp_model

    distances, prizes = public["distances"], public["prizes"]
    model, nodes = cp_model.CpModel(), range(len(prizes))
    arcs = {(i, j): model.new_bool_var("") for i in nodes for j in nodes if i != j}
    passed = {j: model.new_bool_var("") for j in nodes if j}
    loops = [(j, j, one) for j, one in passed.items()]
    model.add_circuit([*((i, j, arc) for (i, j), arc in arcs.items()), *loops])
    model.add(sum(distances[i][j] * arc for (i, j), arc in arcs.items()) <= public["max_length"])
    model.maximize(sum(prizes[j] * (1 - one) for j, one in passed.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2  # the search without a relaxation of circuits takes minutes
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize("share", [0.35, 0.55])
@pytest.mark.parametrize("name", NAMES)
def test_prizes_over_sets(
    name: str,
    share: float,
    stream: random.Random,
    drawn: Callable[..., Any],
    prove: Any,
    objective: Any,
    met_again: Any,
) -> None:
    """Twelve nodes: the optimum is the best of all sets that a tour can visit."""
    public = _nodes(stream, 12, share)
    instance = drawn(public)
    most, nodes = _over_sets(public)
    assert objective(name, instance, nodes) == most
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", most)
    assert met_again(name, instance, nodes) == most


@pytest.mark.parametrize("name", NAMES)
def test_prizes_of_circuits(name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any) -> None:
    """20 nodes: the optimum is that of a circuit with optional nodes."""
    instance = drawn(_nodes(stream, 20, 0.5))
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", _circuit(instance.public))
