"""Starts and bounds of large instances: exact where they are to be, and the best so far at the limit."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.classics.cuts import least_cut
from gapsmith.evaluators.classics.cvrp import edge_bound as shortest_edges
from gapsmith.evaluators.classics.cvrp import solve as solve_routes
from gapsmith.evaluators.classics.flow_shop import inserted
from gapsmith.evaluators.classics.flow_shop import solve as solve_shop
from gapsmith.evaluators.classics.tour_search import descended, nearest_tour
from gapsmith.evaluators.classics.tsp import MANY, certified, edge_bound
from gapsmith.problems.classics.cvrp import public
from gapsmith.problems.classics.distances import distances, uniform
from gapsmith.problems.classics.flow_shop import judge
from gapsmith.problems.classics.tsp import judge as judge_tour
from hypothesis import given, settings
from hypothesis import strategies as st


def times(jobs: int, machines: int, seed: int) -> list[list[int]]:
    """A random flow shop with ties and operations of time 0."""
    stream = random.Random(seed)
    return [[stream.randint(0, 9) for _ in range(machines)] for _ in range(jobs)]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(1, 5), st.integers(0, 999))
def test_insertions_in_one_pass_are_those_of_all_trials(jobs: int, machines: int, seed: int) -> None:
    """The order is the one of trying every place of every job, first places before later ones."""
    rows = times(jobs, machines, seed)
    order: list[int] = []
    for job in sorted(range(jobs), key=lambda j: -sum(rows[j])):
        trials = [[*order[:place], job, *order[place:]] for place in range(len(order) + 1)]
        shops = [{"times": [rows[j] for j in trial]} for trial in trials]
        ends = [judge(shop, [*range(len(order) + 1)]).objective for shop in shops]
        order = trials[min(range(len(trials)), key=lambda place: ends[place] or 0)]
    assert inserted(rows) == order
    assert sorted(inserted(rows, time.monotonic() - 1)) == list(range(jobs))


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 40), st.integers(0, 999))
def test_a_descent_never_makes_a_tour_longer(count: int, seed: int) -> None:
    """A permutation that is no longer than before; bounds of edges are below it; no time, no change."""
    matrix = distances(uniform(random.Random(seed), count, 30))
    table = np.array(matrix)
    start = nearest_tour(table)
    tour = descended(start, table, time.monotonic() + 60)
    lengths = [judge_tour({"distances": matrix}, one).objective for one in (tour, start)]
    assert edge_bound(table) <= lengths[0] <= lengths[1]  # type: ignore[operator]
    assert descended(start, table, time.monotonic() - 1) == start


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 7), st.integers(0, 999))
def test_a_least_cut_is_that_of_all_sides(count: int, seed: int) -> None:
    """Against every subset; at its time's end it still gives a cut of the weight that it names."""
    stream = np.random.default_rng(seed)
    weights = np.triu(stream.integers(0, 5, (count, count)), 1).astype(float)
    weights += weights.T
    sides = [np.array([(mask >> k) & 1 for k in range(count)], dtype=bool) for mask in range(1, 2**count - 1)]
    for deadline in (time.monotonic() + 60, time.monotonic() - 1):
        value, side = least_cut(weights, deadline=deadline)
        assert weights[side][:, ~side].sum() == value
        if deadline > time.monotonic():
            assert value == min(weights[one][:, ~one].sum() for one in sides)


@pytest.mark.slow
def test_large_instances_have_answer_and_bound_at_their_limit() -> None:
    """A valid answer, and a bound no larger than its value, in a fraction of a second of search."""
    places = uniform(random.Random(1), MANY + 10, 10_000)
    noted: list[Any] = []
    tour = certified({"distances": distances(places)}, 0.2, None, 0, noted.append)
    assert judge_tour({"distances": distances(places)}, tour["answer"]).objective == tour["value"]
    assert noted[0]["bound"] <= noted[-1]["bound"] <= tour["bound"] <= tour["value"]
    fleet = public(places[:60], [0] + [1] * 59, 10)
    assert shortest_edges(fleet["distances"]) <= solve_routes(fleet, 0.2, None).bound
    rows = times(120, 30, 1)
    proof = solve_shop({"times": rows}, 0.2, None)
    assert judge({"times": rows}, proof.answer).objective == proof.value >= proof.bound
