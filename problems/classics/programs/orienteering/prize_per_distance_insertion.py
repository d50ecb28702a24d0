"""Largest prize for the way there, then 2-opt and insertion, as long as something comes in."""

from .insertion import inserted
from .shortening import shortened


def tour(
    coordinates: list[list[int]], distances: list[list[int]], prizes: list[int], max_length: int
) -> list[int]:
    """Nodes one after the other, as long as the way back fits, then insertions."""
    nodes, here, rest = list[int](), 0, max_length
    left = set(range(1, len(prizes)))
    while fits := [j for j in left if distances[here][j] + distances[j][0] <= rest]:
        node = max(fits, key=lambda j: prizes[j] / (1 + distances[here][j]))
        nodes.append(node)
        left.remove(node)
        rest -= distances[here][node]
        here = node
    count = -1
    while len(nodes) > count:
        count = len(nodes)
        nodes = inserted(shortened(nodes, distances), distances, prizes, max_length, 1.0)
    return nodes
