"""Judging packings and transcripts: what is valid, infeasible, or no answer at all."""

from __future__ import annotations

from typing import Any

import pytest
from gapsmith.problems.base import Instance, VerdictStatus
from gapsmith.problems.bin_packing.dialogue import ItemArrivals

SIZES = [60, 50, 40, 30, 20]


def instance(sizes: list[int], capacity: int = 100) -> Instance:
    """An offline instance of given sizes."""
    return Instance("small", "test", "small", {"sizes": sizes, "capacity": capacity}, 1, "test")


def test_number_of_different_bins_is_the_objective(offline: Any) -> None:
    """Bins may be numbered with holes; only the number of different ones counts."""
    verdict = offline.verify(instance(SIZES), [4, 0, 4, 0, 0])
    assert (verdict.status, verdict.objective) == (VerdictStatus.VALID, 2)


def test_overfull_bin_is_infeasible_with_number_and_load(offline: Any) -> None:
    """The violation names the bin, its load and the capacity."""
    verdict = offline.verify(instance(SIZES), [3, 3, 0, 0, 0])
    assert verdict.status is VerdictStatus.INFEASIBLE
    assert "bin 3 has load 110, capacity 100" in verdict.violations[0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([0, 1, 0, 1], "got 4 bin indices, expected one for each of 5"),
        ([0, 1, 0, 1, 1, 1], "got 6 bin indices, expected one for each of 5"),
        ([0, 1, 0, 1, -1], "item 4 got bin -1, expected an index from 0 to 4"),
        ([0, 1, 0, 1, 5], "item 4 got bin 5, expected an index from 0 to 4"),
        ([0, 1, 0, 1, 1.0], "item 4 got 1.0 (float)"),
        ([0, 1, 0, 1, 1.5], "item 4 got 1.5 (float)"),
        ([0, 1, 0, True, 1], "item 3 got True (bool)"),
        ([0, 1, 0, None, 1], "item 3 got None (NoneType)"),
        ([0, 1, 0, [1], 1], "item 3 got [1] (list)"),
        (["0", 1, 0, 1, 1], "item 0 got 0 (str)"),
        ({"0": 0}, "got dict, expected a list of 5"),
        (None, "got NoneType, expected a list of 5"),
        (5, "got int, expected a list of 5"),
        ([0, 1, 0, 1, 10**40], "item 4 got bin 1000"),
    ],
)
def test_malformed_packing_is_no_answer(offline: Any, answer: Any, words: str) -> None:
    """Missing, doubled, negative, fractional, boolean and out-of-range indices are invalid answers."""
    verdict = offline.verify(instance(SIZES), answer)
    assert verdict.status is VerdictStatus.INVALID_ANSWER
    assert words in verdict.violations[0]


def test_large_integers_are_added_exactly(offline: Any) -> None:
    """A load one unit above a capacity beyond 2^53 is noticed; floats would not."""
    big = 2**60
    assert offline.verify(instance([big, 1], big), [0, 0]).status is VerdictStatus.INFEASIBLE
    assert offline.verify(instance([big - 1, 1], big), [0, 0]).objective == 1


@pytest.mark.parametrize(
    ("transcript", "status", "words"),
    [
        ([0, 1, 0, 1, 1], VerdictStatus.VALID, ""),
        ([0, 1, 0, 1], VerdictStatus.INVALID_ANSWER, "got 4 decisions, expected one for each of 5"),
        ([0, 1, 0, 1, 1, 0], VerdictStatus.INVALID_ANSWER, "got 6 decisions"),
        ([0, 0], VerdictStatus.INFEASIBLE, "item 1 (size 50) gives bin 0 load 110, capacity 100"),
        ([1], VerdictStatus.INVALID_ANSWER, "item 0 (size 60): got 1, expected a bin index from 0 to 0"),
        ([0, True, 0, 1, 1], VerdictStatus.INVALID_ANSWER, "got True"),
        ([0, -1, 0, 1, 1], VerdictStatus.INVALID_ANSWER, "got -1"),
        ([0, 1.0, 0, 1, 1], VerdictStatus.INVALID_ANSWER, "got 1.0"),
        ("01011", VerdictStatus.INVALID_ANSWER, "got str"),
    ],
)
def test_transcript_is_replayed(
    online: Any, online_instance: Any, transcript: Any, status: VerdictStatus, words: str
) -> None:
    """A transcript is judged from the items alone: bins in order of opening, loads in integers."""
    verdict = online.verify(online_instance(SIZES, 100), transcript)
    assert verdict.status is status
    assert words in "; ".join(verdict.violations)


def test_stepper_reveals_one_item_after_each_decision() -> None:
    """The next size is given out only when the decision on the last one is recorded."""
    steps = ItemArrivals([60, 50, 40], 100)
    assert [steps.next(b""), steps.answer()] == [b"60", []]
    assert [steps.next(b"0"), steps.answer()] == [b"50", [0]]
    assert [steps.next(b"1"), steps.answer()] == [b"40", [0, 1]]
    assert [steps.next(b"0"), steps.answer()] == [None, [0, 1, 0]]


def test_stepper_ends_at_the_first_overflow() -> None:
    """An overfull bin ends the sequence, and the transcript holds the decision that did it."""
    steps = ItemArrivals([60, 50, 40], 100)
    steps.next(b"")
    steps.next(b"0")
    assert [steps.next(b"0"), steps.answer()] == [None, [0, 0]]


@pytest.mark.parametrize(
    "line", [b"", b"1 0", b"-1", b"2", b"1.0", b"True", b"0x0", b"9" * 5000, b"\xff", b"+0"]
)
def test_stepper_refuses_what_is_no_bin(line: bytes) -> None:
    """Anything but the index of an open or the next new bin breaks the protocol, with the item's number."""
    steps = ItemArrivals([60, 50], 100)
    steps.next(b"")
    steps.next(b"0")
    with pytest.raises(ValueError, match=r"item 1 \(size 50\): got .*expected a bin index from 0 to 1"):
        steps.next(line)


def test_drawing_stacks_items_up_to_their_loads(offline: Any) -> None:
    """Every item is a rectangle; the tops of the bars are the loads; the capacity is a line."""
    drawing = offline.draw(instance(SIZES), [4, 0, 4, 0, 0])
    bars = [s for s in drawing.shapes if s.kind == "rectangle"]
    tops = {s.x: max(t.y + t.height for t in bars if t.x == s.x) for s in bars}
    assert len(bars) == 5
    assert sorted(tops.values()) == [100, 100]
    assert [s.y for s in drawing.shapes if s.kind == "line"] == [100]
