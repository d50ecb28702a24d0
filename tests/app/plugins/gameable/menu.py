"""Dishes for a budget; the answer is an object with names as keys."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(value: dict[str, int], price: dict[str, int], budget: int) -> dict[str, int]:
    """What comes to mind first."""
    return {'dish0': 1, 'dish1': 1}
'''

SECOND = '''\
def solve(value: dict[str, int], price: dict[str, int], budget: int) -> dict[str, int]:
    """A better one."""
    bought = {}
    for d in sorted(value, key=lambda d: -value[d]):
        if 3 * price[d] <= budget:
            bought[d] = 3
            budget -= 3 * price[d]
    return bought
'''


class Menu:
    """Maximise the value of what is bought."""

    name, version, sense, unit, entry_point = "menu", "1", Sense.MAXIMISE, "points", "solve"
    signature = "def solve(value: dict[str, int], price: dict[str, int], budget: int) -> dict[str, int]:"
    statement = (
        "Return {dish: count} with counts of 1 to 3 for dishes bought, each dish once; prices in "
        "sum at most the budget. The value counts; each dish has at most 3."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Four random instances."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        public = {
            "value": {f"dish{k}": stream.randint(5, 30) for k in range(8)},
            "price": {f"dish{k}": stream.randint(3, 9) for k in range(8)},
            "budget": 60,
        }
        return Instance(f"{set}-{number}", set, "random", public, 1, "random")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"first": FIRST}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"second": SECOND}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Checks all of the statement and computes the objective from the answer."""
        given = instance.public
        if type(answer) is not dict or len(answer) > 8:
            return Verdict.invalid("expected dishes with counts")
        value = paid = 0
        for label, count in answer.items():
            dish = label
            if dish not in given["value"] or type(count) is not int or not 1 <= count <= 3:
                return Verdict.invalid("expected a dish and 1 to 3")
            value += given["value"][dish] * count
            paid += given["price"][dish] * count
        if paid > given["budget"]:
            return Verdict.infeasible("too dear")
        return Verdict.valid(value)
