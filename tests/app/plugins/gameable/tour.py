"""The shortest round trip through all cities; no reference."""

from __future__ import annotations

import math
import random

from gapsmith import Instance, Json, Sense, Verdict

IN_ORDER = '''\
def visit(cities: list[list[int]]) -> list[int]:
    """In the order of the list."""
    return list(range(len(cities)))
'''

NEAREST = '''\
def visit(cities: list[list[int]]) -> list[int]:
    """Always on to the nearest city."""
    tour, rest = [0], set(range(1, len(cities)))
    while rest:
        x, y = cities[tour[-1]]
        tour.append(min(rest, key=lambda c: ((cities[c][0] - x) ** 2 + (cities[c][1] - y) ** 2, c)))
        rest.remove(tour[-1])
    return tour
'''


class Tour:
    """Minimise the length of a round trip."""

    name, version, sense, unit, entry_point = "tour", "1", Sense.MINIMISE, "metres", "visit"
    signature = "def visit(cities: list[list[int]]) -> list[int]:"
    statement = (
        "City i lies at cities[i] = [x, y]. Return all city numbers, each once, in the order of a round trip."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Random cities."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [
            Instance(
                f"{set}-{n}",
                set,
                "uniform",
                {"cities": [[stream.randrange(1000), stream.randrange(1000)] for _ in range(12)]},
                1,
                "uniform",
            )
            for n in range(4)
        ]

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"in-order": IN_ORDER}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"nearest": NEAREST}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The length of the round trip."""
        cities = instance.public["cities"]
        if not isinstance(answer, list) or len(answer) != len(cities):
            return Verdict.invalid("expected every city")
        if not all(type(city) is int and 0 <= city < len(cities) for city in answer):
            return Verdict.invalid("expected city numbers")
        if len(set(answer)) != len(cities):
            return Verdict.invalid("expected every city once")
        legs = zip(answer, answer[1:] + answer[:1], strict=True)
        return Verdict.valid(sum(round(math.dist(cities[a], cities[b])) for a, b in legs))
