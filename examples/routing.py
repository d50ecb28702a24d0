"""Vans with room for a few parcels leave a depot, visit all customers and come home; how far do they drive?

home[c] is the way between the depot and customer c in metres, distances[a][b] the way between two customers,
demands[c] the parcels of customer c. A list is the customers of one van in the order of its visits; their
parcels are at most capacity.

    gapsmith problems check examples/routing.py
    gapsmith run examples/routing.py --budget 60s
"""

from itertools import pairwise
from math import ceil, dist

import gapsmith as gs

problem = gs.problem("routing", minimise="metres", answer=gs.Partition("demands"))


@problem.instances(train=20, valid=20, test=40)
def town(rng, *, customers: int = 40, capacity: int = 40):
    """Customers anywhere in a square of 1,000 metres, 1 to 9 parcels each."""
    depot, *places = [(rng.randint(0, 1000), rng.randint(0, 1000)) for _ in range(customers + 1)]
    return {
        "home": [round(dist(depot, place)) for place in places],
        "distances": [[round(dist(one, other)) for other in places] for one in places],
        "demands": [rng.randint(1, 9) for _ in places],
        "capacity": capacity,
    }


@problem.heuristic
def nearest(home, distances, demands, capacity):
    """Again and again the nearest customer whose parcels still fit."""
    left, routes = set(range(len(demands))), []
    while left:
        ways, room, route = home, capacity, []
        while any(demands[c] <= room for c in left):
            here = min((c for c in sorted(left) if demands[c] <= room), key=lambda c: ways[c])
            left.remove(here)
            route.append(here)
            room -= demands[here]
            ways = distances[here]
        routes.append(route)
    return routes


@problem.heuristic
def savings(home, distances, demands, capacity):
    """Joins the ends of routes where that saves most (Clarke and Wright 1964)."""
    route = {c: [c] for c in range(len(demands))}
    pairs = [(a, b) for a in route for b in route if a < b]
    for a, b in sorted(pairs, key=lambda p: distances[p[0]][p[1]] - home[p[0]] - home[p[1]]):
        first, second = route[a], route[b]
        if first is second or sum(demands[c] for c in first + second) > capacity:
            continue
        if a not in (first[0], first[-1]) or b not in (second[0], second[-1]):
            continue
        if first[-1] != a:
            first.reverse()
        if second[0] != b:
            second.reverse()
        first.extend(second)
        route.update((c, first) for c in second)
    return list({id(one): one for one in route.values()}.values())


@problem.objective
def length(answer, home, distances, demands, capacity):
    """The length of all routes."""
    total = 0
    for route in answer:
        gs.require(sum(demands[c] for c in route) <= capacity, f"a van is too full: {route}")
        total += home[route[0]] + home[route[-1]]
        total += sum(distances[a][b] for a, b in pairwise(route))
    return total


@problem.reference
def two_bounds(home, distances, demands, capacity):
    """The two shortest ways of each customer and two for each van, halved; or parcels times their way."""
    ways = 2 * sorted(home)[: ceil(sum(demands) / capacity)]
    for c, row in enumerate(distances):
        ways += sorted([home[c], home[c], *row[:c], *row[c + 1 :]])[:2]
    full = ceil(2 * sum(home[c] * demands[c] for c in range(len(home))) / capacity)
    return gs.bound(max(ceil(sum(ways) / 2), full))
