"""Savings with the best of fifteen shapes (Gaskell 1967, Yellow 1970)."""

from itertools import pairwise

from .savings import joined


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """The shortest of all shapes from 0.5 to 1.9."""
    made = [joined(distances, demands, capacity, tenths / 10) for tenths in range(5, 20)]
    return min(made, key=lambda routes: sum(length(route, distances) for route in routes))


def length(route: list[int], distances: list[list[int]]) -> int:
    """Of a route with its ways from and to the depot."""
    return sum(distances[a][b] for a, b in pairwise([0, *route, 0]))
