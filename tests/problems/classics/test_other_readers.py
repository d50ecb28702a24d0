"""Files of nodes as other packages read them: tsplib95 for distances, vrplib for routes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import tsplib95
import vrplib
from gapsmith.problems.classics import cvrplib, tsplib
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

METRICS = ("EUC_2D", "CEIL_2D", "MAN_2D", "MAX_2D", "ATT")
FORMS = ("UPPER_ROW", "UPPER_DIAG_ROW", "LOWER_ROW", "LOWER_DIAG_ROW")
COORDINATES = st.decimals(-1_000, 1_000, places=2)
PLACES = st.lists(st.tuples(COORDINATES, COORDINATES), min_size=3, max_size=12)


def lines(places: Sequence[tuple[object, object]]) -> str:
    """NODE_COORD_SECTION."""
    return "NODE_COORD_SECTION\n" + "".join(f"{k} {x} {y}\n" for k, (x, y) in enumerate(places, 1))


@pytest.mark.parametrize("metric", METRICS)
def test_distances_are_those_of_tsplib95(tmp_path: Path, metric: str) -> None:
    """Of places in the plane, rounded as the metric says."""
    path = tmp_path / "my.tsp"

    @settings(derandomize=True, max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(PLACES)
    def check(places: list[tuple[object, object]]) -> None:
        head = f"NAME : x\nTYPE : TSP\nDIMENSION : {len(places)}\nEDGE_WEIGHT_TYPE : {metric}\n"
        text = f"{head}{lines(places)}EOF\n"
        path.write_text(text)
        (instance,) = tsplib.read(path)
        other = tsplib95.parse(text)
        matrix = instance.public["distances"]
        for i in range(len(places)):
            row = [0 if i == j else other.get_weight(i + 1, j + 1) for j in range(len(places))]
            assert matrix[i] == row

    check()


@pytest.mark.parametrize("form", FORMS)
def test_matrices_are_those_of_tsplib95(tmp_path: Path, form: str) -> None:
    """Of four nodes, from a half of the matrix; all weights are different."""
    count = 10 if "DIAG" in form else 6
    numbers = [3 * k + 1 for k in range(count)]
    text = (
        "NAME : x\nTYPE : TSP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
        f"EDGE_WEIGHT_FORMAT : {form}\nEDGE_WEIGHT_SECTION\n{' '.join(map(str, numbers))}\nEOF\n"
    )
    path = tmp_path / "my.tsp"
    path.write_text(text)
    (instance,) = tsplib.read(path)
    other = tsplib95.parse(text)
    for i in range(4):
        for j in range(4):
            expected = 0 if i == j else other.get_weight(*other_nodes(other, i, j))
            assert instance.public["distances"][i][j] == expected


def other_nodes(problem: tsplib95.models.StandardProblem, i: int, j: int) -> tuple[int, int]:
    """Nodes of explicit problems there are numbered from 0."""
    first = min(problem.get_nodes())
    return i + first, j + first


@settings(derandomize=True, max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(PLACES, st.data())
def test_routes_are_those_of_vrplib(
    tmp_path: Path, places: list[tuple[object, object]], data: st.DataObject
) -> None:
    """Places, demands and capacity are the same; distances are its own, rounded."""
    demands = [0, *data.draw(st.lists(st.integers(1, 9), min_size=len(places) - 1, max_size=len(places) - 1))]
    rows = "".join(f"{k} {demand}\n" for k, demand in enumerate(demands, 1))
    path = tmp_path / "my.vrp"
    path.write_text(
        f"NAME : x\nTYPE : CVRP\nDIMENSION : {len(places)}\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 9\n"
        f"{lines(places)}DEMAND_SECTION\n{rows}DEPOT_SECTION\n1\n-1\nEOF\n"
    )
    (instance,) = cvrplib.read(path)
    other = vrplib.read_instance(str(path))
    assert instance.public["capacity"] == other["capacity"]
    assert instance.public["demands"] == other["demand"].tolist()
    assert [list(map(float, point)) for point in instance.public["coordinates"]] == other[
        "node_coord"
    ].tolist()
    for ours, theirs in zip(instance.public["distances"], other["edge_weight"].tolist(), strict=True):
        # Between equal places with fractions vrplib takes the root of a rounding error below 0: not a number.
        assert all(b != b or abs(a - b) <= 0.5 + 1e-9 for a, b in zip(ours, theirs, strict=True))
