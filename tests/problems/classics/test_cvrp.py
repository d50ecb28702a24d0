"""Routes: verification, programs, the loop of the rule and its audit, files, set partitioning, references."""

from __future__ import annotations

import random
from itertools import combinations, pairwise, permutations
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.classics import cvrp
from gapsmith.evaluators.classics.capacity_cuts import RouteRelaxation, capacity_bound
from gapsmith.evaluators.classics.customer_sets import customer_sets, sums
from gapsmith.evaluators.classics.route_proof import solve
from gapsmith.problems.base import Instance, InstanceFileError, VerdictStatus
from gapsmith.problems.classics import distances
from gapsmith.problems.classics.cvrp import PEERS, draw_customers, judge, length, public
from hypothesis import given, settings
from hypothesis import strategies as st

WHOLE = cvrp.problem()
CROSS = public([[10, 10], [10, 20], [20, 10], [10, 0], [0, 10]], [0, 2, 1, 2, 1], 3)
"""A depot in the middle of four customers, each 10 away; neighbours are 14 apart."""


def towns(count: int, customers: int, capacity: int, side: int, seed: int) -> list[dict[str, Any]]:
    """Small instances, half of them clustered, many with ties and coincident nodes."""
    stream = random.Random(seed)
    laws = (distances.uniform, distances.clustered)
    made = []
    for k in range(count):
        points = distances.uniform(stream, 1, side) + laws[k % 2](stream, customers, side)
        demands = [0, *(stream.randint(1, min(9, capacity)) for _ in range(customers))]
        made.append(public(points, demands, capacity))
    return made


def shortest(instance: dict[str, Any]) -> int:
    """Least length of all routes, by all orders of the customers and all ways to cut them."""
    matrix, demands = instance["distances"], instance["demands"]
    best = 10**9
    for order in permutations(range(1, len(demands))):
        least = [0]
        for end in range(1, len(order) + 1):
            least.append(
                min(
                    least[start] + length(matrix, [order[start:end]])
                    for start in range(end)
                    if sum(demands[c] for c in order[start:end]) <= instance["capacity"]
                )
            )
        best = min(best, least[-1])
    return best


def test_routes_by_hand_have_their_length() -> None:
    """Alone, in pairs, and with empty ways back counted."""
    assert judge(CROSS, [[1], [2], [3], [4]]).objective == 80
    assert judge(CROSS, [[1, 2], [3, 4]]).objective == 68


@pytest.mark.parametrize(
    ("answer", "word", "status"),
    [
        (None, "nothing", VerdictStatus.INVALID_ANSWER),
        ([1, 2, 3, 4], "answer[0]: got an integer", VerdictStatus.INVALID_ANSWER),
        ([[1, 2], [3, 4], []], "empty route", VerdictStatus.INVALID_ANSWER),
        ([[0, 1, 2, 0], [3, 4]], "got the depot", VerdictStatus.INVALID_ANSWER),
        ([[1, 2], [3, 2]], "answer[1][1]: customer 2 is there twice", VerdictStatus.INVALID_ANSWER),
        ([[1, 2], [3, 5]], "got 5", VerdictStatus.INVALID_ANSWER),
        ([[1, 2.0], [3, 4]], "a float", VerdictStatus.INVALID_ANSWER),
        ([[True, 2], [3, 4]], "true or false", VerdictStatus.INVALID_ANSWER),
        ([], "4 customers are on no route", VerdictStatus.INFEASIBLE),
        ([[1, 2], [3]], "1 customers are on no route, among them 4", VerdictStatus.INFEASIBLE),
        ([[1, 3], [2, 4]], "route 0: demands add up to 4, the capacity is 3", VerdictStatus.INFEASIBLE),
    ],
)
def test_what_are_no_routes(answer: Any, word: str, status: VerdictStatus) -> None:
    """Each fault is named."""
    verdict = judge(CROSS, answer)
    assert verdict.status is status
    assert word in verdict.violations[0]


def test_customer_sets_are_all_that_fit_with_their_shortest_routes() -> None:
    """Against all subsets and all orders of each; more sets than allowed are none."""
    for instance in towns(4, 6, 12, 30, seed=1):
        matrix, demands = instance["distances"], instance["demands"]
        sets = customer_sets(matrix, demands, 12)
        assert sets is not None
        wanted = {
            sum(1 << (c - 1) for c in some): min(length(matrix, [order]) for order in permutations(some))
            for size in range(1, 7)
            for some in combinations(range(1, 7), size)
            if sum(demands[c] for c in some) <= 12
        }
        assert dict(zip(sets.masks.tolist(), sets.lengths.tolist(), strict=True)) == wanted
        assert sums(sets.masks, np.array(demands[1:])).max() <= 12
        for mask, least in wanted.items():
            assert length(matrix, [sets.route(mask)]) == least
        assert customer_sets(matrix, demands, 12, most=len(wanted) - 1) is None


@pytest.mark.parametrize(("customers", "capacity"), [(1, 9), (2, 9), (4, 10), (6, 13), (6, 60)])
def test_set_partitioning_agrees_with_all_routes(customers: int, capacity: int) -> None:
    """From a good and from a bad start; one route, many routes, ties and coincident customers."""
    for instance in towns(4, customers, capacity, 30, seed=customers + capacity):
        best = shortest(instance)
        for start in (None, [[c] for c in range(1, customers + 1)]):
            made = solve(instance, 60, start)
            assert (made.bound, made.value) == (best, best)
            assert judge(instance, made.answer).objective == best
        assert capacity_bound(instance, [[c] for c in range(1, customers + 1)], inf) <= best


def test_too_many_sets_are_not_branched_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS overruns its time limit there: the relaxation's bound holds, and the routes are those before."""
    monkeypatch.setitem(solve.__globals__, "_MOST", 0)
    alone = [[customer] for customer in range(1, 7)]
    for instance in towns(4, 6, 13, 30, seed=19):
        best, made = shortest(instance), solve(instance, 60, alone)
        assert made.bound <= best < made.value == judge(instance, alone).objective
        assert made.answer == alone


@pytest.mark.slow
def test_bounds_hold_when_the_time_is_over_or_the_sets_are_too_many() -> None:
    """A bound by capacity cuts is left, and valid routes."""
    instance = WHOLE.instances("train", 1)[0]
    optimum = solve(instance.public, 60, None)
    hasty = solve(instance.public, 0, None)
    assert 0.5 * optimum.value < hasty.bound <= optimum.value <= hasty.value
    large = draw_customers(70, 60, distances.uniform, random.Random(1)).public
    made = solve(large, 1, None)
    assert 0.6 * made.value < made.bound < made.value
    assert made.reference("tried").kind is ReferenceKind.BOUND


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_grown_sets_lack_what_their_borders_lack(seed: int) -> None:
    """What is summed customer by customer is the difference of the definition."""
    stream = np.random.RandomState(seed)
    public = towns(1, 7, 12, 30, seed)[0]
    fleet = RouteRelaxation(np.array(public["distances"]), 10**6, [])
    fleet.demands, fleet.capacity = np.array(public["demands"]), public["capacity"]
    weights = np.triu(stream.rand(8, 8) * (stream.rand(8, 8) < 0.4), 1)
    weights += weights.T
    for node in range(1, 8):
        for lack, cut in fleet.grown(weights, node):
            assert cut[node]
            assert not cut[0]
            assert lack == pytest.approx(fleet.crossings(cut) - weights[cut][:, ~cut].sum())


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_turning_routes_and_renaming_customers_changes_nothing(data: Any) -> None:
    """Nor does the order of the routes, or a shift of all coordinates."""
    count = data.draw(st.integers(2, 6))
    points = [[data.draw(st.integers(0, 20)), data.draw(st.integers(0, 20))] for _ in range(count + 1)]
    order, cut = data.draw(st.permutations(range(1, count + 1))), data.draw(st.integers(1, count - 1))
    routes = [list(order[:cut]), list(order[cut:])]
    names = [0, *data.draw(st.permutations(range(1, count + 1)))]
    demands = [0] + [1] * count
    value = judge(public(points, demands, count), routes).objective
    assert judge(public(points, demands, count), [routes[1][::-1], routes[0]]).objective == value
    renamed = [[x + 5, y - 3] for x, y in (points[names.index(k)] for k in range(count + 1))]
    other = [[names[c] for c in route] for route in routes]
    assert judge(public(renamed, demands, count), other).objective == value


def test_programs_give_routes_and_searches_improve_their_starts(run: Any) -> None:
    """Every baseline is valid and not below the optimum; descents are no longer than their starts."""
    for instance in towns(4, 6, 13, 40, seed=2) + towns(2, 30, 30, 1000, seed=2):
        values: dict[str, Any] = {}
        for name, text in WHOLE.baselines().items():
            verdict = judge(instance, run(WHOLE, text, instance))
            assert verdict.objective is not None, (name, verdict.violations)
            values[name] = verdict.objective
        if len(instance["demands"]) == 7:
            assert min(values.values()) >= shortest(instance)
        for search, start in (
            ("savings-best-shape", "savings"),
            ("savings-2-opt", "savings"),
            ("savings-descent", "savings-2-opt"),
            ("nearest-descent", "nearest-neighbour"),
        ):
            assert values[search] <= values[start], search


def test_tiny_instances_are_answered(run: Any) -> None:
    """One customer, a full vehicle for each, one vehicle for all, and nodes that coincide."""
    same = {"coordinates": [], "distances": [[0] * 5 for _ in range(5)], "demands": [0, 1, 1, 1, 1]}
    for instance in (
        *towns(1, 1, 9, 10, seed=4),
        {**CROSS, "demands": [0, 3, 3, 3, 3]},
        {**CROSS, "capacity": 99},
        {**same, "capacity": 2},
    ):
        for name, text in WHOLE.baselines().items():
            assert judge(instance, run(WHOLE, text, instance)).objective is not None, name


def test_the_split_of_a_tour_is_the_best(run: Any) -> None:
    """No other way to cut the same tour is shorter."""
    for instance in towns(4, 8, 14, 100, seed=6):
        matrix, demands = instance["distances"], instance["demands"]
        made = run(WHOLE, WHOLE.baselines()["tour-split"], instance)
        order = [c for route in made[::-1] for c in route]
        for size in range(1, 8):
            for cuts in combinations(range(1, 8), size):
                routes = [order[a:b] for a, b in pairwise([0, *cuts, 8])]
                if all(sum(demands[c] for c in route) <= 14 for route in routes):
                    assert length(matrix, made) <= length(matrix, routes)


def test_primitives_have_their_kinds() -> None:
    """Expressions of the whole form can be computed from the arguments."""
    for primitive in WHOLE.primitives():
        assert isinstance(eval(primitive.text, {**CROSS, "i": 1, "j": 2}), int)


def test_the_peers_instances_are_theirs(run: Any) -> None:
    """Nearest neighbour has the mean that their log reports, 13.611 in units of their square."""
    instances = WHOLE.instances(PEERS, 1)
    source = WHOLE.baselines()["nearest-neighbour"]
    values: list[Any] = [
        judge(one.public, run(WHOLE, source, dict(one.public))).objective for one in instances
    ]
    assert len(values) == 16
    assert sum(values) / 16e6 == pytest.approx(13.611, abs=0.001)
    with pytest.raises(KeyError):
        WHOLE.instances("peers", 1)


def test_routes_are_drawn_and_explained() -> None:
    """One line for each step, one group for each route, also without coordinates and with negative ones."""
    moved = {**CROSS, "coordinates": [[x - 15, y - 30] for x, y in CROSS["coordinates"]]}
    for instance in (CROSS, {**CROSS, "coordinates": []}, moved):
        drawing = WHOLE.draw(Instance("i", "i", "i", instance, 1, "by hand"), [[1, 2], [3, 4]])
        assert min(min(s.x, s.x + s.width, s.y, s.y + s.height) for s in drawing.shapes) > -1e-9
        assert sum(shape.kind == "line" for shape in drawing.shapes) == 6
        assert {shape.group for shape in drawing.shapes if shape.kind == "line"} == {"route 0", "route 1"}
        assert drawing.title == "i: 2 routes, length 68"
    by_hand = Instance("i", "i", "i", CROSS, 1, "by hand")
    words = WHOLE.explain(by_hand, [[1, 2], [3, 4]])
    assert "2 routes, at least 2 are needed; total length 68, of it 58.8 % from and to the depot" in words
    with pytest.raises(ValueError, match="instance i"):
        WHOLE.draw(by_hand, [[1]])


HEAD = (
    "NAME : cross\nCOMMENT : by hand\nTYPE : CVRP\nDIMENSION : 5\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 3\n"
)
POINTS = "NODE_COORD_SECTION\n1 10 10\n2 10 20\n3 20 10\n4 10 0\n5 0 10\n"
DEMANDS = "DEMAND_SECTION\n1 0\n2 2\n3 1\n4 2\n5 1\n"
DEPOT = "DEPOT_SECTION\n 1\n -1\nEOF\n"


def read(folder: Path, text: str) -> Any:
    """The instance of a file with this text."""
    path = folder / "my.vrp"
    path.write_text(text, "utf-8")
    (instance,) = WHOLE.read_instances(path)
    return instance


def test_cvrplib_is_read(tmp_path: Path) -> None:
    """The cross with coordinates, and with explicit distances."""
    instance = read(tmp_path, HEAD + POINTS + DEMANDS + DEPOT)
    assert instance.public == CROSS
    assert instance.stratum == "4 customers"
    weights = (
        "EDGE_WEIGHT_FORMAT : LOWER_DIAG_ROW\nEDGE_WEIGHT_SECTION\n0 10 0 10 14 0 10 20 14 0 10 14 20 14 0\n"
    )
    text = HEAD.replace("EUC_2D", "EXPLICIT") + weights + DEMANDS + DEPOT
    assert read(tmp_path, text).public == {**CROSS, "coordinates": []}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD.replace("CVRP", "TSP") + POINTS, "line 3: got 'TSP', expected TYPE CVRP"),
        (
            "DISTANCE : 200\n" + HEAD + POINTS,
            "line 1: got 'DISTANCE', expected a key that is",
        ),
        (HEAD.replace("CAPACITY : 3\n", "") + POINTS, "got no key CAPACITY"),
        (
            HEAD.replace("CAPACITY : 3", "VEHICLES : 3") + POINTS,
            "line 6: got 'VEHICLES', expected a key",
        ),
        (HEAD + "VEHICLES_MAX_DURATION : 5\n", "line 7: got 'VEHICLES_MAX_DURATION', expected a key"),
        (
            HEAD + POINTS + "TIME_WINDOW_SECTION\n1 0 5\n",
            "line 13: got 'TIME_WINDOW_SECTION', expected a",
        ),
        (HEAD + POINTS + "BACKHAUL_SECTION\n1 0\n", "line 13: got 'BACKHAUL_SECTION', expected a section"),
        (HEAD + POINTS + "SERVICE_TIME_SECTION\n", "line 13: got 'SERVICE_TIME_SECTION', expected a section"),
        (HEAD + POINTS + DEMANDS + DEPOT + HEAD, "line 23: got 'NAME : cross', expected nothing after EOF"),
        (HEAD + POINTS + DEPOT, "got no DEMAND_SECTION"),
        (HEAD + POINTS + DEMANDS.replace("5 1", "5 4") + DEPOT, "got '4', expected an integer from 0 to 3"),
        (
            HEAD + POINTS + "DEMAND_SECTION\n1 0\n2 0\n3 0\n4 0\n5 0\n" + DEPOT,
            "got '0', expected at least one demand",
        ),
        (HEAD + POINTS + DEMANDS.replace("1 0", "1 1") + DEPOT, "got '1', expected an integer from 0 to 0"),
        (HEAD + POINTS + DEMANDS.replace("2 2", "3 2") + DEPOT, "got '3', expected node 2"),
        (HEAD + POINTS + DEMANDS + DEPOT.replace(" 1", " 2"), "got '2', expected 1 and -1"),
        (HEAD + POINTS + DEMANDS + DEPOT.replace(" 1\n", " 1\n 2\n"), "got 3 numbers in DEPOT_SECTION"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """What was got, what was expected, and where there is one, the line."""
    with pytest.raises(InstanceFileError) as error:
        read(tmp_path, text)
    assert message in str(error.value)


def test_a_customer_may_demand_nothing(tmp_path: Path) -> None:
    """It has to be visited all the same; the bound is the optimum of all partitions of the customers."""
    text = HEAD + POINTS + "DEMAND_SECTION\n1 0\n2 0\n3 2\n4 3\n5 0\n" + DEPOT
    public = read(tmp_path, text).public
    assert WHOLE.verify(read(tmp_path, text), [[2], [3]]).objective is None
    proof = solve(public, 10, None)
    assert proof.bound == proof.value == shortest(dict(public))
    assert capacity_bound(public, proof.answer, 0) <= proof.value


def test_decimals_keep_the_fractions_of_distances(tmp_path: Path) -> None:
    """With two digits the distances are hundredths, a loss's least denominator stays one unit of the file."""
    text = HEAD + POINTS + DEMANDS + DEPOT
    path = tmp_path / "my.vrp"
    path.write_text(text)
    (fine,) = cvrp.problem(decimals=2).read_instances(path)
    (coarse,) = cvrp.problem().read_instances(path)
    assert fine.scale == 100
    assert "x 100" in fine.source
    assert "rounded to integers" in coarse.source
    for rows in zip(fine.public["distances"], coarse.public["distances"], strict=True):
        assert all(abs(a / 100 - b) <= 0.505 for a, b in zip(*rows, strict=True))
    assert any(a % 100 for row in fine.public["distances"] for a in row)
