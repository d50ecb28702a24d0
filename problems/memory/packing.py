"""Offsets as a picture: steps to the right, memory upwards, one rectangle for each buffer."""

from __future__ import annotations

from typing import Any

from ..base import Drawing, Instance, Json, Shape
from ..faults import objective_of
from .verification import judge, largest_load


def packing(instance: Instance, answer: Json) -> Drawing:
    """Rectangles with the numbers of the buffers; those that reach the peak stand out, a line is the bound.

    Raises:
        ValueError: the answer is not valid.
    """
    buffers: Any = instance.public["buffers"]
    objective = objective_of(instance.id, judge(instance.public, answer))
    offsets: Any = answer
    shapes = []
    for i, ((start, end, size), offset) in enumerate(zip(buffers, offsets, strict=True)):
        group = "reaches the peak" if offset + size == objective else "buffer"
        shapes.append(Shape("rectangle", start, offset, end - start, size, str(i), group))
    first, last = min(row[0] for row in buffers), max(row[1] for row in buffers)
    bound = largest_load(buffers)
    shapes.append(Shape("line", first, bound, last - first, 0, "", "largest load"))
    title = f"{instance.id}: {len(buffers)} buffers, peak {objective}, largest load {bound} units"
    return Drawing(title, "time (steps)", "memory (units)", tuple(shapes))
