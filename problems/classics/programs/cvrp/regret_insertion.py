"""Regret insertion (Potvin and Rousseau 1993): the customer whose second best route costs most more."""

from itertools import pairwise


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """Grows from the fewest routes possible, begun at customers far from the depot and from each other."""
    made = [[customer] for customer in far_apart(distances, -(-sum(demands) // capacity))]
    left = set(range(1, len(demands))) - {route[0] for route in made}
    while left:
        room = [capacity - sum(demands[customer] for customer in route) for route in made]
        offers = {
            customer: sorted(
                min(
                    (distances[a][customer] + distances[customer][b] - distances[a][b], number, place)
                    for place, (a, b) in enumerate(pairwise([0, *route, 0]))
                )
                for number, route in enumerate([*made, []])
                if number == len(made) or demands[customer] <= room[number]
            )
            for customer in left
        }
        customer = max(left, key=lambda c: offers[c][min(1, len(offers[c]) - 1)][0] - offers[c][0][0])
        _, number, place = offers[customer][0]
        if number == len(made):
            made.append([])
        made[number].insert(place, customer)
        left.remove(customer)
    return made


def far_apart(distances: list[list[int]], count: int) -> list[int]:
    """Customers, each the farthest from the depot and from those before it."""
    chosen: list[int] = []
    away = list(distances[0])
    while len(chosen) < min(count, len(distances) - 1):
        left = [customer for customer in range(1, len(distances)) if customer not in chosen]
        chosen.append(max(left, key=away.__getitem__))
        away = list(map(min, away, distances[chosen[-1]]))
    return chosen
