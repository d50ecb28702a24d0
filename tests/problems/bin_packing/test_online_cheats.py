"""Candidates that try to cheat online packing get a status, never a better score than an honest run."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from gapsmith.evaluators.base import ScoreStatus
from gapsmith.evaluators.bin_packing import online_bin_packing
from gapsmith.evaluators.scoring import score
from gapsmith.sandbox.base import Execution, Limits

SIZES = [60, 50, 40, 30, 20, 70, 10]
"""Capacity 100; best fit opens 3 bins, which is optimal."""

Execute = Callable[..., Execution]


def packer(body: str, start: str = "pass") -> str:
    """Source of a candidate with this `place` body."""
    return (
        "class Packer:\n    def __init__(self, capacity, items=None):\n"
        + textwrap.indent(textwrap.dedent(start).strip(), " " * 8)
        + "\n\n    def place(self, item, residuals, gap_counts):\n"
        + textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
        + "\n"
    )


FIRST_FIT = """
for index, space in enumerate(residuals):
    if space >= item:
        return index
return len(residuals)
"""


@pytest.fixture
def judged(online: Any, online_instance: Any, execute: Execute) -> Callable[[str], Any]:
    """Score of a candidate's source on the small sequence, by the evaluator's own path."""

    def run(source: str, sizes: list[int] = SIZES) -> Any:
        instance = online_instance(sizes, 100)
        references = online_bin_packing.references
        assert references is not None
        reference = references.reference(instance, 5.0)
        return score(online, instance, reference, execute(online, source, instance, Limits(cpu_seconds=0.3)))

    return run


def test_honest_candidate_is_scored(judged: Callable[[str], Any]) -> None:
    """The yardstick of this file: first fit gets its bins and a gap."""
    found = judged(packer(FIRST_FIT))
    assert (found.status, found.objective) == (ScoreStatus.OK, 3)


def test_new_bin_is_the_number_of_open_bins(judged: Callable[[str], Any]) -> None:
    """Opening a bin for every item is allowed, and counts every bin."""
    assert judged(packer("return len(residuals)")).objective == len(SIZES)


def test_numpy_integers_are_indices(judged: Callable[[str], Any]) -> None:
    """A rule that computes with numpy need not convert its answer."""
    source = "import numpy\n" + packer("return numpy.int64(len(residuals))")
    assert judged(source).objective == len(SIZES)


@pytest.mark.parametrize(
    "body",
    [
        "residuals[:] = [100] * len(residuals)\nreturn 0 if residuals else 0",
        "gap_counts[100] = 5\nresiduals.append(100)\nreturn 0 if self.n else 0",
        "return 0",
    ],
)
def test_resetting_the_bins_is_infeasible(judged: Callable[[str], Any], body: str) -> None:
    """The lists are copies and the parent counts: an overfull bin is named with its load."""
    found = judged(packer(body, "self.n = 0"))
    assert found.status is ScoreStatus.INFEASIBLE
    assert found.objective is None
    assert "item 1 (size 50) gives bin 0 load 110, capacity 100" in found.message


def test_tampering_with_the_driver_is_infeasible(judged: Callable[[str], Any]) -> None:
    """Reaching through frames into the driver's own state changes what the child believes only."""
    body = """
    frame = sys._getframe(1)
    state = frame.f_locals
    state["residuals"][:] = [100] * len(state["residuals"])
    return 0
    """
    found = judged("import sys\n" + packer(body))
    assert found.status is not ScoreStatus.OK
    assert found.objective is None


def test_moving_an_earlier_item_is_not_possible(judged: Callable[[str], Any]) -> None:
    """A list of all bins so far is no decision, and a decision sent twice is the next item's."""
    assert judged(packer("return [0] * (len(residuals) + 1)")).status is ScoreStatus.INVALID_ANSWER
    body = """
    send = sys._getframe(1).f_locals["send"]
    if item == 50:
        send(b"1")
        send(b"1")
    return len(residuals)
    """
    found = judged("import sys\n" + packer(body))
    assert found.status is not ScoreStatus.OK or found.objective >= 3


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ("-1", "item 0 (size 60): got -1"),
        ("7", "item 0 (size 60): got 7"),
        ("True", "got True"),
        ("0.0", "got 0.0"),
        ("None", "got None"),
        ("'0'", "got '0'"),
        ("float('nan')", "got nan"),
        ("10 ** 40", "got 1000"),
    ],
)
def test_decision_that_is_no_bin_is_an_invalid_answer(
    judged: Callable[[str], Any], decision: str, words: str
) -> None:
    """Negative, boolean, fractional and out-of-range decisions are named with the item."""
    found = judged(packer(f"return {decision}"))
    assert found.status is ScoreStatus.INVALID_ANSWER
    assert words in found.message


@pytest.mark.parametrize(
    "body",
    [
        "raise StopIteration",
        "sys.exit(0)",
        "sys._getframe(1).f_locals['send'](b'')\nreturn 0",
        "sys._getframe(1).f_locals['send'](b'0\\n1\\n0\\n1\\n1\\n2\\n2')\nraise SystemExit(0)",
        "import os\nos._exit(0)",
        "while True: pass",
    ],
)
def test_ending_early_is_no_score(judged: Callable[[str], Any], body: str) -> None:
    """Whatever ends the child before the last item leaves no objective, or at best the honest count."""
    found = judged("import sys\n" + packer(body))
    assert found.status is not ScoreStatus.OK or found.objective >= 3
    assert found.gap is None or found.gap >= 0


def test_next_item_is_not_in_the_process(online: Any, online_instance: Any, execute: Execute) -> None:
    """A candidate that searches its whole process for the sizes to come finds none of them.

    Two sequences that differ in their last item alone give the same decisions up to it, whatever the
    candidate can reach: frames, their names, all live objects, and the instance it was started with.
    """
    body = """
    seen = set()
    frame = sys._getframe(0)
    while frame is not None:
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            if type(value) in (int, str, bytes):
                seen.add(repr(value))
            elif type(value) in (list, tuple, dict):
                seen.add(repr(value))
        frame = frame.f_back
    text = " ".join(sorted(seen))
    assert str(9974 - 1) not in text, "look-ahead"
    return len(residuals)
    """
    source = "import sys\n" + packer(body)
    for last in (9973, 9967):
        instance = online_instance([5, 6, 7, last], 10000)
        execution = execute(online, source, instance)
        assert "9973" not in str(instance.public)
        if last == 9973:
            assert execution.error is not None  # it sees the item only when it is its turn
            assert "look-ahead" in execution.error
            transcript = online.verify(instance, [0, 1, 2])
            assert transcript.objective is None
        else:
            assert execution.answer == [0, 1, 2, 3]


def test_reading_ahead_gets_no_item(judged: Callable[[str], Any]) -> None:
    """Asking for the next line before deciding waits for ever, and the wall clock ends it without a score."""
    body = """
    receive = sys._getframe(1).f_locals["receive"]
    upcoming = receive()
    return 0
    """
    found = judged("import sys\n" + packer(body))
    assert found.status is not ScoreStatus.OK
    assert found.objective is None


def test_state_does_not_survive_an_execution(judged: Callable[[str], Any]) -> None:
    """What one execution leaves in modules is gone in the next: sequences cannot be learned by heart."""
    source = "import math\n" + packer(
        FIRST_FIT, "assert not hasattr(math, 'left'), 'remembered'\nmath.left = capacity"
    )
    assert [judged(source).status for _ in range(2)] == [ScoreStatus.OK, ScoreStatus.OK]


def test_known_number_of_items_is_told_only_there(
    online: Any, known_n: Any, execute: Execute, online_instance: Any
) -> None:
    """A candidate for known n fails where the number is not told, and gets it where it is."""
    source = (
        packer(FIRST_FIT).replace("items=None", "items").replace("        pass", "        assert items == 7")
    )
    counted = online_instance(SIZES, 100, {"items": 7})
    assert known_n.verify(counted, execute(known_n, source, counted).answer).objective == 3
    assert "items" in (execute(online, source, online_instance(SIZES, 100)).error or "")
