"""Where the peak of offsets arises: what stands at the peak, and where memory below lies idle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..base import Json
from ..summaries import percent, quantiles
from .verification import loads, peak

_SHOWN = 4
"""Buffers and moments that are listed."""


def explain_offsets(public: Mapping[str, Any], answer: Json) -> str:
    """Peak and load, the buffers at the peak, the moments of the highest tops, and the holes below them.

    Args:
        public: `buffers` of an instance.
        answer: valid offsets.
    """
    buffers, offsets = public["buffers"], list[int](answer)  # type: ignore[arg-type]
    highest, live = peak(buffers, offsets), loads(buffers)
    bound = max(load for _, load in live)
    tops = [(moment, _top(buffers, offsets, moment), load) for moment, load in live if load]
    holes = [100 * (top - load) / top for _, top, load in tops]
    lines = [
        f"{len(buffers)} buffers end at {highest}; the largest load is {bound} units, from step "
        f"{', '.join(str(moment) for moment, load in live if load == bound)[:60]} on.",
        f"Share of the units below the top that hold nothing, over the sections of time, percent: "
        f"{quantiles(holes)}.",
        "Highest sections (step: top, load):",
    ]
    for moment, top, load in sorted(tops, key=lambda row: (-row[1], row[0]))[:_SHOWN]:
        lines.append(f"- {moment}: {top}, {load} ({percent(top - load, top)} idle)")
    last = sorted(range(len(buffers)), key=lambda i: (-offsets[i] - buffers[i][2], i))[:_SHOWN]
    lines.append("Buffers that end highest (life, size, offset, largest hole directly below):")
    for i in last:
        start, end, size = buffers[i]
        below = _hole(buffers, offsets, i)
        lines.append(f"- buffer {i}: steps {start} to {end}, size {size}, offset {offsets[i]}, hole {below}")
    return "\n".join(lines)


def _live(buffers: Sequence[Sequence[int]], moment: int) -> list[int]:
    return [i for i, (start, end, _) in enumerate(buffers) if start <= moment < end]


def _top(buffers: Sequence[Sequence[int]], offsets: Sequence[int], moment: int) -> int:
    return max(offsets[i] + buffers[i][2] for i in _live(buffers, moment))


def _hole(buffers: Sequence[Sequence[int]], offsets: Sequence[int], i: int) -> int:
    """Largest free stretch that ends at a buffer's offset, over the moments of its life (units)."""
    start, end, _ = buffers[i]
    moments = sorted({start, *(row[0] for row in buffers if start < row[0] < end)})
    stretches = []
    for moment, _ in pairwise([*moments, end]):
        below = [offsets[j] + buffers[j][2] for j in _live(buffers, moment) if offsets[j] < offsets[i]]
        stretches.append(offsets[i] - max(below, default=0))
    return max(stretches)
