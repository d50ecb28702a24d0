"""Points that are about equally far from each other; the answer holds floats."""

from __future__ import annotations

import itertools
import random

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(points: int, colour: int) -> list[list[float]]:
    """What comes to mind first."""
    return [[float(k), 0.0] for k in range(points)]
'''

SECOND = '''\
def solve(points: int, colour: int) -> list[list[float]]:
    """A better one."""
    return [[float(k % 3), float(k // 3)] for k in range(points)]
'''


class Spread:
    """Minimise the longest distance over the shortest."""

    name, version, sense, unit, entry_point = "spread", "1", Sense.MINIMISE, "points", "solve"
    signature = "def solve(points: int, colour: int) -> list[list[float]]:"
    statement = (
        "Return that many points [x, y] from -1000000 to 1000000, no two nearer than 1e-6. The "
        "longest distance over the shortest counts. The colour means nothing."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Four random instances."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        public = {"points": stream.randint(5, 9), "colour": stream.randint(0, 10**6)}
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
        if type(answer) is not list or len(answer) != given["points"]:
            return Verdict.invalid("expected points")
        for point in answer:
            if type(point) is not list or len(point) != 2 or any(type(v) is not float for v in point):
                return Verdict.invalid("expected two floats")
            if not all(-1e6 <= v <= 1e6 for v in point):
                return Verdict.invalid("too far out")
        pairs = [
            (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])
            for a, b in itertools.combinations(answer, 2)
        ]
        if min(pairs) < 1e-12:
            return Verdict.infeasible("two points are too near")
        ratio = (max(pairs) / min(pairs)) ** 0.5
        return Verdict.valid(round(ratio if ratio > 1.0 else 1.0, 9))
