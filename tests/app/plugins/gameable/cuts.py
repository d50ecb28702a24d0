"""Marks on a rod with different distances."""

from __future__ import annotations

import random
from collections import Counter

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(size: int, marks: int) -> list[int]:
    """What comes to mind first."""
    return [*range(marks - 1), size]
'''

SECOND = '''\
def solve(size: int, marks: int) -> list[int]:
    """A better one."""
    return [k * k * size // (marks - 1) ** 2 if k > 1 else k for k in range(marks)]
'''


class Cuts:
    """Minimise how often a distance is repeated."""

    name, version, sense, unit, entry_point = "cuts", "1", Sense.MINIMISE, "points", "solve"
    signature = "def solve(size: int, marks: int) -> list[int]:"
    statement = (
        "Return different marks from 0 to size, both ends among them. The number of pairs with a "
        "distance that another pair has counts."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Four random instances."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        public = {"size": stream.randint(300, 100_000), "marks": 7}
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
        size = given["size"]
        if type(answer) is not list or len(answer) != given["marks"]:
            return Verdict.invalid("expected that many marks")
        if not all(type(mark) is int and 0 <= mark <= size for mark in answer):
            return Verdict.invalid("expected marks on the rod")
        if max(Counter(answer).values()) > 1 or 0 not in answer or size not in answer:
            return Verdict.infeasible("expected different marks and both ends")
        gaps = Counter(b - a for a in answer for b in answer if a < b)
        return Verdict.valid(sum(n - 1 for n in gaps.values()))
