"""Lower bounds on the number of bins in integer arithmetic, each verifiable without a solver.

Items are counts: size → number of items (units of size, all sizes between 1 and the capacity).
"""

from __future__ import annotations

from collections.abc import Mapping

Counts = Mapping[int, int]


def volume_bound(counts: Counts, capacity: int) -> int:
    """L1 (bins): total size over capacity, rounded up."""
    return -(-sum(size * count for size, count in counts.items()) // capacity)


def martello_toth_bound(counts: Counts, capacity: int) -> int:
    """L2 (bins): the best over thresholds K of bins for items > C − K and > C/2, and what the rest overflows.

    S. Martello, P. Toth, "Lower bounds and reduction procedures for the bin packing problem", Discrete
    Applied Mathematics 28 (1990) 59–70.
    """
    sizes = sorted(counts)
    best = volume_bound(counts, capacity)
    for threshold in [0, *(size for size in sizes if 2 * size <= capacity)]:
        alone = sum(counts[s] for s in sizes if s > capacity - threshold)
        large = [s for s in sizes if 2 * s > capacity and s <= capacity - threshold]
        small = sum(s * counts[s] for s in sizes if threshold <= s and 2 * s <= capacity)
        number = sum(counts[s] for s in large)
        room = number * capacity - sum(s * counts[s] for s in large)
        best = max(best, alone + number + max(0, -(-(small - room) // capacity)))
    return best


def weight_bound(counts: Counts, capacity: int, weights: Mapping[int, int]) -> int:
    """Dual bound (bins): total weight over the largest weight that fits one bin, rounded up.

    Valid for all non-negative integer weights, since no bin can carry more than the optimum of the bounded
    knapsack. Dual of P. C. Gilmore, R. E. Gomory, Operations Research 9 (1961) 849–859.

    Args:
        counts: size → number of items.
        capacity: of every bin (units of size).
        weights: size → weight (integer ≥ 0); missing sizes weigh 0.

    Raises:
        ValueError: a weight is negative or all are 0.
    """
    if any(weight < 0 for weight in weights.values()):
        raise ValueError("weights: got a negative weight, expected integers >= 0")
    heaviest = knapsack(counts, capacity, weights)
    if heaviest == 0:
        raise ValueError("weights: got only zeros for these items, expected a positive weight")
    return -(-sum(weights.get(size, 0) * count for size, count in counts.items()) // heaviest)


def knapsack(counts: Counts, capacity: int, weights: Mapping[int, int]) -> int:
    """Largest total weight (integer ≥ 0) of items that fit one bin together, by dynamic programming."""
    best = [0] * (capacity + 1)
    for size, count in counts.items():
        weight = weights.get(size, 0)
        if weight == 0:
            continue
        for copies in copies_in_binary(min(count, capacity // size)):
            space = copies * size
            gain = copies * weight
            for room in range(capacity, space - 1, -1):
                candidate = best[room - space] + gain
                if candidate > best[room]:
                    best[room] = candidate
    return best[capacity]


def copies_in_binary(count: int) -> list[int]:
    """Integers 1, 2, 4, … and a remainder, whose subset sums are exactly 0 to `count`."""
    parts = []
    power = 1
    while count > 0:
        parts.append(min(power, count))
        count -= power
        power *= 2
    return parts
