"""Pictures of tours and routes, and words on where their length arises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, pi, sin

from ..base import Drawing, Shape
from ..summaries import by_parts, plain

_SHOWN = 5


def picture(title: str, coordinates: Sequence[Sequence[float]], routes: Sequence[Sequence[int]]) -> Drawing:
    """Lines from node to node, one group for each route, and the nodes' numbers.

    Args:
        title: of the drawing.
        coordinates: of all nodes, moved where some are negative; nodes without them stand on a circle.
        routes: nodes in their order, the first one again at the end of a closed route.
    """
    count = 1 + max(node for route in routes for node in route)
    circle = [(cos(2 * pi * node / count), sin(2 * pi * node / count)) for node in range(count)]
    low = [min(0, *column) for column in zip(*(coordinates or circle), strict=True)]
    points = [(x - low[0], y - low[1]) for x, y in coordinates or circle]
    shapes = []
    for number, route in enumerate(routes):
        group = f"route {number}" if len(routes) > 1 else "tour"
        for a, b in pairwise(route):
            (x, y), (u, v) = points[a], points[b]
            shapes.append(Shape("line", x, y, u - x, v - y, "", group))
    shapes += [Shape("label", x, y, text=str(node)) for node, (x, y) in enumerate(points)]
    return Drawing(title, "x (units of length)", "y (units of length)", tuple(shapes))


def steps(distances: Sequence[Sequence[int]], route: Sequence[int]) -> str:
    """How the length of a route spreads over its steps, and its longest steps."""
    lengths = [distances[a][b] for a, b in pairwise(route)]
    ranks = [sorted(distances[a]).index(distances[a][b]) for a, b in pairwise(route)]
    near = ", ".join(f"{sum(rank <= k for rank in ranks)} to the {k} nearest" for k in (1, 3, 5, 10))
    longest = sorted(range(len(lengths)), key=lambda k: -lengths[k])[:_SHOWN]
    shown = "; ".join(
        f"step {k + 1} from {route[k]} to {route[k + 1]}: {lengths[k]} (node {ranks[k]} by distance)"
        for k in longest
    )
    return (
        f"{len(lengths)} steps, mean {plain(sum(lengths) / len(lengths))}; of them {near} of all nodes.\n"
        f"Length by fifths of the route: {by_parts(lengths)}.\nLongest steps: {shown}."
    )
