"""Subsets: a choice of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .expression import checked, count, counted, last
from .kind import (
    NO_LISTS,
    Names,
    Neighbourhood,
    Random,
    length_fault,
    twice_fault,
    whole_fault,
    wrong_items,
)

CHOICES = Neighbourhood(
    "One value comes in, goes out, or takes the place of another.",
    """
        if form < 0.6:
            value = self.values[int(len(self.values) * random())]
            if value in current:
                return False
            if form < 0.2 or not current:
                current.append(value)
            else:
                current[int(len(current) * random())] = value
        elif current:
            current.pop(int(len(current) * random()))
        else:
            return False
""",
    size="len(self.current) + 1",
)


@dataclass(frozen=True, slots=True)
class Subset:
    """A list of different whole numbers from 0 to n - 1, in any order.

    Attributes:
        n: items to choose from (count): a number, or an expression over the public part; a list stands for
            its length.
    """

    n: int | str
    entry: ClassVar[str] = "choose"
    type: ClassVar[str] = "list[int]"
    moves: ClassVar[str] = "subset"

    def __post_init__(self) -> None:
        checked(self.n, "Subset n")

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        n = count(self.n, names)
        return (
            length_fault(answer, "different whole numbers", 0, n)
            or whole_fault(answer, 0, n - 1)
            or twice_fault(answer)
        )

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        high = last(self.n, names)
        return f"Return a list of different whole numbers from 0 to {high}: those that are chosen."

    def draw(self, names: Names, rng: Random) -> list[int]:
        """See `AnswerKind`."""
        n = count(self.n, names)
        return rng.sample(range(n), rng.randint(0, n))

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        n = count(self.n, names)
        if not n:
            return {**NO_LISTS, "an item too many": [0]}
        whole = list(range(n))
        more = {"an item twice": [0, 0], "a number too many": [*whole, 0]}
        return {**NO_LISTS, **more, **wrong_items(whole, n - 1)}

    def values(self, names: Names) -> str:
        """All items, of which moves take one in."""
        return f"range({counted(self.n, names)})"
