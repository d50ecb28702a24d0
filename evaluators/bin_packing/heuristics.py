"""Upper bounds: decreasing rules on counts of sizes, fast for many equal items."""

from __future__ import annotations

from collections.abc import Mapping

Pattern = tuple[int, ...]
"""Sizes of the items in one bin, in falling order (units of size)."""


def best_fit_decreasing(counts: Mapping[int, int], capacity: int) -> list[Pattern]:
    """Bins of best fit decreasing: largest item first, into the fullest bin that holds it."""
    by_gap: dict[int, list[list[int]]] = {}
    bins: list[list[int]] = []
    for size in sorted(counts, reverse=True):
        for _ in range(counts[size]):
            gap = min((g for g, waiting in by_gap.items() if g >= size and waiting), default=None)
            if gap is None:
                gap = capacity
                bins.append([])
                chosen = bins[-1]
            else:
                chosen = by_gap[gap].pop()
            chosen.append(size)
            by_gap.setdefault(gap - size, []).append(chosen)
    return [tuple(content) for content in bins]


def first_fit_decreasing(counts: Mapping[int, int], capacity: int) -> list[Pattern]:
    """Bins of first fit decreasing; for items of one size, the search resumes at the last bin used."""
    residuals: list[int] = []
    bins: list[list[int]] = []
    for size in sorted(counts, reverse=True):
        left = counts[size]
        index = 0
        while left:
            if index == len(bins):
                bins.append([])
                residuals.append(capacity)
            fit = min(left, residuals[index] // size)
            bins[index] += [size] * fit
            residuals[index] -= fit * size
            left -= fit
            index += 1
    return [tuple(content) for content in bins]


def best_decreasing(counts: Mapping[int, int], capacity: int) -> list[Pattern]:
    """The better of best fit and first fit decreasing."""
    best = best_fit_decreasing(counts, capacity)
    first = first_fit_decreasing(counts, capacity)
    return best if len(best) <= len(first) else first
