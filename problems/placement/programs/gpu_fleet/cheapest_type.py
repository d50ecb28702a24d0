"""Every slice on the type that serves it most cheaply; first fit decreasing within each type."""


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices)."""
    chosen = []
    for b in range(len(slices)):
        costs = [(load * prices[t], t) for t, load in enumerate(loads[b]) if load is not None]
        chosen.append(min(costs)[1])
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
