"""Descents over routes; stands at the end of every program that improves routes."""

from itertools import pairwise


def improved(
    routes: list[list[int]],
    distances: list[list[int]],
    demands: list[int],
    capacity: int,
    between: bool = True,
) -> list[list[int]]:
    """First improvements within routes, and between them, until there is none; empty routes leave."""
    better = True
    while better:
        better = sum(reversal(route, distances) for route in routes) > 0
        if not between:
            continue
        better = relocation(routes, distances, demands, capacity) or better
        better = exchange(routes, distances, demands, capacity) or better
        better = crossing(routes, distances, demands, capacity) or better
        routes = [route for route in routes if route]
    return routes


def reversal(route: list[int], distances: list[list[int]]) -> bool:
    """Turns parts of a route round (2-opt) where that shortens it; whether it did."""
    better = False
    for i in range(len(route)):
        for k in range(i + 1, len(route)):
            a, d = (route[i - 1] if i else 0), (route[k + 1] if k + 1 < len(route) else 0)
            if (
                distances[a][route[k]] + distances[route[i]][d]
                < distances[a][route[i]] + distances[route[k]][d]
            ):
                route[i : k + 1] = route[i : k + 1][::-1]
                better = True
    return better


def relocation(
    routes: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> bool:
    """Moves customers to the place where the routes grow least, if that is better; whether it did."""
    better = False
    for customer in sorted(customer for route in routes for customer in route):
        home = next(route for route in routes if customer in route)
        place = home.index(customer)
        rest = home[:place] + home[place + 1 :]
        a, b = (home[place - 1] if place else 0), (home[place + 1] if place + 1 < len(home) else 0)
        gain = distances[a][customer] + distances[customer][b] - distances[a][b]
        offers = []
        for number, route in enumerate(routes):
            if route is home or sum(demands[c] for c in route) + demands[customer] <= capacity:
                path = [0, *(rest if route is home else route), 0]
                row = distances[customer]
                offers += [
                    (row[p] + row[q] - distances[p][q], number, k) for k, (p, q) in enumerate(pairwise(path))
                ]
        growth, number, k = min(offers)
        if growth < gain:
            del home[place]
            routes[number].insert(k, customer)
            better = True
    return better


def exchange(routes: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int) -> bool:
    """Exchanges two customers of different routes where that shortens them; whether it did."""
    better = False
    for number, first in enumerate(routes):
        for second in routes[:number]:
            room = [capacity - sum(demands[c] for c in route) for route in (first, second)]
            for i in range(len(first)):
                for k in range(len(second)):
                    c, e = first[i], second[k]
                    more = demands[e] - demands[c]
                    a, b = (first[i - 1] if i else 0), (first[i + 1] if i + 1 < len(first) else 0)
                    p, q = (second[k - 1] if k else 0), (second[k + 1] if k + 1 < len(second) else 0)
                    old = distances[a][c] + distances[c][b] + distances[p][e] + distances[e][q]
                    new = distances[a][e] + distances[e][b] + distances[p][c] + distances[c][q]
                    if new < old and -room[1] <= more <= room[0]:
                        first[i], second[k] = e, c
                        room = [room[0] - more, room[1] + more]
                        better = True
    return better


def crossing(routes: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int) -> bool:
    """Exchanges the ends of two routes (2-opt*), either of them turned round too; whether it did."""
    for number, first in enumerate(routes):
        for other in range(number):
            for second in (routes[other], routes[other][::-1]):
                loads = [0]
                for customer in second:
                    loads.append(loads[-1] + demands[customer])
                load = 0
                rest = sum(demands[c] for c in first)
                for i in range(len(first) + 1):
                    load += demands[first[i - 1]] if i else 0
                    a, b = (first[i - 1] if i else 0), (first[i] if i < len(first) else 0)
                    for k in range(len(second) + 1):
                        p, q = (second[k - 1] if k else 0), (second[k] if k < len(second) else 0)
                        if (
                            distances[a][q] + distances[p][b] < distances[a][b] + distances[p][q]
                            and load + loads[-1] - loads[k] <= capacity
                            and loads[k] + rest - load <= capacity
                        ):
                            routes[number], routes[other] = first[:i] + second[k:], second[:k] + first[i:]
                            return True
    return False
