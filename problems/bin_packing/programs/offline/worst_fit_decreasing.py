"""Worst fit decreasing: largest item first, into the emptiest bin, if that holds it."""

import heapq


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    emptiest: list[tuple[int, int]] = []
    bins = [0] * len(sizes)
    for j in sorted(range(len(sizes)), key=lambda j: -sizes[j]):
        if emptiest and -emptiest[0][0] >= sizes[j]:
            residual, index = emptiest[0]
            heapq.heapreplace(emptiest, (residual + sizes[j], index))
        else:
            index = len(emptiest)
            heapq.heappush(emptiest, (sizes[j] - capacity, index))
        bins[j] = index
    return bins
