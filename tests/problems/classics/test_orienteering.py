"""Orienteering: verification, programs, files, branch and cut, references."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.classics import orienteering
from gapsmith.evaluators.classics.cuts import cut_below
from gapsmith.evaluators.classics.prize_proof import solve
from gapsmith.problems.base import Instance, InstanceFileError, VerdictStatus
from gapsmith.problems.classics import distances
from gapsmith.problems.classics.orienteering import LARGE, PEERS, judge, length, priced
from hypothesis import given, settings
from hypothesis import strategies as st

WHOLE = orienteering.problem()
SQUARE = {
    "coordinates": [[0, 0], [0, 10], [10, 10], [10, 0]],
    "distances": [[0, 10, 14, 10], [10, 0, 10, 14], [14, 10, 0, 10], [10, 14, 10, 0]],
    "prizes": [0, 3, 5, 4],
    "max_length": 34,
}


def trips(count: int, nodes: int, seed: int) -> list[dict[str, Any]]:
    """Small instances with ties, coincident nodes, prizes of 0 and limits from nothing to plenty."""
    stream = random.Random(seed)
    made = []
    for _ in range(count):
        public = priced(distances.uniform(stream, nodes, 30), stream.randint(0, 150))
        made.append({**public, "prizes": [0, *(stream.randint(0, 9) for _ in range(nodes - 1))]})
    return made


def most(public: dict[str, Any]) -> int:
    """The largest prize of all tours."""
    prizes, best = public["prizes"], 0
    for size in range(1, len(prizes)):
        for nodes in permutations(range(1, len(prizes)), size):
            if length(public["distances"], nodes) <= public["max_length"]:
                best = max(best, sum(prizes[node] for node in nodes))
    return best


def test_a_tour_by_hand_has_its_prize() -> None:
    """The way back counts; the limit may be met exactly."""
    assert judge(SQUARE, []).objective == 0
    assert judge(SQUARE, [1, 2]).objective == 8
    assert judge({**SQUARE, "max_length": 40}, [1, 2, 3]).objective == 12
    verdict = judge(SQUARE, [1, 2, 3])
    assert verdict.status is VerdictStatus.INFEASIBLE
    assert "got length 40 with the way back, expected at most 34" in verdict.violations[0]


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (None, "nothing"),
        ([1, 1], "twice"),
        ([0, 1], "depot (0) is not written out"),
        ([4], "got 4"),
        ([1.0], "a float"),
        ([True], "true or false"),
        ([1, 2, 3, 1], "4 entries"),
    ],
)
def test_what_is_no_tour_is_invalid(answer: Any, word: str) -> None:
    """Type, range, repetition, and the depot among the nodes."""
    verdict = judge(SQUARE, answer)
    assert verdict.status is VerdictStatus.INVALID_ANSWER
    assert word in verdict.violations[0]


def test_branch_and_cut_agrees_with_all_tours() -> None:
    """Two to seven nodes, from insertion and from nothing; tours of no and of one node among them."""
    for nodes in (2, 3, 4, 5, 6, 7):
        for public in trips(5, nodes, seed=nodes):
            best = most(public)
            for start in (None, []):
                made = solve(public, 60, start)
                assert made.bound == made.value == best == judge(public, made.answer).objective


def test_distances_need_no_triangle_inequality() -> None:
    """Explicit distances at random: ways round may be shorter than ways straight on."""
    stream = random.Random(5)
    for _ in range(12):
        matrix = [[0] * 6 for _ in range(6)]
        for i in range(6):
            for j in range(i):
                matrix[i][j] = matrix[j][i] = stream.randint(0, 20)
        public = {
            "coordinates": [],
            "distances": matrix,
            "prizes": [0, *(stream.randint(0, 9) for _ in range(5))],
            "max_length": stream.randint(0, 60),
        }
        made = solve(public, 60, [])
        assert made.bound == made.value == most(public)


@pytest.mark.slow
def test_bounds_hold_when_the_time_is_over() -> None:
    """No time at all: the bound of the first relaxation, and a valid tour."""
    for instance in WHOLE.instances("train", 1)[:3]:
        made = orienteering.references.shipped(instance)  # type: ignore[union-attr]
        assert made is not None
        assert made.bound is not None
        hasty = solve(instance.public, 0, None)
        assert judge(instance.public, hasty.answer).objective == hasty.value <= made.bound <= hasty.bound


def test_a_cut_between_two_nodes_is_a_least_one() -> None:
    """Against all sets with the target and without the source."""
    stream = random.Random(3)
    for _ in range(60):
        count = stream.randint(2, 6)
        weights = np.zeros((count, count))
        for i in range(count):
            for j in range(i):
                weights[i, j] = weights[j, i] = stream.choice((0, 0, 1, 2, 3))
        target = stream.randrange(1, count)
        sides = [
            np.array([bool(mask >> k & 1) for k in range(count)])
            for mask in range(2**count)
            if mask >> target & 1 and not mask & 1
        ]
        least = min(weights[side][:, ~side].sum() for side in sides)
        assert cut_below(weights, 0, target, least) is None
        side = cut_below(weights, 0, target, least + 0.5)
        assert side[target]
        assert not side[0]
        assert weights[side][:, ~side].sum() == least


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_turning_a_tour_round_changes_nothing(data: Any) -> None:
    """Nor does a shift of all coordinates; a longer limit keeps what was valid."""
    public = trips(1, 6, seed=data.draw(st.integers(0, 99)))[0]
    nodes = data.draw(st.permutations(range(1, 6)))[: data.draw(st.integers(0, 5))]
    verdict = judge(public, list(nodes))
    assert judge(public, list(nodes)[::-1]).objective == verdict.objective
    shifted = distances.distances([[x + 5, y - 3] for x, y in public["coordinates"]])
    assert judge({**public, "distances": shifted}, list(nodes)).objective == verdict.objective
    if verdict.objective is not None:
        longer = {**public, "max_length": public["max_length"] + 1}
        assert judge(longer, list(nodes)).objective == verdict.objective


def test_programs_come_back_in_time(run: Any) -> None:
    """Baselines are valid and not above the optimum."""
    for public in trips(15, 6, seed=2):
        best = most(public)
        for name, text in WHOLE.baselines().items():
            value = judge(public, run(WHOLE, text, public)).objective
            assert value is not None, name
            assert value <= best, name


def test_later_programs_are_no_worse_than_what_they_start_from(run: Any) -> None:
    """On an instance of each size."""
    for instance in WHOLE.instances("train", 1)[:3]:
        values: dict[str, Any] = {
            name: judge(instance.public, run(WHOLE, text, instance.public)).objective
            for name, text in WHOLE.baselines().items()
        }
        assert values["prize-per-distance-insertion"] >= values["prize-per-distance"]
        assert values["ratio-insertion-2-opt"] >= values["ratio-insertion"]
        assert values["best-power-insertion"] >= values["ratio-insertion-2-opt"]


def test_primitives_have_their_kinds() -> None:
    """Expressions of the whole form can be computed from the arguments."""
    for primitive in WHOLE.primitives():
        assert isinstance(eval(primitive.text, {**SQUARE, "i": 1, "j": 2}), int)


def test_named_sets_have_their_law() -> None:
    """Ten instances of 100 nodes for all seeds, 64 of the literature; prizes from 1 to 100, the depot's 0."""
    large, peers = WHOLE.instances(LARGE, 3), WHOLE.instances(PEERS, 1)
    assert (len(large), len(peers)) == (10, 64)
    assert large[0].digest == WHOLE.instances(LARGE, 4)[0].digest
    for instance in (*large, *peers):
        prizes = instance.public["prizes"]
        assert (prizes[0], max(prizes)) == (0, 100)
        assert min(prizes[1:]) >= 1
    with pytest.raises(KeyError):
        WHOLE.instances("large", 1)


def test_a_tour_is_drawn_and_explained() -> None:
    """Lines there and back, what stays outside, the longest steps."""
    instance = Instance("i", "i", "i", SQUARE, 1, "by hand")
    drawing = WHOLE.draw(instance, [1, 2])
    assert sum(shape.kind == "line" for shape in drawing.shapes) == 3
    assert sum(shape.kind == "label" for shape in drawing.shapes) == 4
    assert "2 of 3 nodes, prize 8, length 34 of 34" in drawing.title
    text = WHOLE.explain(instance, [1, 2])
    assert "2 of 3 nodes with 66.7 % of all prizes; length 34 of 34 (100.0 %)" in text
    assert "Prizes of the nodes outside" in text
    assert "step 3 from 2 to 0: 14" in text
    assert "0 of 3 nodes" in WHOLE.explain(instance, [])
    assert WHOLE.draw(instance, []).shapes
    with pytest.raises(ValueError, match="instance i"):
        WHOLE.draw(instance, [0])


def read(folder: Path, text: str) -> Any:
    """The instance of a file with this text."""
    path = folder / "my.oplib"
    path.write_text(text, "utf-8")
    (instance,) = WHOLE.read_instances(path)
    return instance


FILE = """\
NAME : square
TYPE : OP
DIMENSION : 4
COST_LIMIT : 34
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 0 10
3 10 10
4 10 0
NODE_SCORE_SECTION
1 7
2 3
3 5
4 4
DEPOT_SECTION
1
-1
EOF
"""


@pytest.mark.parametrize("key", ["TSPSOL", "TSP_SOLUTION"])
def test_the_length_of_the_best_tour_of_all_nodes_is_read_over(tmp_path: Path, key: str) -> None:
    """The collection's files and their earlier versions name the tour in these two ways."""
    more = FILE.replace("COST_LIMIT", f"{key} : 2323\nCOST_LIMIT")
    assert read(tmp_path, more).public == read(tmp_path, FILE).public


def test_oplib_is_read(tmp_path: Path) -> None:
    """The square; the prize of the depot counts, as published."""
    assert dict(read(tmp_path, FILE).public) == {**SQUARE, "prizes": [7, 3, 5, 4]}


@pytest.mark.parametrize("longest", [0, 20, 34, 40])
def test_the_depots_prize_counts_in_verdict_and_bound(longest: int) -> None:
    """Every tour and every bound is better by it than without it, also where no node can be visited."""
    bare, priced = ({**SQUARE, "prizes": [d, 3, 5, 4], "max_length": longest} for d in (0, 7))
    proofs = [solve(public, 5, None) for public in (bare, priced)]
    assert [proof.bound for proof in proofs] == [proofs[0].value, proofs[0].value + 7]
    assert judge(priced, proofs[1].answer).objective == proofs[1].value == proofs[1].bound
    assert judge(priced, []).objective == 7


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("TYPE : OP", "TYPE : TSP", "line 2: got 'TSP', expected TYPE OP"),
        ("COST_LIMIT : 34\n", "", "got no key COST_LIMIT"),
        ("EOF", "TIME_WINDOW_SECTION", "line 19: got 'TIME_WINDOW_SECTION', expected a section that"),
        (
            "COST_LIMIT : 34\n",
            "COST_LIMIT : 34\nVEHICLES : 2\n",
            "line 5: got 'VEHICLES', expected a key",
        ),
        ("EOF\n", "EOF\nNAME : x", "line 20: got 'NAME : x', expected nothing after EOF"),
        ("34", "3.5", "line 4: got '3.5', expected an integer"),
        ("3 5\n", "3 -5\n", "line 14: got '-5', expected an integer from 0 to 1000000"),
        ("3 5\n", "2 5\n", "line 14: got '2', expected node 3"),
        ("3 5\n", "", "got 6 numbers in NODE_SCORE_SECTION, expected 8"),
        ("SECTION\n1\n-1", "SECTION\n2\n-1", "line 17: got '2', expected 1: the depot is node 1"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    """What was got, what was expected, where."""
    with pytest.raises(InstanceFileError) as error:
        read(tmp_path, FILE.replace(old, new))
    assert message in str(error.value)
