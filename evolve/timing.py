"""Time of a candidate: CPU seconds of an execution minus those of the sandbox, in coarse classes.

Two measurements of one evaluation differ by about 5 %. Classes are a factor of four apart, so about one
candidate in 25 changes its class when it is measured again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..evaluators.base import Score

CLASSES = (0.001, 0.004, 0.016, 0.064, 0.256, 1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 65536.0)
"""Upper edges of the time classes, which include them (CPU seconds); what is slower is in a class above."""

_DURATION = re.compile(r"\s*([0-9]++(?:\.[0-9]++)?|\.[0-9]++)\s*+(us|µs|ms|s|min|m|h)\s*")
_UNITS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Timing:
    """Figures of a machine that make its CPU times comparable with those of others.

    Attributes:
        floor_seconds: CPU seconds of an execution that returns at once.
        pace_seconds: CPU seconds of a fixed loop, which compares machines.
    """

    floor_seconds: float
    pace_seconds: float


@dataclass(frozen=True, slots=True)
class Times:
    """The CPU times that a proposer may know, where time is a measure or limited.

    Attributes:
        floor_seconds: CPU seconds of an execution that does nothing.
        budget_seconds: most CPU seconds of a champion above the floor; None without a limit.
        losses: time class → training loss of its best elite (percent); empty where time is no measure.
    """

    floor_seconds: float
    budget_seconds: float | None = None
    losses: Mapping[int, float] = field(default_factory=dict)


def net_seconds(scores: Sequence[Score], floor: float) -> float:
    """Mean CPU seconds of an execution above `floor` (CPU seconds), at least 0; 0 without scores."""
    if not scores:
        return 0.0
    return max(0.0, sum(score.cpu_seconds for score in scores) / len(scores) - floor)


def time_class(seconds: float) -> int:
    """Number of the class of a time (CPU seconds), 0 for the fastest."""
    return bisect_left(CLASSES, seconds)


def edge(number: int) -> float | None:
    """Upper edge of a class (CPU seconds); None for the slowest class, which has none."""
    return CLASSES[number] if number < len(CLASSES) else None


def seconds_of(text: str) -> float:
    """CPU seconds of a duration such as `10ms` or `0.5s`.

    Raises:
        ValueError: the text is not a duration above 0.
    """
    match = _DURATION.fullmatch(text)
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if seconds <= 0:
        raise ValueError(f"got {text!r}, expected a duration above 0 such as 10ms, 0.5s or 2m")
    return seconds
