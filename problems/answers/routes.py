"""Routes: sequences of items, of which some may be left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .expression import checked, count, counted, last, worded
from .kind import Names, Random
from .lists import hostile_lists, lists_fault, random_lists


@dataclass(frozen=True, slots=True)
class Routes:
    """Lists of whole numbers from 0 to n - 1, each number in at most one list.

    Attributes:
        n: items (count): a number, or an expression over the public part; a list stands for its length.
        lists: how many routes (count), stated likewise, which may be empty; None for any number, none empty.
    """

    n: int | str
    lists: int | str | None = None
    entry: ClassVar[str] = "route"
    type: ClassVar[str] = "list[list[int]]"

    def __post_init__(self) -> None:
        checked(self.n, "Routes n")
        if self.lists is not None:
            checked(self.lists, "Routes lists")

    @property
    def moves(self) -> str:
        """See `AnswerKind`."""
        return "part of partition" if self.lists is None else "part of routes"

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        return lists_fault(answer, count(self.n, names), self._lists(names), False)

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        how = (
            "non-empty lists"
            if self.lists is None
            else f"{worded(self.lists, names)} lists (some may be empty)"
        )
        high = last(self.n, names)
        return f"Return {how} of whole numbers from 0 to {high}; a number is in one list or left out."

    def draw(self, names: Names, rng: Random) -> list[list[int]]:
        """See `AnswerKind`."""
        n = count(self.n, names)
        items = [] if self._lists(names) == 0 else rng.sample(range(n), rng.randint(0, n))
        return random_lists(items, self._lists(names), rng)

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        return hostile_lists(count(self.n, names), self._lists(names), False)

    def values(self, names: Names) -> str:
        """All items, of which moves take one in."""
        return f"range({counted(self.n, names)})"

    def _lists(self, names: Names) -> int | None:
        return None if self.lists is None else count(self.lists, names)
