"""Graph colouring: minimise colours, with a proven bound by CP-SAT through Gapsmith's solver toolbox.

gapsmith problems check examples/graph_colouring.py
gapsmith run examples/graph_colouring.py
"""

from __future__ import annotations

import random
from typing import Annotated

from gapsmith import Drawing, Instance, Json, Parameter, Reference, Sense, Shape, Verdict, solve_cpsat

IN_ORDER = '''\
def colour(neighbours: list[list[int]]) -> list[int]:
    """Nodes in the order given, each with the first colour that no neighbour has."""
    colours = [-1] * len(neighbours)
    for node in sorted(range(len(neighbours)), key=lambda v: v):
        taken = {colours[other] for other in neighbours[node]}
        colours[node] = next(c for c in range(len(neighbours)) if c not in taken)
    return colours
'''

BY_DEGREE = IN_ORDER.replace("Nodes in the order given", "Nodes of most neighbours first").replace(
    "key=lambda v: v", "key=lambda v: -len(neighbours[v])"
)


class GraphColouring:
    """Minimise the number of colours such that neighbours differ; problem and references in one class."""

    name = "graph-colouring"
    version = "1"
    sense = Sense.MINIMISE
    unit = "colours"
    entry_point = "colour"
    signature = "def colour(neighbours: list[list[int]]) -> list[int]:"
    statement = (
        "neighbours[v] lists the nodes that node v is joined to; nodes are numbered from 0. Return the "
        "colour of each node, a number from 0, such that joined nodes differ. Use few colours."
    )

    def __init__(
        self,
        nodes: Annotated[int, Parameter("nodes of each graph", "nodes", 2, 200)] = 40,
        density: Annotated[float, Parameter("share of pairs that are joined", "", 0.0, 1.0)] = 0.3,
    ) -> None:
        """Takes the `[problem]` table of a configuration."""
        self.nodes = nodes
        self.density = density

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {
            "train": "8 graphs that steer the search",
            "valid": "8 graphs that choose the best heuristic",
            "test": "12 graphs that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Uniform random graphs."""
        count = {"train": 8, "valid": 8, "test": 12}[set]
        stream = random.Random(f"{self.name} {set} {seed}")
        return [self._draw(stream, set, number) for number in range(count)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        neighbours: list[list[int]] = [[] for _ in range(self.nodes)]
        for left in range(self.nodes):
            for right in range(left + 1, self.nodes):
                if stream.random() < self.density:
                    neighbours[left].append(right)
                    neighbours[right].append(left)
        return Instance(
            id=f"{set}-{number:03}",
            split=set,
            stratum=f"density={self.density:g}",
            public={"neighbours": neighbours},
            scale=1,
            source=f"uniform random graph, density {self.density:g}",
        )

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"in-order": IN_ORDER}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"in-order": IN_ORDER, "by-degree": BY_DEGREE}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The number of different colours."""
        neighbours = instance.public["neighbours"]
        if not isinstance(answer, list) or len(answer) != len(neighbours):
            return Verdict.invalid(f"expected a list of {len(neighbours)} colours")
        if not all(type(c) is int and 0 <= c < len(neighbours) for c in answer):
            return Verdict.invalid(f"expected colours from 0 to {len(neighbours) - 1}")
        for node, others in enumerate(neighbours):
            for other in others:
                if answer[node] == answer[other]:
                    return Verdict.infeasible(f"nodes {node} and {other} are joined and have one colour")
        return Verdict.valid(len(set(answer)))

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """One column for each colour, its nodes above each other."""
        assert isinstance(answer, list)
        heights: dict[int, int] = {}
        shapes = []
        for node, colour in enumerate(answer):
            assert isinstance(colour, int)
            height = heights.get(colour, 0)
            heights[colour] = height + 1
            shapes.append(Shape("rectangle", colour, height, 0.9, 0.9, str(node), f"colour {colour}"))
        return Drawing(f"{instance.id}: nodes by colour", "colour", "nodes", tuple(shapes))

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The chromatic number by CP-SAT, or when the time is over a bound (colours), at least a clique's."""
        from ortools.sat.python import cp_model

        neighbours = instance.public["neighbours"]
        clique = _clique(neighbours)
        limit = _greedy(neighbours)
        model = cp_model.CpModel()
        colours = [model.new_int_var(0, limit - 1, f"colour {v}") for v in range(len(neighbours))]
        for place, node in enumerate(clique):
            model.add(colours[node] == place)
        for node, others in enumerate(neighbours):
            for other in others:
                if node < other:
                    model.add(colours[node] != colours[other])
        last = model.new_int_var(len(clique) - 1, limit - 1, "last colour")
        model.add_max_equality(last, colours)
        model.minimize(last + 1)
        solved = solve_cpsat(model, seconds=seconds, known_bound=len(clique))
        colouring: Json = None if solved.solution is None else [int(solved[c]) for c in colours]
        checked = None if colouring is None else self.verify(instance, colouring).objective
        return solved.as_reference(verified=checked)


def _clique(neighbours: list[list[int]]) -> list[int]:
    """Nodes that are all joined to each other, the best of one greedy try for each node: a lower bound."""
    best: list[int] = []
    for start in range(len(neighbours)):
        clique = [start]
        for node in sorted(neighbours[start], key=lambda v: -len(neighbours[v])):
            if all(node in neighbours[other] for other in clique):
                clique.append(node)
        best = max(best, clique, key=len)
    return best


def _greedy(neighbours: list[list[int]]) -> int:
    """Colours that the greedy rule by degree needs: an upper bound."""
    colours = [-1] * len(neighbours)
    for node in sorted(range(len(neighbours)), key=lambda v: -len(neighbours[v])):
        taken = {colours[other] for other in neighbours[node]}
        colours[node] = next(c for c in range(len(neighbours)) if c not in taken)
    return max(colours) + 1
