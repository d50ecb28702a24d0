"""Values: an amount for each item, within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..plain import brief
from .expression import ITEM, FormError, checked, count, counted, mentions, number, worded
from .kind import HUGE, NO_LISTS, Names, Neighbourhood, Random, length_fault

_AMOUNT = """
        i = int(len(current) * random())
        low, high = self.values[i]
        if form < 0.15:
            value = low if random() < 0.5 else high
        elif form < 0.3:
            value = {scaled}
        else:
            step = {step}
            if form < 0.65:
                value = current[i] + (step if random() < 0.5 else -step)
            else:
                k = int(len(current) * random())
                step = min(step, current[i] - low, self.values[k][1] - current[k])
                if i == k or step <= 0:
                    return False
                current[i] = max(low, current[i] - step)
                current[k] = min(self.values[k][1], current[k] + step)
                return True
        value = min(high, max(low, value))
        if value == current[i]:
            return False
        current[i] = value
"""
_MEANING = "One amount goes to a bound, is scaled, grows or shrinks, or a part of it goes to another item."
WHOLE_AMOUNTS = Neighbourhood(
    _MEANING,
    _AMOUNT.format(
        scaled="int(current[i] * (0.5 + random()) + 0.5)", step="1 + int((high - low) * random() ** 3)"
    ),
)
AMOUNTS = Neighbourhood(
    _MEANING,
    _AMOUNT.format(scaled="current[i] * (0.5 + random())", step="(high - low) * random() ** 3"),
)


@dataclass(frozen=True, slots=True)
class Values:
    """A list with a number from `low` to `high` for each of n items.

    Attributes:
        n: items (count): a number, or an expression over the public part; a list stands for its length.
        low, high: bounds, inclusive: numbers, or expressions in which `i` is the number of the item
            (`"capacities[i]"`).
        integer: whether the numbers are whole.
    """

    n: int | str
    low: float | str
    high: float | str
    integer: bool = False
    entry: ClassVar[str] = "amounts"

    def __post_init__(self) -> None:
        for what in ("n", "low", "high"):
            checked(getattr(self, what), f"Values {what}")
        if type(self.integer) is not bool:
            raise FormError(f"Values integer: got {brief(self.integer)}, expected True or False")

    @property
    def type(self) -> str:
        """See `AnswerKind`."""
        return "list[int]" if self.integer else "list[float]"

    @property
    def moves(self) -> str:
        """See `AnswerKind`."""
        return "whole values" if self.integer else "values"

    def fault(self, answer: Any, names: Names) -> str | None:
        """See `AnswerKind`."""
        n = count(self.n, names)
        what = "whole numbers" if self.integer else "numbers"
        if fault := length_fault(answer, what, n, n):
            return fault
        allowed = (int,) if self.integer else (int, float)
        one = "a whole number" if self.integer else "a number"
        for place, value in enumerate(answer):
            if type(value) not in allowed or value != value:
                return f"item {place}: got {brief(value)}, expected {one}"
        for place, (value, (low, high)) in enumerate(zip(answer, self.bounds(names), strict=True)):
            if not low <= value <= high:
                return f"item {place}: got {brief(value)}, expected {one} from {low} to {high}"
        return None

    def sentence(self, names: Names) -> str:
        """See `AnswerKind`."""
        what = "whole numbers" if self.integer else "numbers"
        whose = ", for item i" if ITEM in mentions(self.low) | mentions(self.high) else ""
        bounds = f"from {_shown(self.low)} to {_shown(self.high)}{whose}"
        return f"Return a list of {worded(self.n, names)} {what}, one for each item, {bounds}."

    def draw(self, names: Names, rng: Random) -> list[int | float]:
        """See `AnswerKind`."""
        bounds = self.bounds(names)
        if self.integer:
            return [rng.randint(int(low), int(high)) for low, high in bounds]
        return [rng.uniform(low, high) for low, high in bounds]

    def hostile(self, names: Names) -> Mapping[str, Any]:
        """See `AnswerKind`."""
        right = [low for low, _ in self.bounds(names)]
        if not right:
            return {**NO_LISTS, "an item too many": [0]}
        low, high = self.bounds(names)[-1]
        items: dict[str, Any] = {
            "true as an item": True,
            "a text as an item": str(low),
            "null as an item": None,
            "a list as an item": [low],
            "not a number as an item": float("nan"),
            "infinity as an item": float("inf"),
            "an item below the range": low - 1,
            "an item above the range": high + 1,
            "an item of thousands of digits": HUGE,
            **({"a float as an item": float(low)} if self.integer else {}),
        }
        wrong = {words: [*right[:-1], item] for words, item in items.items()}
        more = {"no item": [], "an item too few": right[:-1], "an item too many": [*right, low]}
        return {**NO_LISTS, **more, **wrong}

    def values(self, names: Names) -> str:
        """The bounds of each item."""
        return f"[({self.low}, {self.high}) for {ITEM} in range({counted(self.n, names)})]"

    def bounds(self, names: Names) -> list[tuple[int | float, int | float]]:
        """Least and largest value of each item."""
        n = count(self.n, names)
        if ITEM in names or ITEM not in mentions(self.low) | mentions(self.high):
            return [(number(self.low, names), number(self.high, names))] * n
        one = dict(names)
        bounds = []
        for place in range(n):
            one[ITEM] = place
            bounds.append((number(self.low, one), number(self.high, one)))
        return bounds


def _shown(bound: float | str) -> str:
    return f"`{bound}`" if isinstance(bound, str) else str(bound)
