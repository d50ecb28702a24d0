"""Offsets: a place for each item on a line without an end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .expression import checked, count, worded
from .kind import NO_LISTS, Names, Neighbourhood, Random, length_fault, whole_fault, wrong_items

FARTHEST = 2**53
"""Largest offset: beyond it, floats no longer tell two whole numbers apart."""
_DRAWN = 1000
"""Random offsets stay below."""

STEPS = Neighbourhood(
    "One number grows or shrinks, or two numbers change places.",
    """
        i = int(len(current) * random())
        if form < 0.8:
            step = 1 + int((max(current) - min(current) + 1) * random() ** 3)
            current[i] = max(0, current[i] + (step if random() < 0.5 else -step))
        else:
            k = int(len(current) * random())
            if current[i] == current[k]:
                return False
            current[i], current[k] = (current[k], current[i])
""",
)


@dataclass(frozen=True, slots=True)
class Offsets:
    """A list with a whole number ≥ 0, at most 2^53, for each of n items: a start, an address.

    Attributes:
        n: items (count): a number, or an expression over the public part; a list stands for its length.
    """

    n: int | str
    entry: ClassVar[str] = "place"
    type: ClassVar[str] = "list[int]"
    moves: ClassVar[str] = "offsets"

    def __post_init__(self) -> None:
        checked(self.n, "Offsets n")

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        n = count(self.n, names)
        return length_fault(answer, "whole numbers", n, n) or whole_fault(answer, 0, FARTHEST)

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        return (
            f"Return a list of {worded(self.n, names)} whole numbers ≥ 0 (at most 2^53), one for each item."
        )

    def draw(self, names: Names, rng: Random) -> list[int]:
        """See `AnswerKind`."""
        return [rng.randrange(_DRAWN) for _ in range(count(self.n, names))]

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        n = count(self.n, names)
        if not n:
            return {**NO_LISTS, "an item too many": [0]}
        more = {"no item": [], "an item too few": [0] * (n - 1), "an item too many": [0] * (n + 1)}
        return {**NO_LISTS, **more, **wrong_items([0] * n, FARTHEST)}

    def values(self, names: Names) -> str:
        """Moves of offsets need nothing."""
        return ""
