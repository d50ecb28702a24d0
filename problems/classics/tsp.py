"""The travelling salesman: minimise the length of a closed tour."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Sense, Verdict
from ..faults import objective_of, permutation_fault
from ..programs import ShipsMoves, program, programs
from ..strata import Cell, Draw
from . import distances, routes, tsplib
from . import tsp_texts as texts
from .reads_nodes import ReadsNodes

SIDE = 10_000
"""Of the square in which the nodes lie (units of length)."""


def draw_nodes(count: int, place: distances.Place, stream: random.Random) -> Draw:
    """Nodes of the plane with their distances."""
    points = place(stream, count, SIDE)
    return Draw({"coordinates": points, "distances": distances.distances(points)}, 1)


def _cell(count: int, place: distances.Place) -> Cell:
    return Cell(f"{place.__name__} {count}", partial(draw_nodes, count, place))


CELLS = tuple(
    _cell(count, place) for count in (50, 100) for place in (distances.uniform, distances.clustered)
)
PEERS = "literature-50"
_SETS = {
    PEERS: "the first 100 of the 1,000 uniform instances of 50 nodes on which MCTS-AHD tests "
    "construction rules (the task `tsp_constructive`)",
}


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with the length of the closed tour iff the answer is a permutation of the nodes; exact."""
    matrix = public["distances"]
    if fault := permutation_fault(answer, len(matrix), "node"):
        more = isinstance(answer, list) and len(answer) == len(matrix) + 1 and answer[0] == answer[-1]
        return Verdict.invalid(fault + "; the way back to the first node is not written out" * more)
    return Verdict.valid(length(matrix, answer))  # type: ignore[arg-type]


def length(matrix: Sequence[Sequence[int]], tour: Sequence[int]) -> int:
    """Length of the closed tour."""
    return sum(int(matrix[tour[place - 1]][node]) for place, node in enumerate(tour))


class Tsp(ShipsMoves, ReadsNodes):
    """Minimise the length of a closed tour through all nodes."""

    name = stream = "tsp"
    law = "random nodes"
    cells = CELLS
    other_sets = _SETS
    version = "1"
    sense = Sense.MINIMISE
    unit = "units of length"
    entry_point = "tour"
    signature = "def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:"
    statement = texts.TOUR
    instance_format = tsplib.FORMAT
    package = __package__
    start_ids: Sequence[str] = ("nearest-neighbour", "farthest-insertion")
    expressions = texts.TOUR_PRIMITIVES
    judge = staticmethod(judge)

    def other(self, set: str, seed: int) -> list[Instance]:
        """The instances of the literature."""
        return list(_peers())

    def baselines(self) -> Mapping[str, str]:
        """Constructions and local searches of the textbook."""
        sources = programs(__package__, Tsp.name, texts.CONSTRUCTIONS)
        search = program(__package__, Tsp.name, "local-search").partition('"""\n\n')[2]
        for name, (start, call) in texts.SEARCHES.items():
            sources[name] = f"{sources[start].replace('def tour(', 'def start(')}\n\n{call}\n\n{search}"
        return sources

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """The tour in the plane."""
        tour = self._tour(instance, answer)
        title = (
            f"{instance.id}: {len(tour) - 1} nodes, length {length(instance.public['distances'], tour[1:])}"
        )
        return routes.picture(title, instance.public["coordinates"], [tour])

    def explain(self, instance: Instance, answer: Json) -> str:
        """Which steps are long."""
        return routes.steps(instance.public["distances"], self._tour(instance, answer))

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instance in the layout of TSPLIB."""
        return tsplib.read(path, self.most_nodes)

    def _tour(self, instance: Instance, answer: Json) -> list[int]:
        """The nodes of a valid tour, the first one again at the end."""
        objective_of(instance.id, judge(instance.public, answer))
        nodes: Any = answer
        return [*nodes, nodes[0]]


@cache
def _peers() -> tuple[Instance, ...]:
    """The first 100 instances of the file `test50_dataset.npy` of github.com/zz1358m/MCTS-AHD-master.

    The generator there draws all its files from one stream of seed 1234; these numbers begin behind the
    training and validation files and the test file of 20 nodes. Coordinates are multiplied by 10⁶.
    """
    import numpy as np

    stream = np.random.RandomState(1234)
    stream.rand(2 * (64 * (50 + 20 + 50 + 100 + 200) + 1000 * 20))
    instances = []
    for number in range(1, 101):
        points = [[round(10**6 * x) for x in node] for node in stream.rand(50, 2).tolist()]
        public = {"coordinates": points, "distances": distances.distances(points)}
        source = f"MCTS-AHD test50, instance {number}, numpy seed 1234"
        instances.append(Instance(f"{PEERS}-{number:03d}", PEERS, "uniform 50", public, 1, source))
    return tuple(instances)
