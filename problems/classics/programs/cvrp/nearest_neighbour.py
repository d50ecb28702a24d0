"""Nearest neighbour: again and again the nearest customer whose demand still fits."""


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """A vehicle goes home when nobody left fits."""
    left = set(range(1, len(demands)))
    made = []
    while left:
        route, here, room = [], 0, capacity
        while offered := [customer for customer in left if demands[customer] <= room]:
            here = min(offered, key=distances[here].__getitem__)
            route.append(here)
            left.remove(here)
            room -= demands[here]
        made.append(route)
    return made
