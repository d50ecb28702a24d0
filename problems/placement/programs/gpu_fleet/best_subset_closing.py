"""Best subset, then closing: empty the least filled GPU or trade it for a cheaper type (local search)."""

from itertools import combinations

from .first_fit import first_fit

Fleet = list[tuple[int, list[int]]]


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices)."""
    ends = [close(prices, loads, capacity, fleet) for fleet in fleets(prices, loads, slices, capacity)]
    return min(ends, key=lambda fleet: sum(prices[t] for t, _ in fleet))


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


def close(prices: list[int], loads: list[list[int | None]], capacity: int, fleet: Fleet) -> Fleet:
    """The fleet once no GPU can be emptied into the others or traded for a cheaper type."""
    fleet = [(t, list(contents)) for t, contents in fleet]
    while True:
        better = step(prices, loads, capacity, fleet)
        if better is None:
            return fleet
        fleet = better


def step(prices: list[int], loads: list[list[int | None]], capacity: int, fleet: Fleet) -> Fleet | None:
    """A cheaper fleet by one change, the least filled GPU first, or None."""

    def load(t: int, contents: list[int]) -> int:
        return sum(loads[b][t] or 0 for b in contents)

    for victim in sorted(range(len(fleet)), key=lambda g: load(*fleet[g])):
        t, contents = fleet[victim]
        others = [(s, list(rest)) for g, (s, rest) in enumerate(fleet) if g != victim]
        room = [capacity - load(s, rest) for s, rest in others]
        for b in sorted(contents, key=lambda b: -(loads[b][t] or 0)):
            fits = []
            for g, (s, _rest) in enumerate(others):
                size = loads[b][s]
                if size is not None and size <= room[g]:
                    fits.append((room[g] - size, g))
            if not fits:
                break
            left, g = min(fits)
            room[g] = left
            others[g][1].append(b)
        else:
            return others
        for s in sorted(range(len(prices)), key=lambda s: prices[s]):
            if prices[s] >= prices[t]:
                break
            if all(loads[b][s] is not None for b in contents) and load(s, contents) <= capacity:
                return [*others_of(fleet, victim), (s, contents)]
    return None


def others_of(fleet: Fleet, victim: int) -> Fleet:
    """The fleet without one GPU."""
    return [gpu for g, gpu in enumerate(fleet) if g != victim]
