"""Orienteering against the shortest tours of all sets of nodes and against a circuit with optional nodes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import combinations, pairwise
from math import hypot
from typing import Any

import pytest
from gapsmith.evaluators.classics.prize_proof import UNIT, OrienteeringRelaxation, certified

NAMES = ["orienteering"]


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


def _spent_to_the_last(stream: random.Random) -> dict[str, Any]:
    """Nine nodes, and a length that one of the tours of two or three of them spends to the last unit."""
    public = _nodes(stream, 9, 0.5)
    way = [0, *stream.sample(range(1, 9), stream.choice((2, 2, 3))), 0]
    length = sum(public["distances"][a][b] for a, b in pairwise(way))
    for node in way[1:-1]:
        public["prizes"][node] += 60
    return public | {"max_length": length}


@pytest.mark.parametrize("tight", [False, True])
def test_prizes_from_any_start(tight: bool, stream: random.Random) -> None:
    """From nothing, and from an optimal tour with one to spare, the proof ends at the optimum."""
    for _ in range(6):
        public = _spent_to_the_last(stream) if tight else _nodes(stream, 9, stream.choice((0.4, 0.5, 0.6)))
        most, nodes = _over_sets(public)
        noted: list[Any] = []
        for answer, spare in (([], 0), (nodes, 1)):
            found = certified(public, 60.0, answer, spare, noted.append)
            assert (found["bound"], found["value"]) == (most, most)
            visited = [0, *found["answer"], 0]
            steps = pairwise(visited)
            assert sum(public["distances"][a][b] for a, b in steps) <= public["max_length"]
        assert min(one["bound"] for one in noted) >= most


def test_prizes_with_one_at_the_depot(stream: random.Random) -> None:
    """A prize of the depot is part of every tour, also where no other node can be visited."""
    for share in (0.0, 0.45):
        public = _nodes(stream, 8, share)
        most, nodes = _over_sets(public)
        paid = public | {"prizes": [7, *public["prizes"][1:]]}
        found = certified(paid, 60.0, nodes, 0)
        assert (found["bound"], found["value"]) == (most + 7, most + 7)


def test_a_single_node_at_the_last_unit(stream: random.Random) -> None:
    """A way there and back of just the largest length is a tour; one unit less leaves the depot alone."""
    for _ in range(4):
        public = _nodes(stream, 5, 0.5)
        nearest = min(range(1, 5), key=lambda node: public["distances"][0][node])
        length = 2 * public["distances"][0][nearest]
        for longest, most in ((length, public["prizes"][nearest]), (length - 1, 0)):
            found = certified(public | {"max_length": longest}, 60.0, [], 0)
            assert (found["bound"], found["value"]) == (most, most)


def test_branching_cuts_off_cycles_apart(stream: random.Random) -> None:
    """Without any cut a cycle apart from the depot collects a far crowd's prizes; branching cuts it off.

    Each branching proves a bound, the last one that of the best tour.
    """
    for _ in range(2):
        places = [(900 * (node % 2) + stream.randrange(150), stream.randrange(150)) for node in range(9)]
        distances = [[round(hypot(a - c, b - d)) for c, d in places] for a, b in places]
        prizes = [0, *(stream.randint(1, 30) for _ in range(8))]
        public = {"distances": distances, "prizes": prizes, "max_length": 2100}
        most, nodes = _over_sets(public)
        relaxation = OrienteeringRelaxation.of(public, nodes[:1])
        assert relaxation.finish(time.monotonic() + 20, lambda bound: None) == most
        assert (relaxation.value, relaxation.bound) == (most, UNIT * most)


def test_bounds_of_fractional_prizes(stream: random.Random) -> None:
    """The relaxation proves at most 2 % more than a programme with all borders, and no less than a tour."""
    from scipy.optimize import linprog

    for _ in range(4):
        public = _nodes(stream, 8, 0.45)
        while len(_over_sets(public)[1]) < 2:  # a tour to one node alone is none of the relaxation's
            public = _nodes(stream, 8, 0.45)
        distances, count = public["distances"], len(public["prizes"])
        pairs = list(combinations(range(count), 2))
        costs = [0.0] * len(pairs) + [-float(prize) for prize in public["prizes"][1:]]
        visits = [[-2.0 * (node == k) for k in range(1, count)] for node in range(count)]
        equal = [[float(node in pair) for pair in pairs] + visits[node] for node in range(count)]
        rows = [[float(distances[i][j]) for i, j in pairs] + [0.0] * (count - 1)]
        limits = [float(public["max_length"])]
        for size in range(2, count):
            for one in combinations(range(1, count), size):
                border = [-float((i in one) != (j in one)) for i, j in pairs]
                for node in one:
                    rows.append([*border, *(2.0 * (node == k) for k in range(1, count))])
                    limits.append(0.0)
        found = linprog(costs, rows, limits, equal, [2.0] + [0.0] * (count - 1), (0.0, 1.0))
        most, nodes = _over_sets(public)
        relaxation = OrienteeringRelaxation.of(public, nodes[:1])
        relaxation.solve(time.monotonic() + 60)
        assert most * UNIT <= relaxation.bound <= -1.02 * found.fun * UNIT
        late = relaxation.finish(time.monotonic() - 1, lambda bound: None)
        assert late == relaxation.bound // UNIT
        relaxation.bound = UNIT * relaxation.goal + UNIT // 2
        assert relaxation.finish(time.monotonic() - 1, lambda bound: None) == relaxation.goal
