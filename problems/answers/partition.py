"""Partitions: every item is in exactly one list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from .expression import checked, count, last, worded
from .kind import Names, Random
from .lists import hostile_lists, lists_fault, random_lists


@dataclass(frozen=True, slots=True)
class Partition:
    """Lists of the whole numbers from 0 to n - 1, each number in exactly one list.

    Attributes:
        n: items (count): a number, or an expression over the public part; a list stands for its length.
        lists: how many lists (count), stated likewise, which may be empty; None for any number, none empty.
    """

    n: int | str
    lists: int | str | None = None
    entry: ClassVar[str] = "divide"
    type: ClassVar[str] = "list[list[int]]"

    def __post_init__(self) -> None:
        checked(self.n, "Partition n")
        if self.lists is not None:
            checked(self.lists, "Partition lists")

    @property
    def moves(self) -> str:
        """See `AnswerKind`."""
        return "partition" if self.lists is None else "routes"

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        return lists_fault(answer, count(self.n, names), self._lists(names), True)

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        how = (
            "non-empty lists"
            if self.lists is None
            else f"{worded(self.lists, names)} lists (some may be empty)"
        )
        return f"Return {how} that hold each whole number from 0 to {last(self.n, names)} exactly once."

    def draw(self, names: Names, rng: Random) -> list[list[int]]:
        """See `AnswerKind`."""
        n = count(self.n, names)
        return random_lists(rng.sample(range(n), n), self._lists(names), rng)

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        return hostile_lists(count(self.n, names), self._lists(names), True)

    def values(self, names: Names) -> str:
        """Moves of a partition need nothing."""
        return ""

    def _lists(self, names: Names) -> int | None:
        return None if self.lists is None else count(self.lists, names)
