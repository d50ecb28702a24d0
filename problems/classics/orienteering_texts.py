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

WHOLE_PROGRAMS = (
    "nearest-feasible",
    "prize-per-distance",
    "prize-per-distance-insertion",
    "ratio-insertion",
    "ratio-insertion-2-opt",
    "best-power-insertion",
)

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
