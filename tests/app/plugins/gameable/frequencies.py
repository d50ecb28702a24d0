"""Frequencies of stations, some of which disturb each other."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(count: int, pairs: list[list[int]]) -> list[int]:
    """What comes to mind first."""
    return [3 * k for k in range(count)]
'''

SECOND = '''\
def solve(count: int, pairs: list[list[int]]) -> list[int]:
    """A better one."""
    f = []
    for k in range(count):
        v = 0
        before = [(f[a], d) for a, b, d in pairs if b == k]
        while any(abs(v - other) < d for other, d in before):
            v += 1
        f.append(v)
    return f
'''


class Frequencies:
    """Minimise the largest frequency."""

    name, version, sense, unit, entry_point = "frequencies", "1", Sense.MINIMISE, "points", "solve"
    signature = "def solve(count: int, pairs: list[list[int]]) -> list[int]:"
    statement = (
        "Return a frequency from 0 to 30 for each of count stations; those of a pair [a, b, d] "
        "differ by at least d. The largest frequency counts."
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
            "count": 10,
            "pairs": [[*sorted(stream.sample(range(10), 2)), stream.randint(1, 3)] for _ in range(18)],
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
        if type(answer) is not list or len(answer) != given["count"]:
            return Verdict.invalid("expected a frequency for each station")
        if any(type(f) is not int or f < 0 or f > 30 for f in answer):
            return Verdict.invalid("expected frequencies from 0 to 30")
        checked = given["pairs"]
        broken = [1 for a, b, d in checked if abs(answer[a] - answer[b]) < d]
        if broken:
            return Verdict.infeasible(f"{len(broken)} pairs are too near")
        return Verdict.valid(max(answer))
