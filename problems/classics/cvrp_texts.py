"""What people and proposers read of capacitated routing: statements, names of programs, expressions."""

from __future__ import annotations

from ..base import Primitive

_ROUTES = """\
Node 0 is the depot, nodes 1 to n - 1 are customers; the symmetric distances are integers, Euclidean ones
rounded to the nearest (so the triangle inequality may fail by 1). Vehicles start at the depot, visit
customers and come back; every customer is on exactly one route, and the demands of a route add up to at most
the capacity. There are as many vehicles as wanted; the length of all routes together shall be as small as
possible."""

ROUTES = f"""{_ROUTES}
distances[a][b] is the distance of nodes a and b, coordinates[a] = [x, y] the place of a in the plane (the
list of coordinates is empty where distances are all there is), demands[a] the demand of customer a, an
integer from 1 to the capacity, and demands[0] = 0. Return the routes: a list of lists of customers in the
order of their visits, without the depot; no route is empty. The problem is NP-hard, and CPU
time is limited."""

CONSTRUCTIONS = (
    "nearest-neighbour",
    "farthest-start",
    "savings",
    "savings-best-shape",
    "sweep",
    "tour-split",
    "cheapest-insertion",
    "regret-insertion",
)
"""Programs that make routes and leave them."""

_CALL = '''def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """{title}."""
    made = start(coordinates, distances, demands, capacity)
    return improved(made, distances, demands, capacity{between})
'''

SEARCHES = {
    name: (start, _CALL.format(title=title, between=between))
    for name, start, title, between in (
        ("savings-2-opt", "savings", "Savings, then 2-opt within routes", ", between=False"),
        ("nearest-descent", "nearest-neighbour", "Nearest neighbour, then descents", ""),
        ("savings-descent", "savings", "Savings, then descents", ""),
    )
}
"""Name → the construction that a local search starts from, and the entry point's text."""

ROUTES_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("len(demands)", "", "number of nodes"),
        ("capacity", "", "capacity of a vehicle, units of demand"),
        ("demands[i]", "", "demand of customer i, units of demand"),
        ("sum(demands)", "", "demand of all customers, units of demand"),
        ("distances[i][j]", "", "distance of nodes i and j, units of length"),
        ("distances[0][i]", "", "distance of node i to the depot, units of length"),
        ("sum(distances[i])", "remoteness", "sum of the distances of node i, units of length"),
    )
)
