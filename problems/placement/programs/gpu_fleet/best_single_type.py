"""One type for everything, the cheapest that can serve it all; first fit decreasing."""


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices); mixes types only where no type serves every bucket."""
    fleets = [first_fit(loads, slices, capacity, [t]) for t in range(len(prices))]
    found = [fleet for fleet in fleets if fleet is not None]
    if not found:
        mixed = first_fit(loads, slices, capacity, list(range(len(prices))))
        found = [] if mixed is None else [mixed]
    return min(found, key=lambda fleet: sum(prices[t] for t, _ in fleet))


def first_fit(
    loads: list[list[int | None]], slices: list[int], capacity: int, types: list[int]
) -> list[tuple[int, list[int]]] | None:
    """GPUs when each bucket goes on the first of these types that serves it, or None if none does."""
    chosen = []
    for row in loads:
        able = [t for t in types if row[t] is not None]
        if not able:
            return None
        chosen.append(able[0])
    fleet: list[tuple[int, list[int]]] = []
    room: list[int] = []
    for b in sorted(range(len(slices)), key=lambda b: -(loads[b][chosen[b]] or 0)):
        load = loads[b][chosen[b]] or 0
        for _ in range(slices[b]):
            fits = [g for g in range(len(fleet)) if fleet[g][0] == chosen[b] and room[g] >= load]
            if fits:
                g = fits[0]
            else:
                g = len(fleet)
                fleet.append((chosen[b], []))
                room.append(capacity)
            fleet[g][1].append(b)
            room[g] -= load
    return fleet
