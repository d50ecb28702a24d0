"""Verification: half-open lives, exact limits, hostile answers, and all pairs as a second opinion."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from gapsmith.problems.base import Instance, VerdictStatus
from gapsmith.problems.memory import memory_mapping
from gapsmith.problems.memory.verification import judge, largest_load, loads
from hypothesis import given, settings
from hypothesis import strategies as st

MINIMALLOC = [[0, 3, 4], [3, 9, 4], [0, 9, 4], [9, 21, 4], [0, 21, 4]]
"""The example of MiniMalloc's repository; its optimum is 12."""


def test_the_example_of_minimalloc() -> None:
    """Buffers whose lives follow each other may share memory; the peak is the largest load."""
    assert largest_load(MINIMALLOC) == 12
    assert judge({"buffers": MINIMALLOC}, [8, 8, 4, 4, 0]).objective == 12
    assert loads(MINIMALLOC) == [(0, 12), (3, 12), (9, 8), (21, 0)]


def test_an_overlap_is_named() -> None:
    """Both buffers with life and place; touching buffers do not overlap."""
    verdict = judge({"buffers": [[0, 4, 3], [3, 6, 3]]}, [0, 2])
    assert verdict.status is VerdictStatus.INFEASIBLE
    assert verdict.violations[0] == (
        "buffer 0 (alive 0 to 4, offset 0 to 3) and buffer 1 (alive 3 to 6, offset 2 to 5) "
        "share time and memory"
    )
    assert judge({"buffers": [[0, 4, 3], [3, 6, 3]]}, [0, 3]).objective == 6
    assert judge({"buffers": [[0, 3, 3], [3, 6, 3]]}, [0, 2]).objective == 5


@pytest.mark.parametrize(
    "answer",
    [None, [], [0], [0, 0, 0], [0, True], [0, 4.0], [0, -1], [0, 10**25], [0, "4"], {"0": 4}, [[0], [4]]],
)
def test_what_is_no_list_of_offsets_is_invalid(answer: Any) -> None:
    """Shape, type and range come before feasibility."""
    assert judge({"buffers": [[0, 2, 4], [1, 3, 4]]}, answer).status is VerdictStatus.INVALID_ANSWER


def test_a_huge_offset_is_a_huge_peak() -> None:
    """Whole numbers up to 10²⁴ are offsets; nothing overflows."""
    assert judge({"buffers": [[0, 2**62, 2**62]]}, [10**24]).objective == 10**24 + 2**62


ROWS = st.tuples(st.integers(0, 6), st.integers(1, 4), st.integers(1, 4), st.integers(0, 8))


@settings(max_examples=200, deadline=None)
@given(rows=st.lists(ROWS, min_size=1, max_size=8))
def test_the_walk_agrees_with_all_pairs(rows: Any) -> None:
    """Feasible iff no pair of buffers shares a step and a unit, and the peak is no lower than the load."""
    buffers = [[start, start + life, size] for start, life, size, _ in rows]
    offsets = [offset for *_, offset in rows]
    clash = any(
        buffers[i][0] < buffers[j][1]
        and buffers[j][0] < buffers[i][1]
        and offsets[i] < offsets[j] + buffers[j][2]
        and offsets[j] < offsets[i] + buffers[i][2]
        for i, j in combinations(range(len(rows)), 2)
    )
    verdict = judge({"buffers": buffers}, offsets)  # type: ignore[arg-type]
    assert (verdict.objective is None) == clash
    if verdict.objective is not None:
        assert verdict.objective >= largest_load(buffers)
        mirrored = [verdict.objective - o - row[2] for o, row in zip(offsets, buffers, strict=True)]
        reverse = [[-end, -start, size] for start, end, size in buffers]
        assert judge({"buffers": reverse}, mirrored).objective == max(  # type: ignore[arg-type]
            o + row[2] for o, row in zip(mirrored, buffers, strict=True)
        )


def test_a_picture_has_every_buffer_and_the_bound() -> None:
    """Rectangles have the areas of the buffers; an invalid answer raises."""
    instance = Instance("i", "i", "i", {"buffers": MINIMALLOC}, 1, "by hand")
    drawing = memory_mapping().draw(instance, [8, 8, 4, 4, 0])
    rectangles = [shape for shape in drawing.shapes if shape.kind == "rectangle"]
    assert [s.width * s.height for s in rectangles] == [size * (e - s) for s, e, size in MINIMALLOC]
    assert [s.text for s in rectangles if s.group == "reaches the peak"] == ["0", "1"]
    assert [s.y for s in drawing.shapes if s.kind == "line"] == [12]
    with pytest.raises(ValueError, match="instance i"):
        memory_mapping().draw(instance, [0])


def test_an_explanation_says_where_the_peak_is() -> None:
    """Peak, load, the highest section and the hole below the highest buffer."""
    instance = Instance("i", "i", "i", {"buffers": MINIMALLOC}, 1, "by hand")
    text = memory_mapping().explain(instance, [9, 8, 4, 4, 0])
    assert "5 buffers end at 13; the largest load is 12 units" in text
    assert "- 0: 13, 12 (7.7 % idle)" in text
    assert "- buffer 0: steps 0 to 3, size 4, offset 9, hole 1" in text
