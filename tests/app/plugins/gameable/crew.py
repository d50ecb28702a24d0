"""Each person does one task, at the least cost; the answer is an object with texts as keys."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

IN_ORDER = '''\
def assign(costs: list[list[int]]) -> dict[str, int]:
    """Person i does task i."""
    return {str(person): person for person in range(len(costs))}
'''

CHEAPEST = '''\
def assign(costs: list[list[int]]) -> dict[str, int]:
    """Each person in turn takes the cheapest task that is left."""
    rest, plan = set(range(len(costs))), {}
    for person, row in enumerate(costs):
        plan[str(person)] = min(rest, key=lambda task: (row[task], task))
        rest.remove(plan[str(person)])
    return plan
'''


class Crew:
    """Minimise the cost of an assignment."""

    name, version, sense, unit, entry_point = "crew", "1", Sense.MINIMISE, "coins", "assign"
    signature = "def assign(costs: list[list[int]]) -> dict[str, int]:"
    statement = (
        'costs[p][t] is what person p asks for task t. Return {"p": t} with every person and every task once.'
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Random costs of 10 people."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        costs = [[stream.randint(10, 99) for _ in range(10)] for _ in range(10)]
        return Instance(f"{set}-{number}", set, "random", {"costs": costs}, 1, "random costs")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"in-order": IN_ORDER}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"cheapest": CHEAPEST}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The cost, if every person and every task is there once."""
        costs = instance.public["costs"]
        people = {str(person): person for person in range(len(costs))}
        if not isinstance(answer, dict) or set(answer) != set(people):
            return Verdict.invalid("expected every person")
        tasks = list(answer.values())
        if not all(type(task) is int and 0 <= task < len(costs) for task in tasks):
            return Verdict.invalid("expected task numbers")
        if len(set(tasks)) != len(costs):
            return Verdict.infeasible("a task is left")
        return Verdict.valid(sum(costs[people[name]][task] for name, task in answer.items()))
