"""The most valuable items that fit; the answer says how many there are, and that is checked."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

BY_VALUE = '''\
def pack(values: list[int], weights: list[int], capacity: int) -> dict[str, object]:
    """The most valuable item first."""
    items, room = [], capacity
    for item in sorted(range(len(values)), key=lambda i: -values[i]):
        if weights[item] <= room:
            room -= weights[item]
            items.append(item)
    return {"items": items, "count": len(items)}
'''

BY_DENSITY = BY_VALUE.replace("most valuable item", "most value per weight").replace(
    "-values[i])", "-values[i] / weights[i])"
)


class Knapsack:
    """Maximise the value of what is packed."""

    name, version, sense, unit, entry_point = "knapsack", "1", Sense.MAXIMISE, "coins", "pack"
    signature = "def pack(values: list[int], weights: list[int], capacity: int) -> dict[str, object]:"
    statement = (
        'Return {"items": different item numbers, "count": how many}; together they weigh at most '
        "`capacity`. Maximise their value."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Half of the weight of 20 items fits."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        weights = [stream.randint(50, 500) for _ in range(20)]
        values = [weight + stream.randint(-30, 30) for weight in weights]
        public = {"values": values, "weights": weights, "capacity": sum(weights) // 2}
        return Instance(f"{set}-{number}", set, "random", public, 1, "random items")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"by-value": BY_VALUE}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"by-density": BY_DENSITY}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The value of the items."""
        values, weights = instance.public["values"], instance.public["weights"]
        if not isinstance(answer, dict) or set(answer) != {"items", "count"}:
            return Verdict.invalid("expected items and their count")
        items, count = answer["items"], answer["count"]
        if not isinstance(items, list) or len(items) > len(values):
            return Verdict.invalid("expected a list of items")
        if type(count) is not int or count != len(items):
            return Verdict.invalid("expected the number of items")
        if not all(type(item) is int and 0 <= item < len(values) for item in items):
            return Verdict.invalid("expected item numbers")
        if len(set(items)) != len(items):
            return Verdict.invalid("expected different items")
        if sum(weights[item] for item in items) > instance.public["capacity"]:
            return Verdict.infeasible("too heavy")
        return Verdict.valid(sum(values[item] for item in items))
