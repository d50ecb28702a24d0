"""Every subset of types (up to three beyond ten types), the cheapest type inside; the best of all."""

from itertools import combinations

from .price import price


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[list[int]]:
    """Slices of each bucket on each type."""
    return min(splits(prices, loads, slices), key=lambda split: price(prices, loads, capacity, split))


def splits(prices: list[int], loads: list[list[int | None]], slices: list[int]) -> list[list[list[int]]]:
    """Each bucket whole on the cheapest type of a subset, for every subset that serves all buckets."""
    count = len(prices)
    found = []
    for size in range(1, (count if count <= 10 else 3) + 1):
        for types in combinations(range(count), size):
            split = []
            for b, row in enumerate(loads):
                costs = [
                    (load * prices[t], t) for t, load in enumerate(row) if t in types and load is not None
                ]
                if not costs:
                    break
                best = min(costs)[1]
                split.append([slices[b] if t == best else 0 for t in range(count)])
            else:
                found.append(split)
    return found
