"""Insertion from the depot with 2-opt, the prize to six powers; the best of the six tours."""

from .insertion import inserted
from .shortening import shortened

POWERS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)


def tour(
    coordinates: list[list[int]], distances: list[list[int]], prizes: list[int], max_length: int
) -> list[int]:
    """The tour with the largest prize, of equal ones the first."""
    tours = []
    for power in POWERS:
        nodes, count = inserted([], distances, prizes, max_length, power), -1
        while len(nodes) > count:
            count = len(nodes)
            nodes = inserted(shortened(nodes, distances), distances, prizes, max_length, power)
        tours.append(nodes)
    return max(tours, key=lambda nodes: sum(prizes[j] for j in nodes))
