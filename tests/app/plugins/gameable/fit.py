"""A curve through points; the answer is a text of three numbers."""

from __future__ import annotations

import random
import re

from gapsmith import Instance, Json, Sense, Verdict

FIRST = '''\
def solve(xs: list[int], ys: list[int]) -> str:
    """What comes to mind first."""
    return f'0 0 {sum(ys) // len(ys)}'
'''

SECOND = '''\
def solve(xs: list[int], ys: list[int]) -> str:
    """A better one."""
    return f'1 0 {min(ys)}'
'''


def number(word: str) -> int:
    """A word as a number."""
    return int(word)


class Fit:
    """Minimise the sum of distances from the curve."""

    name, version, sense, unit, entry_point = "fit", "1", Sense.MINIMISE, "points", "solve"
    signature = "def solve(xs: list[int], ys: list[int]) -> str:"
    statement = (
        "Return the text of three integers with a blank between, a b c, for the curve a*x*x + b*x "
        "+ c. The sum of distances counts."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Four random instances."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        bend = stream.randint(1, 4)
        heights = [bend * x * x + stream.randint(0, 9) for x in range(8)]
        public = {"xs": list(range(8)), "ys": heights}
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
        if not isinstance(answer, str) or not 0 < len(answer) < 60:
            return Verdict.invalid("expected a text")
        if not re.fullmatch(r"-?[0-9]{1,6} -?[0-9]{1,6} -?[0-9]{1,6}", answer):
            return Verdict.invalid("expected three numbers")
        try:
            a, b, c = (number(word) for word in answer.split(" "))
        except Exception:
            return Verdict.invalid("expected numbers")
        if not all(type(v) is int and abs(v) <= 10**6 for v in (a, b, c)):
            return Verdict.invalid("expected integers")
        points = zip(given["xs"], given["ys"], strict=True)
        return Verdict.valid(sum(abs(a * x * x + b * x + c - y) for x, y in points))
