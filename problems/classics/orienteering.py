"""Orienteering: maximise the prize of a tour of limited length."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Sense, Verdict
from ..faults import integer_fault, list_fault, objective_of
from ..programs import ShipsMoves
from ..strata import Cell, Draw
from ..summaries import percent, quantiles
from . import distances, oplib, routes
from . import orienteering_texts as texts
from .reads_nodes import ReadsNodes

SIDE = 10_000
"""Of the square in which the nodes lie (units of length)."""
SIZES = {20: 20_000, 30: 25_000, 50: 30_000}
"""Nodes with the depot of each stratum → longest tour (units of length)."""
LARGE, LARGE_LENGTH = "large-100", 40_000
PEERS, _PEERS_SIDE = "literature-50", 10**6
_SETS = {
    LARGE: f"10 instances of the same law with 100 nodes and tours of at most {LARGE_LENGTH:,}",
    PEERS: "the 64 instances of 50 nodes on which ReEvo tests its task `op_aco`",
}


def priced(points: distances.Points, longest: int) -> dict[str, Any]:
    """Nodes with their distances, and prizes from 1 to 100 that grow with the distance from node 0.

    The law of M. Fischetti, J. J. Salazar González, P. Toth 1998 (doi:10.1287/ijoc.10.2.133), which the
    literature of evolved heuristics has taken over.
    """
    matrix = distances.distances(points)
    far = max(1, *matrix[0])
    prizes = [0, *(1 + 99 * length // far for length in matrix[0][1:])]
    return {"coordinates": points, "distances": matrix, "prizes": prizes, "max_length": longest}


def draw_nodes(count: int, longest: int, stream: random.Random) -> Draw:
    """Nodes anywhere in the square, the first one the depot."""
    return Draw(priced(distances.uniform(stream, count, SIDE), longest), 1)


def _cell(count: int, longest: int) -> Cell:
    return Cell(f"{count} nodes", partial(draw_nodes, count, longest))


CELLS = tuple(_cell(count, longest) for count, longest in SIZES.items())


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with its prize iff the answer lists different nodes whose closed tour is short enough; exact."""
    prizes, longest = public["prizes"], public["max_length"]
    last = len(prizes) - 1
    if fault := list_fault(answer, "answer", None, "a list of the nodes after the depot"):
        return Verdict.invalid(fault)
    nodes: Any = answer
    if len(nodes) > last:
        return Verdict.invalid(
            f"answer: got {len(nodes)} entries, expected at most {last}, each node but the depot once"
        )
    for place, node in enumerate(nodes):
        if fault := integer_fault(node, f"answer[{place}]", 1, last, "a node"):
            return Verdict.invalid(fault + "; the depot (0) is not written out" * (node == 0))
    if len(set(nodes)) < len(nodes):
        return Verdict.invalid("answer: got a node twice, expected different nodes")
    total = length(public["distances"], nodes)
    if total > longest:
        return Verdict.infeasible(f"tour: got length {total} with the way back, expected at most {longest}")
    return Verdict.valid(prize(prizes, nodes))


def prize(prizes: Sequence[int], nodes: Sequence[int]) -> int:
    """Prize of a tour from the depot through the nodes; the depot's is in it (0 but in some users' files)."""
    return sum(int(prizes[node]) for node in [0, *nodes])


def length(matrix: Sequence[Sequence[int]], nodes: Sequence[int]) -> int:
    """Length of the tour from the depot through the nodes and back."""
    return sum(int(matrix[a][b]) for a, b in zip([0, *nodes], [*nodes, 0], strict=True))


class Orienteering(ShipsMoves, ReadsNodes):
    """Maximise the prize of the nodes that a closed tour of limited length visits."""

    name = stream = "orienteering"
    law = "prizes that grow with the distance from the depot"
    cells = CELLS
    other_sets = _SETS
    version = "1"
    sense = Sense.MAXIMISE
    unit = "units of prize"
    entry_point = "tour"
    signature = (
        "def tour(coordinates: list[list[int]], distances: list[list[int]], prizes: list[int], "
        "max_length: int) -> list[int]:"
    )
    statement = texts.TOUR
    instance_format = oplib.FORMAT
    package = __package__
    start_ids: Sequence[str] = ("prize-per-distance", "ratio-insertion")
    baseline_ids: Sequence[str] = texts.WHOLE_PROGRAMS
    expressions = texts.TOUR_PRIMITIVES
    judge = staticmethod(judge)

    def other(self, set: str, seed: int) -> list[Instance]:
        """Large instances, the same for every seed, and those of the literature."""
        if set == LARGE:
            return self.draw_other(set, 0, (_cell(100, LARGE_LENGTH),), 10)
        return list(_peers())

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """The tour in the plane, beside the nodes that it leaves out."""
        nodes = self._nodes(instance, answer)
        public = instance.public
        title = (
            f"{instance.id}: {len(nodes)} of {len(public['prizes']) - 1} nodes, prize "
            f"{prize(public['prizes'], nodes)}, "
            f"length {length(public['distances'], nodes)} of {public['max_length']}"
        )
        return routes.picture(title, public["coordinates"], [[0, *nodes, 0]])

    def explain(self, instance: Instance, answer: Json) -> str:
        """What the tour leaves out and how much length is left, and which steps are long."""
        nodes, public = self._nodes(instance, answer), instance.public
        prizes, matrix = public["prizes"], public["distances"]
        used = length(matrix, nodes)
        lines = [
            f"{len(nodes)} of {len(prizes) - 1} nodes with "
            f"{percent(prize(prizes, nodes), sum(prizes))} of all prizes; "
            f"length {used} of {public['max_length']} ({percent(used, public['max_length'])})."
        ]
        if outside := [node for node in range(1, len(prizes)) if node not in set(nodes)]:
            steps = list(zip([0, *nodes], [*nodes, 0], strict=True))
            detours = [min(matrix[a][j] + matrix[j][b] - matrix[a][b] for a, b in steps) for j in outside]
            lines.append(
                f"Prizes of the nodes outside at {quantiles([prizes[node] for node in outside])}; "
                f"least detours to them at {quantiles(detours)}."
            )
        if nodes:
            lines.append(routes.steps(matrix, [0, *nodes, 0]))
        return "\n".join(lines)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instance in the layout of OPLib."""
        return oplib.read(path, self.most_nodes)

    def _nodes(self, instance: Instance, answer: Json) -> list[int]:
        """The nodes of a valid answer."""
        objective_of(instance.id, judge(instance.public, answer))
        return list(answer)  # type: ignore[arg-type]


@cache
def _peers() -> tuple[Instance, ...]:
    """The instances of the file `test50_dataset.npz` of the task `op_aco` of ReEvo (github.com/ai4co/reevo).

    The generator there draws 64 unit squares of 50 nodes from seed 4567 and allows tours of length 3; here
    coordinates are multiplied by 10⁶ and prizes are 1 to 100 in place of their hundredths.
    """
    import numpy as np

    stream = np.random.RandomState(4567)
    instances = []
    for number, nodes in enumerate(stream.rand(64, 50, 2).tolist(), 1):
        points = [[round(_PEERS_SIDE * x) for x in node] for node in nodes]
        source = f"op_aco test50, instance {number}, numpy seed 4567"
        public = priced(points, 3 * _PEERS_SIDE)
        instances.append(Instance(f"{PEERS}-{number:02d}", PEERS, "50 nodes", public, 1, source))
    return tuple(instances)
