"""A polynomial, as a text, that fits measured points."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Sense, Verdict

MEAN = '''\
def fit(points: list[list[int]]) -> str:
    """The mean, whatever x is."""
    return str(sum(y for _, y in points) // len(points))
'''

LINE = '''\
def fit(points: list[list[int]]) -> str:
    """A line through the outer points."""
    (a, b), (c, d) = min(points), max(points)
    slope = (d - b) // (c - a)
    return f"{b - slope * a} {slope}"
'''


class Formula:
    """Minimise the sum of the errors."""

    name, version, sense, unit, entry_point = "formula", "1", Sense.MINIMISE, "units", "fit"
    signature = "def fit(points: list[list[int]]) -> str:"
    statement = (
        "Return up to five integers as a text, the coefficients of 1, x, x*x, …, that fit points [x, y]."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Points near a parabola."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        a, b = stream.randint(1, 9), stream.randint(-9, 9)
        points = [[x, a * x * x + b * x + stream.randint(-20, 20)] for x in range(-5, 15)]
        return Instance(f"{set}-{number}", set, "parabola", {"points": points}, 1, "random")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"mean": MEAN}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"line": LINE}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The sum of the errors at all points."""
        if not isinstance(answer, str) or len(answer) > 100:
            return Verdict.invalid("expected a text")
        words = answer.split(" ")
        for word in words:
            digits = word.removeprefix("-")
            if not (digits.isascii() and digits.isdigit() and str(int(word)) == word):
                return Verdict.invalid(f"expected integers, got {answer}")
        if len(words) > 5:
            return Verdict.invalid("expected at most five")
        numbers = [int(word) for word in words]
        return Verdict.valid(
            sum(abs(y - sum(n * x**k for k, n in enumerate(numbers))) for x, y in instance.public["points"])
        )
