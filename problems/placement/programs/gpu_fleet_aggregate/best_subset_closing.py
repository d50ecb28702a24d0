"""Best subset, then closing: give up a GPU and spread its slices where capacity is spare (local search)."""

from itertools import combinations

from .price import price


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[list[int]]:
    """Slices of each bucket on each type."""
    ends = [close(prices, loads, capacity, split) for split in splits(prices, loads, slices)]
    return min(ends, key=lambda split: price(prices, loads, capacity, split))


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


def close(
    prices: list[int], loads: list[list[int | None]], capacity: int, split: list[list[int]]
) -> list[list[int]]:
    """The split once no GPU can be given up."""
    while True:
        for t in sorted(range(len(prices)), key=lambda t: -prices[t]):
            better = without_one(prices, loads, capacity, split, t)
            if better is not None:
                split = better
                break
        else:
            return split


def without_one(
    prices: list[int], loads: list[list[int | None]], capacity: int, split: list[list[int]], t: int
) -> list[list[int]] | None:
    """The split with one GPU less of a type, its slices where capacity is spare, or None."""
    kinds = range(len(prices))
    load = [sum(row[s] * (loads[b][s] or 0) for b, row in enumerate(split)) for s in kinds]
    spare = [-(-load[s] // capacity) * capacity - load[s] for s in kinds]
    over = load[t] - (-(-load[t] // capacity) - 1) * capacity
    if load[t] == 0:
        return None
    found = [list(row) for row in split]
    while over > 0:
        moves = []
        for b, row in enumerate(found):
            here = loads[b][t]
            if row[t] == 0 or here is None:
                continue
            for s in kinds:
                there = loads[b][s]
                if s != t and there is not None and there <= spare[s]:
                    moves.append((there * prices[s] / (min(here, over) * prices[t]), b, s))
        if not moves:
            return None
        _, b, s = min(moves)
        found[b][t] -= 1
        found[b][s] += 1
        over -= loads[b][t] or 0
        spare[s] -= loads[b][s] or 0
    return found
