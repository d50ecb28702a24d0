"""Dearest slices first, each to the open GPU that it leaves fullest; otherwise its cheapest type."""


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices)."""
    types = range(len(prices))

    def cost(b: int, t: int) -> float:
        load = loads[b][t]
        return float("inf") if load is None else load * prices[t] / capacity

    fleet: list[tuple[int, list[int]]] = []
    room: list[int] = []
    for b in sorted(range(len(slices)), key=lambda b: -min(cost(b, t) for t in types)):
        for _ in range(slices[b]):
            left = []
            for g, (t, _contents) in enumerate(fleet):
                load = loads[b][t]
                if load is not None and load <= room[g]:
                    left.append((room[g] - load, g))
            if left:
                g = min(left)[1]
            else:
                g = len(fleet)
                fleet.append((min(types, key=lambda t: cost(b, t)), []))
                room.append(capacity)
            fleet[g][1].append(b)
            room[g] -= loads[b][fleet[g][0]] or 0
    return fleet
