"""Tours: verification, programs, the loop of the rule and its audit, files, branch and cut, references."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.classics import tsp
from gapsmith.evaluators.classics.cuts import components, least_cut
from gapsmith.evaluators.classics.tour_proof import solve
from gapsmith.problems.base import Instance, InstanceFileError, VerdictStatus
from gapsmith.problems.classics import distances
from gapsmith.problems.classics.tsp import PEERS, judge, length
from hypothesis import given, settings
from hypothesis import strategies as st

WHOLE = tsp.problem()
SQUARE = {
    "coordinates": [[0, 0], [0, 10], [10, 10], [10, 0]],
    "distances": [[0, 10, 14, 10], [10, 0, 10, 14], [14, 10, 0, 10], [10, 14, 10, 0]],
}


def towns(count: int, nodes: int, side: int, seed: int) -> list[dict[str, Any]]:
    """Small instances, half of them clustered, many with ties and coincident nodes."""
    stream = random.Random(seed)
    laws = (distances.uniform, distances.clustered)
    points = [laws[k % 2](stream, nodes, side) for k in range(count)]
    return [{"coordinates": p, "distances": distances.distances(p)} for p in points]


def shortest(public: dict[str, Any]) -> int:
    """Length of the shortest tour, by trying all."""
    rest = range(1, len(public["distances"]))
    return min(length(public["distances"], (0, *order)) for order in permutations(rest))


def test_distances_are_rounded_to_the_nearest() -> None:
    """EUC_2D exactly, also where a float would be half a unit off; the square's table."""
    assert distances.distances(SQUARE["coordinates"]) == SQUARE["distances"]
    big = distances.distances([[0, 0], [94906267, 1]])[0][1]
    assert big == 94906267
    for a, b in ((3, 4), (1, 1), (7, 1), (999, 1000)):
        assert distances.distances([[0, 0], [a, b]])[0][1] == int((a * a + b * b) ** 0.5 + 0.5)


def test_a_tour_by_hand_has_its_length() -> None:
    """Around the square, and across it."""
    assert judge(SQUARE, [0, 1, 2, 3]).objective == 40
    assert judge(SQUARE, [0, 2, 1, 3]).objective == 48


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (None, "nothing"),
        ([0, 1, 2], "3 entries"),
        ([0, 1, 2, 2], "twice"),
        ([0, 1, 2, 4], "got 4"),
        ([0, 1, 2, 3.0], "a float"),
        ([0, 1, 2, True], "true or false"),
        ([0, 1, 2, 3, 0], "way back"),
    ],
)
def test_what_is_no_tour_is_invalid(answer: Any, word: str) -> None:
    """Each fault is named; a closed tour written out is told how tours are written."""
    verdict = judge(SQUARE, answer)
    assert verdict.status is VerdictStatus.INVALID_ANSWER
    assert word in verdict.violations[0]


def test_branch_and_cut_agrees_with_all_tours() -> None:
    """Four to eight nodes, from a good and from a bad start; least distances and ties among them."""
    for nodes in (3, 4, 5, 6, 8):
        for public in towns(4, nodes, 30, seed=nodes):
            best = shortest(public)
            for start in (None, list(range(nodes))):
                made = solve(public, 60, start)
                assert (made.bound, made.value) == (best, best)
                assert judge(public, made.answer).objective == best


@pytest.mark.slow
def test_bounds_hold_when_the_time_is_over() -> None:
    """No time at all: the bound of the first relaxation, and a valid tour."""
    for public in towns(4, 60, 10_000, seed=1):
        optimum = solve(public, 60, None)
        assert optimum.value == optimum.bound
        hasty = solve(public, 0, None)
        assert hasty.bound <= optimum.value <= hasty.value
        assert hasty.bound > 0.5 * optimum.value


def test_cuts_of_small_graphs() -> None:
    """A least cut is the least of all cuts; parts are what no link joins."""
    stream = random.Random(3)
    for _ in range(40):
        count = stream.randint(2, 6)
        weights = np.zeros((count, count))
        for i in range(count):
            for j in range(i):
                weights[i, j] = weights[j, i] = stream.choice((0, 0, 1, 2, 3))
        sides = [np.array([(mask >> k) & 1 for k in range(count)], bool) for mask in range(1, 2**count - 1)]
        value, side = least_cut(weights)
        assert value == min(weights[one][:, ~one].sum() for one in sides)
        assert value == weights[side][:, ~side].sum()
        parts = components(weights > 0)
        assert sum(parts).tolist() == [1] * count  # type: ignore[arg-type, attr-defined]
        assert (value == 0) == (len(parts) > 1)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_turning_and_reversing_a_tour_changes_nothing(data: Any) -> None:
    """Nor do other numbers of the nodes, or a shift of all coordinates."""
    count = data.draw(st.integers(3, 7))
    points = [[data.draw(st.integers(0, 20)), data.draw(st.integers(0, 20))] for _ in range(count)]
    tour, names = data.draw(st.permutations(range(count))), data.draw(st.permutations(range(count)))
    turn = data.draw(st.integers(0, count - 1))
    matrix = distances.distances(points)
    value = judge({"distances": matrix}, list(tour)).objective
    for other in (tour[turn:] + tour[:turn], tour[::-1]):
        assert judge({"distances": matrix}, list(other)).objective == value
    renamed = [points[names.index(k)] for k in range(count)]
    shifted = distances.distances([[x + 5, y - 3] for x, y in renamed])
    assert judge({"distances": shifted}, [names[k] for k in tour]).objective == value


def test_programs_give_tours_and_searches_improve_their_starts(run: Any) -> None:
    """Every baseline is valid and not below the optimum; local search is no longer than its start."""
    for public in towns(4, 8, 40, seed=2) + towns(1, 40, 1000, seed=2):
        values = {
            name: judge(public, run(WHOLE, text, public)).objective
            for name, text in WHOLE.baselines().items()
        }
        assert None not in values.values()
        if len(public["distances"]) == 8:
            assert min(values.values()) >= shortest(public)  # type: ignore[type-var]
        for search, start in (
            ("nearest-2-opt", "nearest-neighbour"),
            ("nearest-2-opt-or-opt", "nearest-neighbour"),
            ("greedy-2-opt-or-opt", "greedy-edge"),
            ("savings-2-opt-or-opt", "savings"),
            ("double-bridges", "nearest-2-opt-or-opt"),
            ("nearest-neighbour-best-start", "nearest-neighbour"),
        ):
            assert values[search] <= values[start], search  # type: ignore[operator]


def test_tiny_instances_are_answered(run: Any) -> None:
    """Three nodes, and nodes that coincide."""
    for public in (towns(1, 3, 10, seed=4)[0], {"coordinates": [], "distances": [[0] * 5 for _ in range(5)]}):
        for name, text in WHOLE.baselines().items():
            assert judge(public, run(WHOLE, text, public)).objective is not None, name


def test_primitives_have_their_kinds() -> None:
    """Expressions of the whole form can be computed from the arguments."""
    for primitive in WHOLE.primitives():
        assert isinstance(eval(primitive.text, {**SQUARE, "i": 1, "j": 2}), int)


def test_the_peers_instances_are_theirs() -> None:
    """The first node of the published file; nearest neighbour on all 1,000 instances has mean 6.959 there."""
    first = WHOLE.instances(PEERS, 1)[0]
    assert first.public["coordinates"][0] == [782192, 725617]
    assert len(WHOLE.instances(PEERS, 1)) == 100
    with pytest.raises(KeyError):
        WHOLE.instances("peers", 1)


def test_a_tour_is_drawn_and_explained() -> None:
    """One line for each step, also without coordinates; the longest steps are named."""
    instance = Instance("i", "i", "i", SQUARE, 1, "by hand")
    for public in (SQUARE, {**SQUARE, "coordinates": []}):
        drawing = WHOLE.draw(Instance("i", "i", "i", public, 1, "by hand"), [0, 2, 1, 3])
        assert sum(shape.kind == "line" for shape in drawing.shapes) == 4
        assert "length 48" in drawing.title
    assert "step 1 from 0 to 2: 14 (node 3 by distance)" in WHOLE.explain(instance, [0, 2, 1, 3])
    with pytest.raises(ValueError, match="instance i"):
        WHOLE.draw(instance, [0])


def read(folder: Path, text: str) -> Any:
    """The instance of a file with this text."""
    path = folder / "my.tsp"
    path.write_text(text, "utf-8")
    (instance,) = WHOLE.read_instances(path)
    return instance


HEAD = "NAME : square\nCOMMENT: by hand\nTYPE: TSP\nDIMENSION : 4\n"
EUCLIDEAN = "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n"
POINTS = "1 0 0\n2 0.0 1.0e+01\n3 10 10\n4 10 0\n"


def explicit(form: str, numbers: str) -> str:
    """A file with distances of this form."""
    return (
        f"{HEAD}EDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {form}\nEDGE_WEIGHT_SECTION\n{numbers}\nEOF\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        HEAD + EUCLIDEAN + POINTS + "EOF\n",
        HEAD + "COMMENT : second\nDISPLAY_DATA_TYPE : COORD_DISPLAY\n" + EUCLIDEAN + POINTS + "EOF\n\n",
        explicit("FULL_MATRIX", "0 10 14 10\n10 0 10 14\n14 10 0 10\n10 14 10 0"),
        explicit("UPPER_ROW", "10 14 10 10 14 10"),
        explicit("UPPER_DIAG_ROW", "0 10 14 10 0 10 14 0 10 0"),
        explicit("LOWER_ROW", "10\n14 10\n10 14 10"),
        explicit("LOWER_DIAG_ROW", "0\n10 0\n14 10 0\n10 14 10 0"),
        explicit("LOWER_COL", "10 14 10 10 14 10"),
        explicit("LOWER_DIAG_COL", "0 10 14 10 0 10 14 0 10 0"),
        explicit("UPPER_COL", "10\n14 10\n10 14 10"),
        explicit("UPPER_DIAG_COL", "0\n10 0\n14 10 0\n10 14 10 0"),
    ],
)
def test_tsplib_is_read(tmp_path: Path, text: str) -> None:
    """The square in eleven ways; a file may have several lines of comment."""
    instance = read(tmp_path, text)
    assert instance.public["distances"] == SQUARE["distances"]
    assert instance.public["coordinates"] in ([], SQUARE["coordinates"])


def test_distances_may_be_rounded_up(tmp_path: Path) -> None:
    """CEIL_2D makes 15 of 14.14; coordinates need not be whole."""
    text = HEAD + EUCLIDEAN.replace("EUC", "CEIL") + POINTS.replace("10 10", "10 10.5")
    assert read(tmp_path, text).public["distances"][0][2] == 15


@pytest.mark.parametrize(
    ("kind", "points", "row"),
    [
        ("MAN_2D", ("0 0", "3 4", "1.4 0", "0 1.5"), [0, 7, 1, 2]),
        ("MAX_2D", ("0 0", "3 4", "1.4 0", "0 1.5"), [0, 4, 1, 2]),
        ("ATT", ("6734 1453", "2233 10", "6734 1463", "6734 1453"), [0, 1495, 4, 0]),
        ("GEO", ("16.47 96.10", "16.47 94.44", "20.09 92.54", "22.39 93.37"), [0, 153, 510, 706]),
    ],
)
def test_other_metrics(tmp_path: Path, kind: str, points: Any, row: list[int]) -> None:
    """By hand; the first distances of TSPLIB's att48 and burma14."""
    lines = "".join(f"{node} {point}\n" for node, point in enumerate(points, 1))
    matrix = read(tmp_path, HEAD + EUCLIDEAN.replace("EUC_2D", kind) + lines).public["distances"]
    assert matrix[0] == row
    assert matrix == [list(column) for column in zip(*matrix, strict=True)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got no key DIMENSION"),
        ("\x00\x01", "line 1: got"),
        (HEAD.replace("4", "2") + EUCLIDEAN, "line 4: got '2', expected an integer from 3 to"),
        (
            HEAD.replace("4", "2001") + EUCLIDEAN,
            "line 4: got '2001', expected at most 2,000 nodes (`--set problem.most_nodes=2001` lifts",
        ),
        (HEAD.replace("4", "6001") + EUCLIDEAN, "line 4: got '6001', expected at most 6,000 nodes"),
        (HEAD.replace("TSP", "CVRP") + EUCLIDEAN, "got 'CVRP', expected TYPE TSP; `cvrp` reads such files"),
        (HEAD.replace("4", "9" * 30) + EUCLIDEAN, "expected an integer from 3 to"),
        (HEAD.replace("TSP", "ATSP") + EUCLIDEAN + POINTS, "line 3: got 'ATSP', expected TYPE TSP"),
        (HEAD + EUCLIDEAN.replace("EUC_2D", "EUC_3D") + POINTS, "got 'EUC_3D', expected EDGE_WEIGHT_TYPE"),
        (HEAD + EUCLIDEAN + POINTS[:-7], "got 9 numbers in NODE_COORD_SECTION, expected 12"),
        (HEAD + EUCLIDEAN + POINTS.replace("2 0.0", "1 0.0"), "line 8: got '1', expected node 2"),
        (HEAD + EUCLIDEAN + POINTS.replace("0.0", "nan"), "got 'nan', expected a coordinate"),
        (HEAD + EUCLIDEAN + POINTS.replace("0.0", "1e200"), "got '1e200', expected a coordinate of at most"),
        (HEAD + HEAD, "expected each key and section once"),
        (explicit("FULL_MATRIX", "0 1 2 3 9 0 1 2 2 1 0 1 3 2 1 0"), "got '9', expected 1, the distance"),
        (explicit("UPPER_ROW", "1 2 3 4 5 -6"), "line 8: got '-6', expected an integer from 0"),
        (explicit("FUNCTION", "1"), "got 'FUNCTION', expected EDGE_WEIGHT_FORMAT"),
        (
            HEAD + "FIXED_EDGES_SECTION\n1 3\n-1\n" + EUCLIDEAN + POINTS,
            "line 5: got 'FIXED_EDGES_SECTION', expected a section that is understood here: NODE_COORD",
        ),
        (HEAD + "CAPACITY : 3\n", "line 5: got 'CAPACITY', expected a key that is understood here: NAME"),
        (HEAD + "NODE_COORD_TYPE : THREED_COORDS\n", "line 5: got 'THREED_COORDS', expected NODE_COORD_TYPE"),
        (HEAD + EUCLIDEAN + POINTS + "EOF\n" + HEAD, "line 12: got 'NAME : square', expected nothing after"),
        (HEAD + "NODE_COORD_SECTION: 1 0 0\n", "line 5: got '1 0 0', expected nothing behind NODE_COORD"),
        (
            explicit("UPPER_ROW", "10 14 10 10 14 10").replace("EXPLICIT", "EUC_2D"),
            "line 5: got 'EUC_2D', expected EDGE_WEIGHT_TYPE EXPLICIT",
        ),
    ],
)
def test_a_faulty_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """What was got, what was expected, and where there is one, the line."""
    with pytest.raises(InstanceFileError) as error:
        read(tmp_path, text)
    assert message in str(error.value)
