"""Sweep (Gillett and Miller 1974): customers by their angles, a new vehicle when one is full; every start."""

from itertools import pairwise
from math import atan2


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """The shortest of all starts after 2-opt of each route; without coordinates in number order."""
    places = coordinates or [[0, 0]] * len(demands)
    (x, y), customers = places[0], list(range(1, len(demands)))
    customers.sort(key=lambda c: atan2(places[c][1] - y, places[c][0] - x))
    best: list[list[int]] = []
    for start in range(len(customers)):
        made = swept(customers[start:] + customers[:start], demands, capacity)
        made = [reversals(route, distances) for route in made]
        if not best or total(made, distances) < total(best, distances):
            best = made
    return best


def swept(order: list[int], demands: list[int], capacity: int) -> list[list[int]]:
    """Routes of customers in this order, each as long as it fits."""
    made: list[list[int]] = []
    room = 0
    for customer in order:
        if demands[customer] > room:
            made.append([])
            room = capacity
        made[-1].append(customer)
        room -= demands[customer]
    return made


def reversals(route: list[int], distances: list[list[int]]) -> list[int]:
    """Parts of the route turned round where that shortens it, until nothing does."""
    better = True
    while better:
        better = False
        for i in range(len(route)):
            for k in range(i + 1, len(route)):
                before, after = (route[i - 1] if i else 0), (route[k + 1] if k + 1 < len(route) else 0)
                new = distances[before][route[k]] + distances[route[i]][after]
                if new < distances[before][route[i]] + distances[route[k]][after]:
                    route[i : k + 1] = route[i : k + 1][::-1]
                    better = True
    return route


def total(made: list[list[int]], distances: list[list[int]]) -> int:
    """Length of all routes."""
    return sum(distances[a][b] for route in made for a, b in pairwise([0, *route, 0]))
