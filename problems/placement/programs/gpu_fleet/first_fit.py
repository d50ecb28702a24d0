"""Slices to GPUs of some types."""

Fleet = list[tuple[int, list[int]]]


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
