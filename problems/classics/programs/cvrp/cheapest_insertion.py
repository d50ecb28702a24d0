"""Parallel cheapest insertion: the customer that lengthens the routes least, a new route among its places."""

from itertools import pairwise


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """Grows from nothing."""
    left = set(range(1, len(demands)))
    made: list[list[int]] = []
    while left:
        room = [capacity - sum(demands[customer] for customer in route) for route in made]
        _, customer, number, place = min(
            (distances[a][customer] + distances[customer][b] - distances[a][b], customer, number, place)
            for customer in left
            for number, route in enumerate([*made, []])
            if number == len(made) or demands[customer] <= room[number]
            for place, (a, b) in enumerate(pairwise([0, *route, 0]))
        )
        if number == len(made):
            made.append([])
        made[number].insert(place, customer)
        left.remove(customer)
    return made
