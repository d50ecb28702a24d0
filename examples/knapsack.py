"""0/1 knapsack: maximise, with the exact optimum by dynamic programming.

gapsmith problems check examples/knapsack.py
gapsmith run examples/knapsack.py
"""

from __future__ import annotations

import random
from typing import Annotated

from gapsmith import Instance, Json, Moves, Parameter, Plugin, Primitive, ProofKind, Reference, Sense, Verdict

BY_VALUE = '''\
def pack(values: list[int], weights: list[int], capacity: int) -> list[int]:
    """The most valuable item first."""
    chosen = []
    room = capacity
    for item in sorted(range(len(values)), key=lambda i: -values[i]):
        if weights[item] <= room:
            room -= weights[item]
            chosen.append(item)
    return chosen
'''

BY_DENSITY = BY_VALUE.replace("most valuable item", "most value per weight").replace(
    "-values[i]", "-values[i] / weights[i]"
)


MOVES = '''\
def objective(answer, values, weights, capacity):
    """Value of the chosen items; worse than nothing where they weigh too much."""
    if sum(weights[i] for i in answer) > capacity:
        return float("-inf")
    return sum(values[i] for i in answer)
'''


class Knapsack:
    """Maximise the value (coins) of items that fit into one knapsack."""

    name = "knapsack"
    version = "1"
    sense = Sense.MAXIMISE
    unit = "coins"
    entry_point = "pack"
    signature = "def pack(values: list[int], weights: list[int], capacity: int) -> list[int]:"
    statement = (
        "Item i is worth values[i] coins and weighs weights[i]; the chosen items may weigh at most "
        "`capacity` together. Return the list of chosen items, numbered from 0, each at most once; "
        "maximise their value."
    )

    def __init__(self, items: int, correlation: int) -> None:
        """Takes the number of items and how far a value strays from its weight (coins)."""
        self.items = items
        self.correlation = correlation

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {
            "train": "20 instances that steer the search",
            "valid": "20 instances that choose the best heuristic",
            "test": "40 instances that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Weakly correlated instances (Pisinger 2005, section 3), half of the weight fits."""
        count = {"train": 20, "valid": 20, "test": 40}[set]
        stream = random.Random(f"{self.name} {set} {seed}")
        return [self._draw(stream, set, number) for number in range(count)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        share = (30, 50)[number % 2]
        weights = [stream.randint(10, 100) for _ in range(self.items)]
        values = [max(1, w + stream.randint(-self.correlation, self.correlation)) for w in weights]
        return Instance(
            id=f"{set}-{number:03}",
            split=set,
            stratum=f"share={share}%",
            public={"values": values, "weights": weights, "capacity": sum(weights) * share // 100},
            scale=1,
            source=f"weights 10 to 100, values within {self.correlation} of them",
        )

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"by-value": BY_VALUE}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"by-value": BY_VALUE, "by-density": BY_DENSITY}

    def primitives(self) -> list[Primitive]:
        """Expressions that the offline proposer may use beside those of the parent program."""
        return [
            Primitive("values[i] / weights[i]", "number", "coins per unit of weight"),
            Primitive("capacity / len(weights)", "number", "room per item"),
        ]

    def moves(self) -> Moves:
        """The value of a choice, and that an answer is a subset of the items."""
        return Moves(MOVES, kind="subset", values="range(len(values))")

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The value of a choice; a number twice, out of range or of another type is no choice."""
        values, weights = instance.public["values"], instance.public["weights"]
        if not isinstance(answer, list) or not all(type(i) is int for i in answer):
            return Verdict.invalid("expected a list of item numbers")
        # The range first: a set of huge numbers that were chosen to collide takes minutes.
        if not all(0 <= i < len(values) for i in answer) or len(set(answer)) != len(answer):
            return Verdict.invalid(f"expected distinct numbers from 0 to {len(values) - 1}")
        weight = sum(weights[i] for i in answer)
        if weight > instance.public["capacity"]:
            return Verdict.infeasible(f"weight {weight}, capacity {instance.public['capacity']}")
        return Verdict.valid(sum(values[i] for i in answer))


class KnapsackReferences:
    """Optima by dynamic programming over the capacity."""

    version = "dynamic programme 1"

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The optimum (coins); the table has items x capacity entries, so no time limit is needed."""
        best = [0] * (instance.public["capacity"] + 1)
        for value, weight in zip(instance.public["values"], instance.public["weights"], strict=True):
            for room in range(len(best) - 1, weight - 1, -1):
                best[room] = max(best[room], best[room - weight] + value)
        return Reference.optimum(best[-1], ProofKind.CONSTRUCTION, "dynamic programme", "1", None, "computed")


def knapsack(
    items: Annotated[int, Parameter("items of each instance", "items", 1, 500)] = 50,
    correlation: Annotated[int, Parameter("largest difference of value and weight", "coins", 0, 100)] = 30,
) -> Knapsack:
    """The problem with its parameters: the `[problem]` table of a configuration."""
    return Knapsack(items, correlation)


plugin = Plugin(knapsack, KnapsackReferences())
