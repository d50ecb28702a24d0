"""What every kind of answer offers: its form check, its words, random and hostile answers, its moves."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..plain import brief

Names = Mapping[str, Any]
"""The public part of an instance, or what one decision is asked with."""
Random = random.Random
HUGE = 10**4000
COLLIDING = 2**61 - 1
"""Its multiples have one hash: a set of them takes time that grows with the square of their number."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Text of a random move, for programs.

    Attributes:
        meaning: one sentence, the docstring of the class of moves.
        change: body of `change(self, current, random)`, indented by eight spaces: changes `current`, a fresh
            outer list, in place; returns False where the draw is no move.
        items: text of a copy of `answer`.
        size: text of the number of items of `self.current`.
    """

    meaning: str
    change: str
    items: str = "list(answer)"
    size: str = "len(self.current)"


class AnswerKind(Protocol):
    """One kind of answers; all methods are pure and take time linear in the answer.

    Attributes:
        entry: usual name of a function that returns such an answer.
        type: type of the answer as a signature has it.
        moves: name of the neighbourhood in `NEIGHBOURHOODS`; None without one.
    """

    @property
    def entry(self) -> str:
        """`choose`, `order`, …"""

    @property
    def type(self) -> str:
        """`list[int]`, …"""

    @property
    def moves(self) -> str | None:
        """`permutation`, …"""

    def fault(self, answer: object, names: Names) -> str | None:
        """One sentence on what is wrong with the form of an answer; None if nothing is.

        Looks at type, length, types of the items, range and distinctness, in this order.
        """

    def sentence(self, names: Names) -> str:
        """What is to be returned, in one sentence; `names` are those of some instance."""

    def draw(self, names: Names, rng: Random) -> Any:
        """A random answer of the right form."""

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """What is wrong → an answer of nearly the right form that must be refused."""

    def values(self, names: Names) -> str:
        """Python text, over the names, of what moves choose from; empty if they need nothing."""


def length_fault(answer: object, what: str, least: int, most: int) -> str | None:
    """The fault of what is no list, or none of `least` to `most` items."""
    if type(answer) is not list:
        return f"expected a list of {what}, got {brief(answer)}"
    if least <= len(answer) <= most:
        return None
    if least == most:
        wanted = str(most)
    else:
        wanted = f"at most {most}" if len(answer) > most else f"at least {least}"
    return f"expected a list of {wanted} {what}, got {len(answer)}"


def whole_fault(values: Sequence[object], low: int, high: int, where: str = "item") -> str | None:
    """The fault of the first value that is no whole number from `low` to `high`: types first, then ranges."""
    expected = f"expected a whole number from {low} to {high}"
    for place, value in enumerate(values):
        if type(value) is not int:
            return f"{where} {place}: got {brief(value)}, {expected}"
    for place, value in enumerate(values):
        if not low <= value <= high:  # type: ignore[operator]
            return f"{where} {place}: got {brief(value)}, {expected}"
    return None


def twice_fault(values: Sequence[int]) -> str | None:
    """The fault of numbers, all of them in a range, of which one stands twice."""
    seen: set[int] = set()
    for value in values:
        if value in seen:
            return f"{value} stands twice, expected different numbers"
        seen.add(value)
    return None


def wrong_items(right: list[Any], high: int) -> dict[str, Any]:
    """Answers that differ from a right one, of at least one item, by one item that is none."""
    return {
        words: [*right[:-1], item]
        for words, item in (
            ("true as an item", True),
            ("a float as an item", float(right[-1])),
            ("a text as an item", str(right[-1])),
            ("null as an item", None),
            ("a list as an item", [right[-1]]),
            ("an item below the range", -1),
            ("an item above the range", high + 1),
            ("an item of thousands of digits", HUGE),
            ("an item that collides with another", COLLIDING + 1),
        )
    }


NO_LISTS: dict[str, Any] = {
    "null": None,
    "a number": 0,
    "a text": "012",
    "an object": {"0": 0},
    "true": True,
}
"""What is wrong → an answer that is no list."""
