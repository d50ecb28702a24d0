"""Ratings: a number for each item, or one number, from which a fixed loop makes its decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..plain import brief
from .expression import checked, count, worded
from .kind import HUGE, NO_LISTS, Names, Random, length_fault

LARGEST = 1e300
"""Largest size of a rating, so that sums and products of a few stay finite."""
_KIND = "a finite number (at most 1e300)"


@dataclass(frozen=True, slots=True)
class Ratings:
    """A finite number for each of n items, or one finite number.

    Attributes:
        n: items (count): a number, or an expression over what a decision is asked with; a list stands for its
            length. None for one number that is no list.
    """

    n: int | str | None = None
    entry: ClassVar[str] = "rate"
    moves: ClassVar[None] = None

    def __post_init__(self) -> None:
        if self.n is not None:
            checked(self.n, "Ratings n")

    @property
    def type(self) -> str:
        """See `AnswerKind`."""
        return "float" if self.n is None else "list[float]"

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        if self.n is None:
            return None if _rating(answer) else f"expected {_KIND}, got {brief(answer)}"
        n = count(self.n, names)
        if fault := length_fault(answer, "numbers", n, n):
            return fault
        wrong = next((place for place, value in enumerate(answer) if not _rating(value)), None)
        return None if wrong is None else f"item {wrong}: got {brief(answer[wrong])}, expected {_KIND}"

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        if self.n is None:
            return f"Return {_KIND}."
        return f"Return a list of {worded(self.n, names)} finite numbers, one rating for each item."

    def draw(self, names: Names, rng: Random) -> float | list[float]:
        """See `AnswerKind`."""
        if self.n is None:
            return rng.uniform(-1, 1)
        return [rng.uniform(-1, 1) for _ in range(count(self.n, names))]

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        items: dict[str, Any] = {
            "true": True,
            "a text": "0",
            "null": None,
            "not a number": float("nan"),
            "infinity": float("inf"),
            "a number of thousands of digits": HUGE,
        }
        if self.n is None:
            return {**items, "a list": [0.5]}
        n = count(self.n, names)
        if not n:
            return {**NO_LISTS, "an item too many": [0.5]}
        wrong = {f"{words} as an item": [0.5] * (n - 1) + [item] for words, item in items.items()}
        return {**NO_LISTS, "an item too few": [0.5] * (n - 1), "an item too many": [0.5] * (n + 1), **wrong}

    def values(self, names: Names) -> str:
        """A rating has no moves."""
        return ""


def _rating(value: object) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST  # type: ignore[operator]
