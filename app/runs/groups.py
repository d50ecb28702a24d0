"""Paired differences of two programs, tables by group with their noise, and the distance to the CPU limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from ...evaluators.base import Score
from ...evaluators.intervals import LEVEL, mean_interval, student
from ...evaluators.statistics import wins_ties_losses
from ...problems.base import Instance

Gaps = Mapping[str, float]
"""Instance id → loss of a program there, percent of max(|reference|, scale); smaller is better."""


def gaps_of(scores: Sequence[Score], loss: Callable[[Score], float | None]) -> dict[str, float]:
    """The gaps of a program's valid answers.

    Args:
        scores: of the program.
        loss: of a score (ratio); None without a valid answer.
    """
    found = {score.instance: loss(score) for score in scores}
    return {id: 100 * value for id, value in found.items() if value is not None}


def paired(
    mine: Gaps, other: Gaps, instances: Mapping[str, Instance] | None = None
) -> dict[str, Any] | None:
    """How a program differs from another one on the instances that both answered; None without such.

    `difference_points` is its gap minus the other's, so that below 0 is better; `beyond_noise` says whether
    the 95 % interval of that mean leaves out 0.

    Args:
        mine, other: of the two programs.
        instances: by id. With them the interval is one to steer by, not to claim with: the noise is that within
            groups, pooled (`within_groups`). Without them skewness and zeros widen the interval.
    """
    both = [id for id in mine if id in other]
    if not both:
        return None
    differences = [mine[id] - other[id] for id in both]
    if instances is None:
        interval = mean_interval(differences)
    else:
        interval = within_groups([(instances[id].stratum, mine[id] - other[id]) for id in both])
    tally = wins_ties_losses((mine[id], other[id]) for id in both)
    return {
        "instances": len(both),
        "mean_gap_percent": fmean(mine[id] for id in both),
        "other_mean_gap_percent": fmean(other[id] for id in both),
        "difference_points": fmean(differences),
        "difference_ci95_points": None if interval is None else list(interval),
        "beyond_noise": None if interval is None else not interval[0] <= 0 <= interval[1],
        "better": tally["wins"],
        "equal": tally["ties"],
        "worse": tally["losses"],
    }


def within_groups(values: Sequence[tuple[str, float]]) -> tuple[float, float] | None:
    """The 95 % interval of a mean whose groups are fixed: Student's t with the pooled spread inside of them.

    Args:
        values: group and value of each instance.

    Returns:
        Both ends, in the unit of the values; None where no group has two.
    """
    members: dict[str, list[float]] = {}
    for group, value in values:
        members.setdefault(group, []).append(value)
    freedom = len(values) - len(members)
    if freedom < 1:
        return None
    squares = sum((value - fmean(some)) ** 2 for some in members.values() for value in some)
    reach = student(LEVEL, freedom) * (squares / freedom / len(values)) ** 0.5
    mean = fmean(value for _, value in values)
    return mean - reach, mean + reach


def groups(mine: Gaps, instances: Mapping[str, Instance], other: Gaps | None = None) -> list[dict[str, Any]]:
    """A row for each group of instances, worst first: mean gap, and how far a mean moves by chance alone.

    `noise_points` is half the 95 % interval (Student's t) of the mean difference to the other program on that
    group's instances, or of the mean gap itself where there is no other program; None below two instances.
    """
    members: dict[str, list[str]] = {}
    for id in mine:
        members.setdefault(instances[id].stratum, []).append(id)
    rows = [_row(name, ids, mine, other) for name, ids in members.items()]
    return sorted(rows, key=lambda row: -float(row["mean_gap_percent"]))


def _row(name: str, ids: Sequence[str], mine: Gaps, other: Gaps | None) -> dict[str, Any]:
    row = {"group": name, "instances": len(ids), "mean_gap_percent": fmean(mine[id] for id in ids)}
    if other is None:
        return {**row, "noise_points": _half([mine[id] for id in ids])}
    both = [id for id in ids if id in other]
    differences = [mine[id] - other[id] for id in both]
    return {
        **row,
        "other_mean_gap_percent": fmean(other[id] for id in both) if both else None,
        "difference_points": fmean(differences) if both else None,
        "noise_points": _half(differences),
    }


def _half(values: Sequence[float]) -> float | None:
    interval = within_groups([("", value) for value in values])
    return None if interval is None else (interval[1] - interval[0]) / 2


def times(scores: Sequence[Score], limit: float) -> dict[str, Any]:
    """CPU seconds of executions, and the share of the limit that the longest one used (ratio)."""
    seconds = [score.cpu_seconds for score in scores]
    return {
        "cpu_seconds_median": median(seconds) if seconds else None,
        "cpu_seconds_max": max(seconds, default=None),
        "cpu_limit_seconds": limit,
        "share_of_limit": max(seconds) / limit if seconds else None,
    }
