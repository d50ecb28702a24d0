"""Times as classes: durations that people write, net times, and the class of each."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.evolve.timing import CLASSES, edge, net_seconds, seconds_of, time_class


def _scores(*seconds: float) -> Any:
    return [SimpleNamespace(cpu_seconds=one) for one in seconds]


@pytest.mark.parametrize(
    ("text", "seconds"), [("10ms", 0.01), ("2 s", 2.0), (".5s", 0.5), ("250us", 0.00025), ("2min", 120.0)]
)
def test_a_duration_is_read_with_its_unit(text: str, seconds: float) -> None:
    """Milliseconds, seconds, microseconds and minutes, with or without a space."""
    assert seconds_of(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "10", "ms", "-1ms", "0s", "1e3s"])
def test_no_duration_is_refused(text: str) -> None:
    """A text without a unit, or of no length, is none."""
    with pytest.raises(ValueError, match="expected a duration above 0"):
        seconds_of(text)


def test_a_class_ends_at_its_edge_and_the_next_begins_there() -> None:
    """Each edge belongs to the class below it, and the slowest class has no edge."""
    for number, seconds in enumerate(CLASSES):
        assert edge(number) == seconds
        assert time_class(seconds) == number
        assert time_class(1.0001 * seconds) == number + 1
    assert edge(time_class(1e9)) is None


def test_classes_are_about_a_factor_of_four_apart() -> None:
    """So that noise of five percent moves few candidates."""
    assert all(3.9 <= slow / fast <= 4.1 for fast, slow in pairwise(CLASSES))


def test_net_time_is_the_mean_above_the_floor() -> None:
    """What the sandbox costs is not the candidate's, and no time is negative."""
    assert net_seconds(_scores(0.010, 0.020), 0.005) == pytest.approx(0.010)
    assert net_seconds(_scores(0.004), 0.005) == 0.0
    assert net_seconds([], 0.005) == 0.0
