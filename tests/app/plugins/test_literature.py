"""Plug-in files for tasks of published tables: loops, published functions, and names that lead to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gapsmith import check_problem
from gapsmith.app.plugins.loader import load_problem

FOLDER = Path(__file__).parents[3] / "examples" / "literature"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.py"))]
SQUARE = {"distances": [[0, 10, 14, 10], [10, 0, 10, 14], [14, 10, 0, 10], [10, 14, 10, 0]]}
SHOP = {**SQUARE, "demands": [0, 1, 1, 2], "capacity": 3}
TRIP = {**SQUARE, "prizes": [0, 3, 5, 4], "max_length": 34}
SACK = {"profits": [5, 4, 3], "weights": [[4, 2, 2], [1, 3, 1]], "capacities": [6, 4]}


def driven(name: str, entry: Any, public: Any) -> Any:
    """What the loop of a file makes of a function."""
    loop: dict[str, Any] = {}
    exec(load_problem(str(FOLDER / f"{name}.py")).problem.driver, loop)  # type: ignore[attr-defined]
    return loop["drive"](entry, public)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_file_passes_its_check(name: str) -> None:
    """Contract and attacks find nothing."""
    report = check_problem(str(FOLDER / f"{name}.py"), seconds=4.0)
    assert report.passed, report.findings


@pytest.mark.parametrize("name", NAMES)
def test_instances_and_references_are_those_of_the_whole_form(name: str) -> None:
    """Training and published instances are the same, and the references of the former ship."""
    whole = {"tsp": "tsp", "cvrp": "cvrp", "mkp": "multi-knapsack", "op": "orienteering"}[name.split("_")[0]]
    loaded = load_problem(str(FOLDER / f"{name}.py"))
    (peers,) = [key for key in loaded.problem.sets() if key.startswith("literature")]
    train, digests = loaded.instances("train", 1), []
    for each in (loaded, load_problem(whole, {"train_per_stratum": 6})):
        digests.append([one.digest for one in (*each.instances("train", 1), *each.instances(peers, 1))])
    assert digests[0] == digests[1]
    assert all(loaded.references.shipped(one) is not None for one in train)  # type: ignore[union-attr]


def test_functions_see_copies_and_are_called_by_position() -> None:
    """Other names of parameters do not matter; whatever a function does to arrays changes no tour."""

    def last(here: int, end: int, near: Any, *arrays: Any) -> Any:
        chosen = int(near[-1])
        for array in (near, *(one for one in arrays if isinstance(one, np.ndarray))):
            array[:] = 0
        return chosen

    assert driven("tsp_construct", last, SQUARE) == [0, 2, 3, 1]
    assert driven("cvrp_construct", last, SHOP) == [[2, 3], [1]]


def test_a_vehicle_may_go_home_early_but_not_stay_there() -> None:
    """0 ends a route, and is no answer at the depot."""
    routes = driven("cvrp_construct", lambda here, _, near, *rest: 0 if here else near[0], SHOP)
    assert routes == [[1], [3], [2]]
    with pytest.raises(ValueError, match="call 1: got 0"):
        driven("cvrp_construct", lambda *_: 0, SHOP)


@pytest.mark.parametrize("reply", [None, float("nan"), 17, -1, 1.0, "1", [1]])
@pytest.mark.parametrize(("name", "public"), [("tsp_construct", SQUARE), ("cvrp_construct", SHOP)])
def test_a_reply_that_is_no_offered_node_is_an_error(name: str, public: Any, reply: Any) -> None:
    """Step or call is named; floats and texts are refused."""
    with pytest.raises(ValueError, match="1: got"):
        driven(name, lambda *_: reply, public)


@pytest.mark.parametrize("reply", [1.0, [1.0], [[1.0, 2.0]]])
@pytest.mark.parametrize(("name", "public"), [("mkp_aco", SACK), ("op_aco", TRIP)])
def test_numbers_for_ants_have_the_right_shape(name: str, public: Any, reply: Any) -> None:
    """One for each item, one for each step."""
    with pytest.raises(ValueError, match="got shape"):
        driven(name, lambda *_: reply, public)


def test_ants_find_the_optimum_of_small_instances() -> None:
    """Whatever the numbers are: NaN, infinity and negative ones count as some."""
    for number in (1.0, float("nan"), float("inf"), -1.0):
        chosen = driven("mkp_aco", lambda prize, weight, n=number: np.full(len(prize), n), SACK)
        assert sorted(chosen) == [0, 1]
        tour = driven("op_aco", lambda prize, distance, limit, n=number: np.full(distance.shape, n), TRIP)
        assert sorted(tour) == [2, 3]


def test_nearest_neighbour_has_the_published_mean() -> None:
    """13.611 in units of the square, as the log of EoH's task reports."""
    loaded = load_problem(str(FOLDER / "cvrp_construct.py"))
    scope: dict[str, Any] = {}
    exec(loaded.problem.baselines()["nearest-neighbour"], scope)
    instances = loaded.instances("literature-50", 1)
    routes = [driven("cvrp_construct", scope["select_next_node"], dict(one.public)) for one in instances]
    lengths = [
        loaded.problem.verify(one, made).objective for one, made in zip(instances, routes, strict=True)
    ]
    assert sum(lengths) / 16e6 == pytest.approx(13.611, abs=0.001)
