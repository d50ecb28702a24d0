"""Starts and bounds of large instances: exact where they are to be, and the best so far at the limit."""

from __future__ import annotations

import random
import time
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.classics.cuts import least_cut
from gapsmith.evaluators.classics.flow_shop import inserted
from gapsmith.evaluators.classics.flow_shop import solve as solve_shop
from gapsmith.evaluators.classics.prize_proof import MANY as MANY_PRIZES
from gapsmith.evaluators.classics.prize_proof import certified as certified_prizes
from gapsmith.evaluators.classics.prize_search import prize_bound, prize_tour
from gapsmith.evaluators.classics.route_proof import edge_bound as shortest_edges
from gapsmith.evaluators.classics.route_proof import solve as solve_routes
from gapsmith.evaluators.classics.route_search import descended_routes
from gapsmith.evaluators.classics.tour_proof import MANY, certified, edge_bound
from gapsmith.evaluators.classics.tour_search import descended, nearest_tour
from gapsmith.problems.classics.cvrp import judge as judge_routes
from gapsmith.problems.classics.cvrp import public
from gapsmith.problems.classics.distances import distances, uniform
from gapsmith.problems.classics.flow_shop import judge
from gapsmith.problems.classics.orienteering import judge as judge_prizes
from gapsmith.problems.classics.orienteering import priced
from gapsmith.problems.classics.programs.cvrp.savings import routes as savings
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


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(1, 20), st.integers(0, 999))
def test_routes_of_a_descent_are_valid_and_no_longer(count: int, capacity: int, seed: int) -> None:
    """Every customer is served as before, in no more length; without time nothing changes but the order."""
    stream = random.Random(seed)
    demands = [0, *(stream.randint(0, capacity) for _ in range(count - 1))]
    fleet = public(uniform(stream, count, 100), demands, capacity)
    start = savings(**fleet)
    for seconds in (60, -1):
        made = descended_routes(start, fleet, time.monotonic() + seconds)
        found = judge_routes(fleet, made).objective
        assert found is not None
        assert found <= judge_routes(fleet, start).objective  # type: ignore[operator]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 7), st.integers(0, 120), st.integers(0, 999))
def test_the_arithmetic_bound_of_prizes_holds_for_every_tour(count: int, longest: int, seed: int) -> None:
    """Against all tours; the tour of insertions is valid, and below the bound."""
    points = uniform(random.Random(seed), count, 30)
    instance = priced(points, longest)
    tours = [tour for size in range(count) for tour in permutations(range(1, count), size)]
    prizes = [judge_prizes(instance, list(tour)).objective or 0 for tour in tours]
    assert prize_bound(instance) >= max(prizes)
    found = judge_prizes(instance, prize_tour(instance, 20, time.monotonic() + 60)).objective
    assert found is not None
    assert max(prizes[:count]) <= found <= max(prizes)


@pytest.mark.parametrize("side", [3, 1_000, 10**9])
def test_distances_of_many_points_are_the_exact_ones(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays give what integers give, equal points and the largest squares among them."""
    points = [*uniform(random.Random(1), 320, side), [-side, -side], [side, side]]
    by_arrays = distances(points)
    monkeypatch.setattr("gapsmith.problems.classics.distances._MANY", len(points))
    assert by_arrays == distances(points)
    assert type(by_arrays[0][1]) is int


@pytest.mark.slow
def test_many_prizes_and_customers_have_answer_and_bound_at_their_limit() -> None:
    """Each note is a valid answer with a bound beyond it; the last one is no worse than the first."""
    places = uniform(random.Random(1), MANY_PRIZES + 50, 1_000)
    noted: list[Any] = []
    instance = priced(places, 8_000)
    noted.append(certified_prizes(instance, 0.5, None, 0, noted.append))
    assert len(noted) > 2
    for note in noted:
        assert judge_prizes(instance, note["answer"]).objective == note["value"] <= note["bound"]
    assert noted[0]["value"] < noted[-1]["value"]
    assert noted[-1]["bound"] < sum(instance["prizes"])
    fleet = public(places, [0, *([3] * (len(places) - 1))], 30)
    routes = solve_routes(fleet, 0.5, None)
    assert judge_routes(fleet, routes.answer).objective == routes.value >= routes.bound


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
