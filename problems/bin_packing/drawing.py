"""Draws a packing: bins as bars, items stacked in them."""

from __future__ import annotations

from collections.abc import Sequence

from ..base import Drawing, Json, Shape


def draw_bins(title: str, sizes: Sequence[int], capacity: int, answer: Json) -> Drawing:
    """One bar per bin with its items stacked in the order given, and the capacity as a line.

    Args:
        title: name of the instance.
        sizes: of the items (units of size).
        capacity: of every bin (units of size).
        answer: a valid packing, one bin index per item.
    """
    columns: dict[int, int] = {}
    tops: list[int] = []
    shapes: list[Shape] = []
    for size, bin_index in zip(sizes, answer, strict=True):  # type: ignore[arg-type]
        column = columns.setdefault(bin_index, len(columns))  # type: ignore[arg-type]
        if column == len(tops):
            tops.append(0)
        group = "large item" if 2 * size > capacity else "item"
        shapes.append(Shape("rectangle", column, tops[column], 0.9, size, str(size), group))
        tops[column] += size
    shapes.append(Shape("line", 0, capacity, len(tops), 0, f"capacity {capacity}", "capacity"))
    return Drawing(f"{title}: {len(tops)} bins", "bin (number)", "load (units of size)", tuple(shapes))
