"""Amounts of foods; the answer holds floats."""

from __future__ import annotations

import math
import random

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(cost: list[int], protein: list[int], need: int) -> list[float]:
    """What comes to mind first."""
    return [need / sum(protein) + 1e-9] * len(cost)
'''

SECOND = '''\
def solve(cost: list[int], protein: list[int], need: int) -> list[float]:
    """A better one."""
    x = [0.0] * len(cost)
    for k in sorted(range(len(cost)), key=lambda k: cost[k] / protein[k]):
        x[k] = min(10.0, max(0.0, need / protein[k] * (1 + 1e-12)))
        need -= x[k] * protein[k]
    return x
'''


class Mixture:
    """Minimise the cost."""

    name, version, sense, unit, entry_point = "mixture", "1", Sense.MINIMISE, "points", "solve"
    signature = "def solve(cost: list[int], protein: list[int], need: int) -> list[float]:"
    statement = (
        "Return an amount from 0 to 10 of each food; proteins times amounts make at least the "
        "need. The cost counts."
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
            "cost": [stream.randint(5, 40) for _ in range(6)],
            "protein": [stream.randint(1, 9) for _ in range(6)],
            "need": 97,
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
        if type(answer) is not list or len(answer) != len(given["cost"]):
            return Verdict.invalid("expected amounts")
        if any(type(x) not in (int, float) or not 0 <= x <= 10 for x in answer):
            return Verdict.invalid("expected amounts from 0 to 10")
        total = math.fsum(x * p for x, p in zip(answer, given["protein"], strict=True))
        enough = total >= given["need"]
        if not enough:
            return Verdict.infeasible("too little protein")
        return Verdict.valid(math.fsum(x * c for x, c in zip(answer, given["cost"], strict=True)))
