"""Buffers as rectangles over time and memory, for CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...problems.memory.verification import largest_load, peak

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True, slots=True)
class MemoryModel:
    """A model and the offset of each buffer."""

    model: cp_model.CpModel
    offsets: list[cp_model.IntVar]


def memory_model(buffers: Sequence[Sequence[int]], hint: Sequence[int]) -> MemoryModel:
    """Offsets of the least peak: rectangles with fixed times do not overlap.

    Args:
        buffers: each [start, end, size].
        hint: valid offsets; no peak above theirs is looked for.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    least = largest_load(buffers)
    most = peak(buffers, hint)
    highest = model.new_int_var(least, most, "peak")
    offsets = []
    times = []
    places = []
    for i, (start, end, size) in enumerate(buffers):
        offset = model.new_int_var(0, most - size, f"offset {i}")
        model.add(offset + size <= highest)
        model.add_hint(offset, hint[i])
        times.append(model.new_fixed_size_interval_var(start, end - start, f"life {i}"))
        places.append(model.new_fixed_size_interval_var(offset, size, f"place {i}"))
        offsets.append(offset)
    model.add_no_overlap_2d(times, places)
    model.add_cumulative(times, [size for _, _, size in buffers], highest)
    model.minimize(highest)
    return MemoryModel(model, offsets)
