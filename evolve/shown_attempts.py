"""What a prompt says of a candidate that was tried, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from ..prompts.parts import Tried
from ..prompts.text import decimal, percent, shortened
from .base import Attempt, End, Origin

_NAMES = {Origin.STALLED.value: "asked at a stand-still", Origin.DESIGN.value: "a new design"}
REASON = 200
"""Characters of how a candidate ended."""


def line_of(attempt: Attempt, labels: Mapping[str, str], groups: Mapping[str, Sequence[str]]) -> Tried:
    """A told candidate as a line.

    Args:
        attempt: the candidate.
        labels: id → name of the programs that the prompt shows.
        groups: name → ids of the instances of the groups that the prompt tells.
    """
    shown = f" ({labels[attempt.id]})" if attempt.id in labels else ""
    twin = f"same answers as {labels.get(attempt.twin, 'an earlier program')}"
    stopped = f"stopped after {attempt.executed} of {attempt.instances} instances"
    endings = {
        End.KEPT: "kept",
        End.BEHIND: "valid, but another program is better where it is good",
        End.TWIN: f"{twin} on all instances",
        End.STOPPED: f"{stopped}: {twin} there" if attempt.twin else f"{stopped}{_beside_rival(attempt)}",
        End.FAILED: f"failed: {attempt.reason}",
    }
    return Tried(
        operator=_NAMES.get(operator := attempt.operator.split(" ")[0], operator),
        gap_percent=None if attempt.loss is None else 100 * attempt.loss,
        ending=" ".join(f"{shortened(endings[attempt.end], REASON)}{shown}".split()),
        idea=" ".join(attempt.idea.split()),
        difference="" if attempt.twin or attempt.end is End.FAILED else _beside_parent(attempt),
        seconds=f"{attempt.seconds:.3g} s of CPU time" if attempt.seconds else "",
        groups=_by_group(attempt, groups) if attempt.end in (End.KEPT, End.BEHIND) else "",
    )


def _beside_rival(attempt: Attempt) -> str:
    """Mean gaps on the instances that were executed, and whether the rest could not have made up for them."""
    if attempt.means is None:
        return ""
    mine, rival = (percent(100 * mean) for mean in attempt.means)
    more = f", in sum more than its rival loses on all {attempt.instances}" if attempt.beyond else ""
    return f": {mine} there, its rival {rival}{more}"


def _beside_parent(attempt: Attempt) -> str:
    """The difference to the first parent on the same instances (percentage points)."""
    if attempt.difference is None:
        return ""
    mean, half, count = attempt.difference
    interval = "" if half is None else f" ± {decimal(100 * half)}"
    instances = "1 instance" if count == 1 else f"{count} instances"
    difference = decimal(100 * mean, "+")
    return f"{difference}{interval} points to its parent on {instances}"


def _by_group(attempt: Attempt, groups: Mapping[str, Sequence[str]]) -> str:
    """Mean gaps by group (percent)."""
    means = {
        name: fmean(measured)
        for name, ids in groups.items()
        if (measured := [attempt.losses[id] for id in ids if id in attempt.losses])
    }
    return ", ".join(f"{name} {decimal(100 * mean)}" for name, mean in means.items())
