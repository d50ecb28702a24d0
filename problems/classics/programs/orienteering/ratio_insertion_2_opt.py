"""Insertion from the depot, 2-opt, and insertion again, as long as something comes in."""

from .insertion import inserted
from .shortening import shortened


def tour(
    coordinates: list[list[int]], distances: list[list[int]], prizes: list[int], max_length: int
) -> list[int]:
    """Largest prize for the detour, at the best place."""
    nodes, count = inserted([], distances, prizes, max_length, 1.0), -1
    while len(nodes) > count:
        count = len(nodes)
        nodes = inserted(shortened(nodes, distances), distances, prizes, max_length, 1.0)
    return nodes
