"""Every subset of types (up to three beyond eight types): cost-aware first fit, the best of all."""

from itertools import combinations

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


def first_fit(
    prices: list[int],
    loads: list[list[int | None]],
    slices: list[int],
    capacity: int,
    types: tuple[int, ...],
) -> Fleet | None:
    """Dearest slices first, each to the open GPU that serves it most cheaply; None if a bucket has none."""
    cost = [
        {t: load * prices[t] for t, load in enumerate(row) if t in types and load is not None}
        for row in loads
    ]
    if not all(cost):
        return None
    fleet: Fleet = []
    room: list[int] = []
    for b in sorted(range(len(slices)), key=lambda b: -min(cost[b].values())):
        for _ in range(slices[b]):
            fits = [
                g for g, (t, _contents) in enumerate(fleet) if t in cost[b] and (loads[b][t] or 0) <= room[g]
            ]
            if fits:
                g = min(fits, key=lambda g: cost[b][fleet[g][0]])
            else:
                g = len(fleet)
                fleet.append((min(cost[b], key=lambda t: cost[b][t]), []))
                room.append(capacity)
            fleet[g][1].append(b)
            room[g] -= loads[b][fleet[g][0]] or 0
    return fleet
