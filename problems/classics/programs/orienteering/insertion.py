"""Insertion of nodes into a tour; stands at the end of every program that inserts nodes."""


def inserted(
    nodes: list[int], distances: list[list[int]], prizes: list[int], max_length: int, power: float
) -> list[int]:
    """Always the node with the largest prize (to this power) for its detour, at its best place."""
    stops = [0, *nodes, 0]
    rest = max_length - sum(distances[stops[k - 1]][stops[k]] for k in range(1, len(stops)))
    left = set(range(1, len(prizes))) - set(nodes)
    while left:
        best, rating, growth, place = 0, -1.0, 0, 0
        for j in left:
            row = distances[j]
            detour, k = min(
                (row[stops[k - 1]] + row[stops[k]] - distances[stops[k - 1]][stops[k]], k)
                for k in range(1, len(stops))
            )
            value = prizes[j] ** power / max(1, detour)
            if detour <= rest and (value, -j) > (rating, -best):
                best, rating, growth, place = j, value, detour, k
        if not best:
            break
        stops.insert(place, best)
        left.remove(best)
        rest -= growth
    return stops[1:-1]
