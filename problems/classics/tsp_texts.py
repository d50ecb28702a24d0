"""What people and proposers read of the travelling salesman: statements, names of programs, expressions."""

from __future__ import annotations

from ..base import Primitive

_NODES = """\
n nodes are numbered from 0; the symmetric distances are integers, Euclidean ones rounded to the nearest (so
the triangle inequality may fail by 1). A tour visits every node once and goes back to its first node; its
length shall be as small as possible."""

TOUR = f"""{_NODES}
distances[a][b] is the distance of nodes a and b, coordinates[a] = [x, y] the place of a in the plane; the
list of coordinates is empty where distances are all there is. Return a permutation of the nodes 0 to n - 1;
the way back is not written out. The problem is NP-hard, and CPU time is limited."""

CONSTRUCTIONS = (
    "nearest-neighbour",
    "nearest-neighbour-best-start",
    "greedy-edge",
    "savings",
    "farthest-insertion",
    "nearest-insertion",
    "cheapest-insertion",
    "insertion-in-number-order",
)
"""Programs that make a tour and leave it."""

_CALL = '''def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """{title}."""
    return {expression}
'''
_START = "start(coordinates, distances)"

SEARCHES = {
    name: (start, _CALL.format(title=title, expression=expression))
    for name, start, title, expression in (
        (
            "nearest-2-opt",
            "nearest-neighbour",
            "Nearest neighbour, then 2-opt",
            f"improved({_START}, distances, ())",
        ),
        (
            "nearest-2-opt-or-opt",
            "nearest-neighbour",
            "Nearest neighbour, then 2-opt and Or-opt",
            f"improved({_START}, distances, (1, 2, 3))",
        ),
        (
            "greedy-2-opt-or-opt",
            "greedy-edge",
            "Greedy edges, then 2-opt and Or-opt",
            f"improved({_START}, distances, (1, 2, 3))",
        ),
        (
            "savings-2-opt-or-opt",
            "savings",
            "Savings, then 2-opt and Or-opt",
            f"improved({_START}, distances, (1, 2, 3))",
        ),
        (
            "double-bridges",
            "nearest-neighbour",
            "2-opt and Or-opt, then up to 50 double bridges with descents",
            f"kicked(improved({_START}, distances, (1, 2, 3)), distances)",
        ),
    )
}
"""Name → the construction that a local search starts from, and the entry point's text."""

TOUR_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("len(distances)", "", "number of nodes"),
        ("distances[i][j]", "", "distance of nodes i and j, units of length"),
        ("sum(distances[i])", "remoteness", "sum of the distances of node i, units of length"),
        ("max(distances[i])", "", "distance of node i to the farthest node, units of length"),
        ("distances[0][i]", "", "distance of node i to node 0, units of length"),
    )
)
