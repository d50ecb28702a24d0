"""Every subset of types (up to three beyond eight types): cost-aware first fit, the best of all."""

from itertools import combinations

from .first_fit import first_fit

Fleet = list[tuple[int, list[int]]]


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices)."""
    return min(fleets(prices, loads, slices, capacity), key=lambda fleet: sum(prices[t] for t, _ in fleet))


def fleets(prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int) -> list[Fleet]:
    """What cost-aware first fit makes of every subset of types that serves all buckets."""
    count = len(prices)
    found = []
    for size in range(1, (count if count <= 8 else 3) + 1):
        for types in combinations(range(count), size):
            fleet = first_fit(prices, loads, slices, capacity, types)
            if fleet is not None:
                found.append(fleet)
    return found
