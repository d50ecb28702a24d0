"""Each vehicle begins at the farthest customer left, then always goes to the nearest one that fits."""


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """A vehicle goes home when nobody left fits."""
    left = set(range(1, len(demands)))
    made = []
    while left:
        here = max(left, key=distances[0].__getitem__)
        route, room = [here], capacity - demands[here]
        left.remove(here)
        while offered := [customer for customer in left if demands[customer] <= room]:
            here = min(offered, key=distances[here].__getitem__)
            route.append(here)
            left.remove(here)
            room -= demands[here]
        made.append(route)
    return made
