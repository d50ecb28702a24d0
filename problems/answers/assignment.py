"""Assignments: each item gets one of several values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .expression import checked, count, counted, last, worded
from .kind import NO_LISTS, Names, Neighbourhood, Random, length_fault, whole_fault, wrong_items

EXCHANGES = Neighbourhood(
    "One item gets another value, or two items exchange theirs.",
    """
        i = int(len(current) * random())
        if form < 0.5:
            value = self.values[int(len(self.values) * random())]
            if value == current[i]:
                return False
            current[i] = value
        else:
            k = int(len(current) * random())
            if current[i] == current[k]:
                return False
            current[i], current[k] = (current[k], current[i])
""",
)


@dataclass(frozen=True, slots=True)
class Assignment:
    """A list with a whole number from 0 to m - 1 for each of n items.

    Attributes:
        n: items (count): a number, or an expression over the public part; a list stands for its length.
        m: values that an item may get (count), stated likewise.
    """

    n: int | str
    m: int | str
    entry: ClassVar[str] = "assign"
    type: ClassVar[str] = "list[int]"
    moves: ClassVar[str] = "assignment"

    def __post_init__(self) -> None:
        checked(self.n, "Assignment n")
        checked(self.m, "Assignment m")

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        n, m = count(self.n, names), count(self.m, names)
        return length_fault(answer, "whole numbers", n, n) or whole_fault(answer, 0, m - 1)

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        n, high = worded(self.n, names), last(self.m, names)
        return f"Return a list of {n} whole numbers from 0 to {high}, one for each item."

    def draw(self, names: Names, rng: Random) -> list[int]:
        """See `AnswerKind`."""
        m = count(self.m, names)
        return [rng.randrange(m) for _ in range(count(self.n, names))]

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        n, m = count(self.n, names), count(self.m, names)
        if not n or not m:
            return {**NO_LISTS, "an item too many": [0]}
        more = {"no item": [], "an item too few": [0] * (n - 1), "an item too many": [0] * (n + 1)}
        return {**NO_LISTS, **more, **wrong_items([0] * n, m - 1)}

    def values(self, names: Names) -> str:
        """All values of an item."""
        return f"range({counted(self.m, names)})"
