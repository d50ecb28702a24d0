"""Capacitated routing: vans with room for a few parcels visit all customers; how far do they drive?

    gapsmith problems check examples/routing.py
    gapsmith run examples/routing.py --budget 60s

Answers are routes, so moves of customers between and within routes come with the tool; the problem hands over
their length as source text (`moves`).
"""

from __future__ import annotations

import random
from math import isqrt
from typing import Annotated

from gapsmith import Instance, Json, Moves, Parameter, ProofKind, Reference, Sense, Verdict

NEAREST = '''\
def route(distances: list[list[int]], demands: list[int], capacity: int) -> list[list[int]]:
    """Again and again the nearest customer whose parcels still fit; 0 is the depot."""
    left = set(range(1, len(demands)))
    routes = []
    while left:
        here, room, tour = 0, capacity, []
        while any(demands[c] <= room for c in left):
            here = min((c for c in sorted(left) if demands[c] <= room), key=lambda c: distances[here][c])
            left.remove(here)
            tour.append(here)
            room -= demands[here]
        routes.append(tour)
    return routes
'''

SAVINGS = '''\
def route(distances: list[list[int]], demands: list[int], capacity: int) -> list[list[int]]:
    """Joins the ends of routes where that saves most (Clarke and Wright 1964)."""
    customers = range(1, len(demands))
    tour = {c: [c] for c in customers}
    pairs = [(a, b) for a in customers for b in customers if a < b]
    for a, b in sorted(pairs, key=lambda p: distances[p[0]][p[1]] - distances[0][p[0]] - distances[0][p[1]]):
        first, second = tour[a], tour[b]
        if first is second or sum(demands[c] for c in first + second) > capacity:
            continue
        if a not in (first[0], first[-1]) or b not in (second[0], second[-1]):
            continue
        if first[-1] != a:
            first.reverse()
        if second[0] != b:
            second.reverse()
        first.extend(second)
        for c in second:
            tour[c] = first
    return list({id(one): one for one in tour.values()}.values())
'''

MOVES = '''\
def objective(answer, distances, demands, capacity):
    """Length of all routes, metres; infinite where a van is too full."""
    length = 0
    for tour in answer:
        here = load = 0
        for c in tour:
            length += distances[here][c]
            load += demands[c]
            here = c
        if load > capacity:
            return float("inf")
        length += distances[here][0]
    return length
'''


class Routing:
    """Minimise the length (metres) of all routes."""

    name = "routing"
    version = "1"
    sense = Sense.MINIMISE
    unit = "metres"
    entry_point = "route"
    signature = "def route(distances: list[list[int]], demands: list[int], capacity: int) -> list[list[int]]:"
    statement = (
        "Place 0 is the depot, the others are customers; distances[a][b] is the way from a to b in metres, "
        "demands[c] the parcels of customer c (0 for the depot). Return routes, lists of customers in the "
        "order in which a van visits them between leaving the depot and coming home. Every customer is on "
        "exactly one route, and the parcels of a route are at most `capacity`. Minimise the length of all "
        "routes."
    )

    def __init__(
        self,
        customers: Annotated[int, Parameter("customers of each instance", "customers", 2, 300)] = 40,
        capacity: Annotated[int, Parameter("parcels that fit into a van", "parcels", 9, 1000)] = 40,
    ) -> None:
        """Takes the `[problem]` table of a configuration."""
        self.customers = customers
        self.capacity = capacity

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {
            "train": "20 towns that steer the search",
            "valid": "20 towns that choose the best heuristic",
            "test": "40 towns that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Customers anywhere in a square of 1,000 metres, 1 to 9 parcels each."""
        count = {"train": 20, "valid": 20, "test": 40}[set]
        stream = random.Random(f"{self.name} {set} {seed}")
        return [self._draw(stream, set, number) for number in range(count)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        places = [(stream.randint(0, 1000), stream.randint(0, 1000)) for _ in range(self.customers + 1)]
        distances = [[isqrt((a - c) ** 2 + (b - d) ** 2) for c, d in places] for a, b in places]
        demands = [0, *(stream.randint(1, 9) for _ in range(self.customers))]
        return Instance(
            id=f"{set}-{number:03}",
            split=set,
            stratum="uniform",
            public={"distances": distances, "demands": demands, "capacity": self.capacity},
            scale=1,
            source="uniform places in a square of 1,000 metres",
        )

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"nearest": NEAREST, "savings": SAVINGS}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"nearest": NEAREST, "savings": SAVINGS}

    def moves(self) -> Moves:
        """The length of all routes, and that an answer is a list of routes."""
        return Moves(MOVES, kind="routes")

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The length of routes that visit every customer once."""
        distances, demands = instance.public["distances"], instance.public["demands"]
        if not isinstance(answer, list) or not all(isinstance(tour, list) for tour in answer):
            return Verdict.invalid("expected a list of routes, each a list of customers")
        visits = [c for tour in answer for c in tour]
        if not all(type(c) is int and 0 < c < len(demands) for c in visits):
            return Verdict.invalid(f"expected customers from 1 to {len(demands) - 1}")
        if len(visits) != len(demands) - 1 or len(set(visits)) != len(visits):
            return Verdict.infeasible("expected every customer on exactly one route")
        length = 0
        for number, tour in enumerate(answer):
            load = sum(demands[c] for c in tour)
            if load > instance.public["capacity"]:
                return Verdict.infeasible(f"route {number}: {load} parcels, a van has room for fewer")
            length += sum(distances[a][b] for a, b in zip([0, *tour], [*tour, 0], strict=True))
        return Verdict.valid(length)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """A proven bound: each customer's two shortest ways, halved, and the depot's for every van needed."""
        distances, demands = instance.public["distances"], instance.public["demands"]
        vans = -(-sum(demands) // instance.public["capacity"])
        ways = 0
        for c in range(1, len(demands)):
            near = sorted(distances[c][k] for k in range(len(demands)) if k != c)
            ways += min(sum(near[:2]), 2 * distances[c][0])
        ways += sum(sorted(2 * distances[0][1:])[: 2 * vans])
        return Reference.proven_bound(-(-ways // 2), ProofKind.ARITHMETIC, "way bound", "1", None, "computed")
