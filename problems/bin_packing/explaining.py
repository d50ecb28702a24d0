"""What became of the space in the bins of a packing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..base import Json
from ..summaries import percent, quantiles

_GROUPS = 6
"""Groups of gaps, and bins, that are listed."""


def explain_packing(sizes: Sequence[int], capacity: int, answer: Json) -> str:
    """Waste, and what the emptiest bins hold.

    Args:
        sizes: of the items (units of size).
        capacity: of every bin (units of size).
        answer: a valid packing, one bin index per item.
    """
    contents: dict[int, list[int]] = {}
    for size, index in zip(sizes, answer, strict=True):  # type: ignore[arg-type]
        contents.setdefault(index, []).append(size)  # type: ignore[arg-type]
    emptiest = sorted(contents.values(), key=sum)[:_GROUPS]
    shown = "; ".join(
        f"{' + '.join(map(str, sorted(items, reverse=True)[:8]))}{' + …' if len(items) > 8 else ''}"
        f" (free {capacity - sum(items)})"
        for items in emptiest
    )
    gaps = [capacity - sum(items) for items in contents.values()]
    return "\n".join([*_overview(sizes, capacity, gaps)[1:], f"The emptiest bins hold: {shown}."])


def explain_arrivals(sizes: Sequence[int], capacity: int, answer: Json) -> str:
    """Sizes that were seen, gaps that were left, and bins that still wait for an item at the end.

    Args:
        sizes: of the items in the order of arrival, as far as they have arrived (units of size).
        capacity: of every bin (units of size).
        answer: the bin of each of these items.
    """
    gaps: list[int] = []
    last: list[int] = []
    for number, (size, index) in enumerate(zip(sizes, answer, strict=True)):  # type: ignore[arg-type]
        if index == len(gaps):
            gaps.append(capacity)
            last.append(number)
        gaps[index] -= size  # type: ignore[index]
        last[index] = number  # type: ignore[index]
    least = min(sizes)
    waiting = [place for place, gap in enumerate(gaps) if gap >= least]
    since = [len(sizes) - 1 - last[place] for place in waiting]
    lines = _overview(sizes, capacity, gaps)
    useless = [gap for gap in gaps if 0 < gap < least]
    lines.append(
        f"{len(waiting)} bins still have room for the smallest item (free space in all: "
        f"{sum(gaps[place] for place in waiting)}); {len(useless)} bins were left with a gap that no item "
        f"fits (free space in all: {sum(useless)})."
    )
    if waiting:
        lines.append(f"Items that arrived since the last one of a waiting bin, {quantiles(since)}.")
    return "\n".join(lines)


def _overview(sizes: Sequence[int], capacity: int, gaps: Sequence[int]) -> list[str]:
    """Quantiles of the sizes, the number of bins beside the volume, and the gaps that waste most."""
    least = -(-sum(sizes) // capacity)
    wasted = Counter(gap for gap in gaps if gap)
    worst = sorted(wasted, key=lambda gap: (-gap * wasted[gap], gap))[:_GROUPS]
    lines = [
        f"{len(sizes)} items, sizes at {quantiles(sizes)}; capacity {capacity}.",
        f"{len(gaps)} bins, where the volume alone needs {least}; {gaps.count(0)} bins are full, "
        f"{percent(sum(gaps), capacity * len(gaps))} of the space is free.",
    ]
    if worst:
        shown = ", ".join(f"{gap} in {wasted[gap]}" for gap in worst)
        lines.append(f"Gaps that waste most (free space in number of bins): {shown}.")
    return lines
