"""Comparison of objectives and references: exact, or within a stated tolerance."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeGuard

from ..problems.base import Number
from ..problems.plain import brief

LARGEST = 10**300
"""Of an objective or a reference in size: gaps are shown and averaged as floats, which end at 1.8e308."""
_MOST_PARTS = 10**1000
"""Of a fraction's denominator: a gap has the digits of several, and Python writes none of more than 4300."""
SCORABLE = "an int, a Fraction or a finite float (no bool), at most 10^300, a denominator at most 10^1000"
"""What `scorable` accepts, for messages."""
FAR_FACTOR = 3
"""How many times better than a best known value is a reason to doubt the evaluator (ratio)."""
DEFAULT_TOLERANCE = 1e-9
"""Relative; for problems with float objectives that declare none of their own (attribute `tolerance`)."""


def scorable(value: object) -> TypeGuard[Number]:
    """Whether a value may be an objective or a reference; a NumPy float is a float, its integers no int."""
    if isinstance(value, float):
        return math.fabs(value) <= float(LARGEST)  # the float 1e300 is a little more than 10^300
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return False
    return -LARGEST <= value <= LARGEST and value.denominator <= _MOST_PARTS


def written(value: object) -> str:
    """A value that is not `scorable`, for a message; of a huge number only that it is one."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return brief(value)
    inside = -LARGEST <= value <= LARGEST
    return "a denominator beyond 10^1000" if inside else "a number beyond 10^300"


def exact(number: Number) -> bool:
    """Whether a number is compared exactly."""
    return not isinstance(number, float)


def subtract(left: Number, right: Number) -> Number:
    """left − right: exact when both are."""
    if exact(left) and exact(right):
        difference = Fraction(left) - Fraction(right)
        return difference.numerator if difference.denominator == 1 else difference
    return float(left) - float(right)


def better_than(left: Number, right: Number, minimise: bool, tolerance: float) -> bool:
    """Whether `left` is strictly better; floats must differ by more than the relative tolerance."""
    if exact(left) and exact(right):
        return left < right if minimise else left > right
    slack = tolerance * max(abs(float(left)), abs(float(right)))
    difference = float(right) - float(left) if minimise else float(left) - float(right)
    return difference > slack


def far_beyond(objective: Number, known: Number, minimise: bool) -> bool:
    """Whether an objective beats a value without proof by so much that a person has to look.

    That is: three times as good, or beyond zero where the known value is on the near side of it.
    """
    sign = 1 if minimise else -1
    new, old = sign * objective, sign * known
    return new * FAR_FACTOR <= old if old > 0 else new <= old * FAR_FACTOR and new < 0


def equal(left: Number, right: Number, tolerance: float) -> bool:
    """Whether two numbers are equal, floats within the relative tolerance."""
    return not better_than(left, right, True, tolerance) and not better_than(right, left, True, tolerance)
