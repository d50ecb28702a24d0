"""Judges offsets in exact integers, and the largest load, which no peak can be below."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json, Verdict
from ..faults import integer_fault, list_fault

MOST_OFFSET = 10**24
"""Largest offset (units): more digits are no answer to a problem whose sizes end at 2⁶²."""


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with its peak (units) iff no two buffers that are alive at the same time share a unit of memory.

    Args:
        public: `buffers`, each [start, end, size].
        answer: whatever a candidate returned.
    """
    buffers = public["buffers"]
    fault = list_fault(answer, "answer", len(buffers), "one offset for each buffer")
    if fault:
        return Verdict.invalid(fault)
    offsets: Any = answer
    for number, offset in enumerate(offsets):
        if fault := integer_fault(offset, f"answer[{number}]", 0, MOST_OFFSET, "an offset"):
            return Verdict.invalid(fault)
    if pair := overlap(buffers, offsets):
        first, second = (f"buffer {i} ({_place(buffers[i], offsets[i])})" for i in sorted(pair))
        return Verdict.infeasible(f"{first} and {second} share time and memory")
    return Verdict.valid(peak(buffers, offsets))


def peak(buffers: Sequence[Sequence[int]], offsets: Sequence[int]) -> int:
    """Largest end of a buffer in memory (units)."""
    return max(offset + int(row[2]) for row, offset in zip(buffers, offsets, strict=True))


def overlap(buffers: Sequence[Sequence[int]], offsets: Sequence[int]) -> tuple[int, int] | None:
    """Two buffers that share a moment and a unit of memory, or None.

    Walks through the starts and ends. The live buffers are kept in the order of their offsets; as long as
    they are disjoint, a new one can only collide with its two neighbours.
    """
    events = sorted(
        event for i, (start, end, _) in enumerate(buffers) for event in ((end, 0, i), (start, 1, i))
    )
    live: list[tuple[int, int]] = []
    for _, begins, i in events:
        item = (offsets[i], i)
        if not begins:
            live.pop(bisect_left(live, item))
            continue
        place = bisect_left(live, item)
        if place and live[place - 1][0] + buffers[live[place - 1][1]][2] > offsets[i]:
            return live[place - 1][1], i
        if place < len(live) and live[place][0] < offsets[i] + buffers[i][2]:
            return live[place][1], i
        insort(live, item)
    return None


def loads(buffers: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """(moment, sum of the live sizes from then on), at every moment at which a buffer starts or ends."""
    changes: dict[int, int] = {}
    for start, end, size in buffers:
        changes[start] = changes.get(start, 0) + size
        changes[end] = changes.get(end, 0) - size
    total, totals = 0, []
    for moment in sorted(changes):
        total += changes[moment]
        totals.append((moment, total))
    return totals


def largest_load(buffers: Sequence[Sequence[int]]) -> int:
    """Largest sum of the sizes that are alive at one moment (units), a lower bound of every peak.

    Buffers that are alive at the same moment are disjoint in memory, so one of them ends at their sum or
    above.
    """
    return max(load for _, load in loads(buffers))


def _place(row: Sequence[int], offset: int) -> str:
    return f"alive {row[0]} to {row[1]}, offset {offset} to {offset + row[2]}"
