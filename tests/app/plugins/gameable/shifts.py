"""How many people start in each hour, so that each hour has enough of them; a shift lasts three hours."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

EVERY_HOUR = '''\
def plan(needs: list[int]) -> list[int]:
    """As many people start in each hour as that hour needs."""
    return list(needs)
'''

WHEN_NEEDED = '''\
def plan(needs: list[int]) -> list[int]:
    """People start when those who are there are too few."""
    starts = []
    for hour, need in enumerate(needs):
        starts.append(max(0, need - sum(starts[max(0, hour - 2) : hour])))
    return starts
'''


class Shifts:
    """Minimise the number of people."""

    name, version, sense, unit, entry_point = "shifts", "1", Sense.MINIMISE, "people", "plan"
    signature = "def plan(needs: list[int]) -> list[int]:"
    statement = (
        "Return how many people (an integer, at least 0) start in each hour; each stays three hours. Hour h "
        "needs needs[h] people. Minimise their number."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Twelve hours with random needs."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [
            Instance(
                f"{set}-{n}", set, "random", {"needs": [stream.randint(110, 990) for _ in range(12)]}, 1, "x"
            )
            for n in range(4)
        ]

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"every-hour": EVERY_HOUR}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"when-needed": WHEN_NEEDED}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The number of people, if there are enough in each hour."""
        needs = instance.public["needs"]
        if not isinstance(answer, list) or len(answer) != len(needs):
            return Verdict.invalid("expected a number for every hour")
        if not all(type(people) is int and 0 <= people <= 1_000_000 for people in answer):
            return Verdict.invalid("expected integers from 0 to 1000000")
        for hour, need in enumerate(needs):
            if sum(answer[max(0, hour - 2) : hour + 1]) < need:
                return Verdict.infeasible(f"too few people in hour {hour}")
        return Verdict.valid(sum(answer))
