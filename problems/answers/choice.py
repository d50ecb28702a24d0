"""Choices: one of several things, as an online decision is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..plain import brief
from .expression import checked, count, last
from .kind import HUGE, Names, Random


@dataclass(frozen=True, slots=True)
class Choice:
    """A whole number from 0 to m - 1.

    Attributes:
        m: things to choose from (count): a number, or an expression over the public part or over what a
            decision is asked with; a list stands for its length.
    """

    m: int | str
    entry: ClassVar[str] = "choose"
    type: ClassVar[str] = "int"
    moves: ClassVar[None] = None

    def __post_init__(self) -> None:
        checked(self.m, "Choice m")

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        m = count(self.m, names)
        if type(answer) is int and 0 <= answer < m:
            return None
        return f"expected a whole number from 0 to {m - 1}, got {brief(answer)}"

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        return f"Return a whole number from 0 to {last(self.m, names)}."

    def draw(self, names: Names, rng: Random) -> int:
        """See `AnswerKind`."""
        return rng.randrange(count(self.m, names))

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        m = count(self.m, names)
        wrong: dict[str, Any] = {"null": None, "true": True, "false": False, "a text": "0", "a list": [0]}
        return {**wrong, "a float": 0.0, "below the range": -1, "above the range": m, "huge": HUGE}

    def values(self, names: Names) -> str:
        """A choice has no moves."""
        return ""
