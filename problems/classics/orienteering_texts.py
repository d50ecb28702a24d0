"""What people and proposers read of orienteering: statements, names of programs, expressions."""

from __future__ import annotations

from ..base import Primitive

_NODES = """\
n nodes are numbered from 0, the depot; node j has a prize (an integer from 0; the depot's counts for every
tour and is 0 but in some users' files), and the symmetric distances are integers, Euclidean ones rounded to
the nearest (so the triangle inequality may fail by 1). A tour begins at the depot, visits some other nodes,
each at most once, and goes back to the depot; its length, the way back included, may be at most a given
limit. The sum of the prizes of its nodes shall be as large as possible."""

TOUR = f"""{_NODES}
distances[a][b] is the distance of nodes a and b, prizes[a] the prize of a, max_length the limit,
coordinates[a] = [x, y] the place of a in the plane; the list of coordinates is empty where distances are all
there is. Return the list of the nodes after the depot in their order, without the depot; an empty list is
feasible. The problem is NP-hard, and CPU time is limited."""

SELECT = f"""{_NODES}
A fixed loop makes a tour from the depot: it calls select_next_node(...) and goes to the node that is
returned, until there is no node from which the way back fits any more. current_node is where the tour
stands, depot where it ends (node 0); unvisited_nodes is an array of the nodes left that fit (integers): the
way there and from there back to the depot is at most rest_length, the limit less the length so far. The
nearest to current_node comes first, of equally near ones the lowest number. prizes[a] is the prize of node
a, distance_matrix[a, b] the distance of nodes a and b (floats), visited nodes included. Return one of
unvisited_nodes. numpy is `np`."""

WHOLE_PROGRAMS = (
    "nearest-feasible",
    "prize-per-distance",
    "prize-per-distance-insertion",
    "ratio-insertion",
    "ratio-insertion-2-opt",
    "best-power-insertion",
)
RULE_PROGRAMS = ("nearest-feasible", "prize-per-distance")

TOUR_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("len(prizes)", "", "number of nodes"),
        ("max_length", "", "limit of the length, units of length"),
        ("prizes[j]", "prize", "prize of node j"),
        ("distances[i][j]", "", "distance of nodes i and j, units of length"),
        ("distances[0][j]", "way_back", "distance of node j to the depot, units of length"),
        ("sum(distances[j])", "remoteness", "sum of the distances of node j, units of length"),
    )
)

SELECT_PRIMITIVES = (
    Primitive("unvisited_nodes[0]", "number", "the nearest node", "nearest"),
    Primitive("len(unvisited_nodes)", "number", "nodes that fit", "nodes_left"),
    Primitive("rest_length", "number", "length that is left, with the way back"),
    Primitive("prizes[unvisited_nodes]", "vector", "prizes of the nodes that fit", "prize"),
    Primitive(
        "distance_matrix[current_node, unvisited_nodes]", "vector", "distances to the nodes that fit", "near"
    ),
    Primitive("distance_matrix[depot, unvisited_nodes]", "vector", "ways back to the depot", "way_back"),
    Primitive(
        "distance_matrix[current_node, unvisited_nodes] + distance_matrix[depot, unvisited_nodes] "
        "- distance_matrix[current_node, depot]",
        "vector",
        "how much longer the tour becomes if it goes back from there",
        "detour",
    ),
    Primitive(
        "rest_length - distance_matrix[current_node, unvisited_nodes] "
        "- distance_matrix[depot, unvisited_nodes]",
        "vector",
        "length that is left after the way there and back",
        "slack",
    ),
    Primitive(
        "distance_matrix[np.ix_(unvisited_nodes, unvisited_nodes)].mean(axis=1)",
        "vector",
        "mean distances of the nodes that fit to each other",
        "remoteness",
    ),
    Primitive(
        "(prizes[unvisited_nodes] / (1 + distance_matrix[np.ix_(unvisited_nodes, unvisited_nodes)]))"
        ".sum(axis=1)",
        "vector",
        "prizes around a node, each divided by its distance",
        "attraction",
    ),
    Primitive("distance_matrix.mean()", "number", "mean of all distances", "mean_distance"),
)
