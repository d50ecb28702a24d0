"""Permutations: an order of all items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .expression import checked, count, last
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

ORDERS = Neighbourhood(
    "Insertions, exchanges and reversals in a permutation.",
    """
        i = int(len(current) * random())
        k = int(len(current) * random())
        if i == k:
            return False

        if form < 0.45:
            current.insert(k, current.pop(i))
        elif form < 0.75:
            current[i], current[k] = (current[k], current[i])
        else:
            i, k = (min(i, k), max(i, k) + 1)
            current[i:k] = current[i:k][::-1]
""",
)


@dataclass(frozen=True, slots=True)
class Permutation:
    """A list of the whole numbers from 0 to n - 1, each once.

    Attributes:
        n: items (count): a number, or an expression over the public part; a list stands for its length.
    """

    n: int | str
    entry: ClassVar[str] = "order"
    type: ClassVar[str] = "list[int]"
    moves: ClassVar[str] = "permutation"

    def __post_init__(self) -> None:
        checked(self.n, "Permutation n")

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        n = count(self.n, names)
        return (
            length_fault(answer, "whole numbers", n, n)
            or whole_fault(answer, 0, n - 1)
            or twice_fault(answer)
        )

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        return (
            f"Return a permutation: a list of the whole numbers from 0 to {last(self.n, names)}, each once."
        )

    def draw(self, names: Names, rng: Random) -> list[int]:
        """See `AnswerKind`."""
        return rng.sample(range(n := count(self.n, names)), n)

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        whole = list(range(count(self.n, names)))
        if not whole:
            return {**NO_LISTS, "an item too many": [0]}
        doubled = {"an item twice": [*whole[:-1], whole[0]]} if len(whole) > 1 else {}
        more = {"no item": [], "an item too few": whole[:-1], "an item too many": [*whole, len(whole)]}
        return {**NO_LISTS, **more, **wrong_items(whole, len(whole) - 1), **doubled}

    def values(self, names: Names) -> str:
        """Moves of a permutation need nothing."""
        return ""
