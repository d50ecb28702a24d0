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

SELECT = f"""{_NODES}
A fixed loop makes a tour from node 0: it calls select_next_node(...) and goes to the node that is returned,
until one node is left, which comes last. current_node is where the tour stands, destination_node where it
ends (node 0); unvisited_nodes is an array of the nodes left (integers), the nearest to current_node first,
of equally near ones the lowest number; distance_matrix[a, b] is the distance of nodes a and b (floats),
visited nodes included. Return one of unvisited_nodes. numpy is `np`."""

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

SELECT_PRIMITIVES = (
    Primitive("unvisited_nodes[0]", "number", "the nearest node", "nearest"),
    Primitive("len(unvisited_nodes)", "number", "nodes left", "nodes_left"),
    Primitive(
        "distance_matrix[current_node, unvisited_nodes]", "vector", "distances to the nodes left", "near"
    ),
    Primitive(
        "distance_matrix[destination_node, unvisited_nodes]", "vector", "distances to the end", "to_end"
    ),
    Primitive(
        "distance_matrix[np.ix_(unvisited_nodes, unvisited_nodes)].mean(axis=1)",
        "vector",
        "mean distances of the nodes left to each other",
        "remoteness",
    ),
    Primitive(
        "np.sort(distance_matrix[np.ix_(unvisited_nodes, unvisited_nodes)], axis=1)[:, 1]",
        "vector",
        "distance of each node left to its nearest other",
        "isolation",
    ),
    Primitive("distance_matrix.mean()", "number", "mean of all distances", "mean_distance"),
)
