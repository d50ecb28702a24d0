"""Dearest slices first, each to the open GPU that serves it most cheaply; otherwise its cheapest type."""


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices)."""
    types = range(len(prices))

    def cost(b: int, t: int) -> float:
        load = loads[b][t]
        return float("inf") if load is None else load * prices[t] / capacity

    def key(b: int) -> float:
        return min(cost(b, t) for t in types)

    fleet: list[tuple[int, list[int]]] = []
    room: list[int] = []
    for b in sorted(range(len(slices)), key=key, reverse=True):
        for _ in range(slices[b]):
            best = None
            lowest = 0.0
            for g in range(len(fleet)):
                t = fleet[g][0]
                load = loads[b][t]
                if load is not None and load <= room[g]:
                    score = cost(b, t)
                    if best is None or score < lowest:
                        best = g
                        lowest = score
            if best is None:
                t = min(types, key=lambda t: cost(b, t))
                best = len(fleet)
                fleet.append((t, []))
                room.append(capacity)
            fleet[best][1].append(b)
            room[best] -= loads[b][fleet[best][0]] or 0
    return fleet
