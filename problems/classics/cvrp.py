"""Capacitated vehicle routing: minimise the length of all routes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Sense, Verdict
from ..faults import integer_fault, list_fault, objective_of
from ..programs import ShipsMoves, program, programs
from ..strata import Cell, Draw
from ..summaries import percent, quantiles
from . import cvrp_texts as texts
from . import cvrplib, distances, routes
from .reads_nodes import ReadsNodes

SIDE = 1_000
"""Of the square in which the nodes lie (units of length)."""
LARGEST = 9
"""Demands are 1 to 9."""
_HELPER = "\nfrom .savings import joined\n"
"""What stands in place of the helper in the file of a program."""


def draw_customers(count: int, capacity: int, place: distances.Place, stream: random.Random) -> Draw:
    """A depot anywhere, customers placed by a law, demands uniform from 1 to 9."""
    points = distances.uniform(stream, 1, SIDE) + place(stream, count, SIDE)
    demands = [0, *(stream.randint(1, LARGEST) for _ in range(count))]
    return Draw(public(points, demands, capacity), 1)


def public(points: distances.Points, demands: list[int], capacity: int) -> dict[str, Any]:
    """The public part of an instance in the plane."""
    return {
        "coordinates": points,
        "distances": distances.distances(points),
        "demands": demands,
        "capacity": capacity,
    }


def _cell(count: int, capacity: int, place: distances.Place) -> Cell:
    name = f"{place.__name__} {count} Q{capacity}"
    return Cell(name, partial(draw_customers, count, capacity, place))


CELLS = (
    _cell(20, 20, distances.uniform),
    _cell(20, 20, distances.clustered),
    _cell(20, 30, distances.uniform),
    _cell(30, 20, distances.uniform),
)
PEERS = "literature-50"
_SETS = {
    PEERS: "the 16 uniform instances of 50 customers and capacity 40 of EoH's task `cvrp_construct`",
}


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with the length of all routes iff each customer is on one route and every load fits."""
    demands, capacity = public["demands"], public["capacity"]
    if fault := routes_fault(answer, len(demands)):
        return Verdict.invalid(fault)
    plan: Any = answer
    missing = set(range(1, len(demands))) - {customer for route in plan for customer in route}
    if missing:
        return Verdict.infeasible(f"{len(missing)} customers are on no route, among them {min(missing)}")
    for number, route in enumerate(plan):
        load = sum(demands[customer] for customer in route)
        if load > capacity:
            return Verdict.infeasible(f"route {number}: demands add up to {load}, the capacity is {capacity}")
    return Verdict.valid(length(public["distances"], plan))


def routes_fault(answer: Json, count: int) -> str | None:
    """One sentence on why an answer is not lists of different customers; None if it is.

    Args:
        answer: whatever a candidate returned.
        count: nodes, the depot among them.
    """
    if fault := list_fault(answer, "answer", None, "a list of routes"):
        return fault
    plan: Any = answer
    seen: set[int] = set()
    for number, route in enumerate(plan):
        where = f"answer[{number}]"
        if fault := list_fault(route, where, None, "a route, a list of customers"):
            return fault
        if not route:
            return f"{where}: got an empty route, expected at least one customer"
        for place, customer in enumerate(route):
            here = f"{where}[{place}]"
            if customer == 0 and type(customer) is int:
                return f"{here}: got the depot, expected routes without the depot"
            if fault := integer_fault(customer, here, 1, count - 1, "a customer"):
                return fault
            if customer in seen:
                return f"{here}: customer {customer} is there twice, expected each customer once"
            seen.add(customer)
    return None


def length(matrix: Sequence[Sequence[int]], plan: Sequence[Sequence[int]]) -> int:
    """Length of all routes, from the depot and back."""
    return sum(int(matrix[a][b]) for route in plan for a, b in pairwise([0, *route, 0]))


class Cvrp(ShipsMoves, ReadsNodes):
    """Minimise the length of routes that serve all customers by vehicles of one capacity."""

    name = stream = "cvrp"
    law = "random customers"
    cells = CELLS
    other_sets = _SETS
    version = "1"
    sense = Sense.MINIMISE
    unit = "units of length"
    entry_point = "routes"
    signature = (
        "def routes(coordinates: list[list[int]], distances: list[list[int]], demands: list[int], "
        "capacity: int) -> list[list[int]]:"
    )
    statement = texts.ROUTES
    instance_format = cvrplib.FORMAT
    package = __package__
    start_ids: Sequence[str] = ("nearest-neighbour", "savings")
    expressions = texts.ROUTES_PRIMITIVES
    judge = staticmethod(judge)

    def __init__(self, rounds: Mapping[str, int], most_nodes: int = 1_001, decimals: int = 0) -> None:
        """Takes the sizes of the splits, and how users' files are read; see `cvrplib.read`."""
        super().__init__(rounds, most_nodes)
        self.decimals = decimals

    def other(self, set: str, seed: int) -> list[Instance]:
        """The instances of the literature."""
        return list(_peers())

    def baselines(self) -> Mapping[str, str]:
        """Constructions and descents of the textbook."""
        sources = programs(__package__, Cvrp.name, texts.CONSTRUCTIONS)
        joined = "\n\ndef joined" + sources["savings"].partition("def joined")[2]
        shaped = sources["savings-best-shape"]
        sources["savings-best-shape"] = shaped.replace(_HELPER, "") + joined
        search = program(__package__, Cvrp.name, "descent").partition('"""\n\n')[2]
        for name, (start, call) in texts.SEARCHES.items():
            sources[name] = f"{sources[start].replace('def routes(', 'def start(')}\n\n{call}\n{search}"
        return sources

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """The routes in the plane."""
        plan = self._routes(instance, answer)
        total = length(instance.public["distances"], plan)
        title = f"{instance.id}: {len(plan)} routes, length {total}"
        return routes.picture(title, instance.public["coordinates"], [[0, *route, 0] for route in plan])

    def explain(self, instance: Instance, answer: Json) -> str:
        """Number and loads of the routes, the ways from and to the depot, and the longest routes' steps."""
        return explain_routes(instance.public, self._routes(instance, answer))

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instance in the layout of CVRPLIB."""
        return cvrplib.read(path, self.most_nodes, self.decimals)

    def _routes(self, instance: Instance, answer: Json) -> list[list[int]]:
        """Valid routes.

        Raises:
            ValueError: the answer is not valid.
        """
        objective_of(instance.id, judge(instance.public, answer))
        return answer  # type: ignore[return-value]


def explain_routes(public: Mapping[str, Any], plan: Sequence[Sequence[int]]) -> str:
    """What the routes hold, what the ways to and from the depot cost, and where the longest route is long."""
    matrix, demands, capacity = public["distances"], public["demands"], public["capacity"]
    lengths = [length(matrix, [route]) for route in plan]
    ways = sum(matrix[0][route[0]] + matrix[route[-1]][0] for route in plan)
    loads = [100 * sum(demands[c] for c in route) / capacity for route in plan]
    longest = max(range(len(plan)), key=lengths.__getitem__)
    return (
        f"{len(plan)} routes, at least {-(-sum(demands) // capacity)} are needed; total length "
        f"{sum(lengths)}, of it {percent(ways, sum(lengths))} from and to the depot.\n"
        f"Loads in percent of the capacity at {quantiles(loads)}.\n"
        f"Lengths of the routes at {quantiles(lengths)}.\n"
        f"The longest is route {longest}, with {len(plan[longest])} customers: "
        + routes.steps(matrix, [0, *plan[longest], 0])
    )


@cache
def _peers() -> tuple[Instance, ...]:
    """The instances of `examples/cvrp_construct` of github.com/FeiLiu36/EoH, coordinates times 10⁶."""
    import numpy as np

    stream = np.random.RandomState(2024)
    instances = []
    for number in range(1, 17):
        points = [[round(10**6 * x) for x in node] for node in stream.rand(51, 2).tolist()]
        demands = [0, *stream.randint(1, 10, size=51).tolist()[1:]]
        source = f"EoH cvrp_construct, instance {number}, numpy seed 2024"
        instances.append(
            Instance(f"{PEERS}-{number:03d}", PEERS, "uniform 50 Q40", public(points, demands, 40), 1, source)
        )
    return tuple(instances)
