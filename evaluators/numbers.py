"""Compares objectives and references, exactly or within a stated tolerance."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeGuard

from ..problems.base import Number
from ..problems.plain import brief

LARGEST = 10**300
"""Largest size of an objective or reference: gaps are averaged as floats, which end at 1.8e308."""
_MOST_PARTS = 10**1000
"""Largest denominator: a gap combines several denominators, and Python prints at most 4300 digits."""
SCORABLE = "an int, a Fraction or a finite float (no bool), at most 10^300, a denominator at most 10^1000"
"""The values that `scorable` accepts, for messages."""
FAR_FACTOR = 3
"""An objective this many times better than a best known value is a reason to doubt the evaluator."""
DEFAULT_TOLERANCE = 1e-9
"""Relative tolerance for float objectives of problems without a `tolerance` attribute."""


def scorable(value: object) -> TypeGuard[Number]:
    """Whether a value may be an objective or a reference; accepts a NumPy float64 but no NumPy integer."""
    if isinstance(value, float):
        return math.fabs(value) <= float(LARGEST)  # the float 1e300 is a little more than 10^300
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return False
    return -LARGEST <= value <= LARGEST and value.denominator <= _MOST_PARTS


def written(value: object) -> str:
    """A value that is not `scorable`, for a message; a huge number is described rather than printed."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return brief(value)
    inside = -LARGEST <= value <= LARGEST
    return "a denominator beyond 10^1000" if inside else "a number beyond 10^300"


def exact(number: Number) -> bool:
    """Whether a number is compared exactly, that is, not a float."""
    return not isinstance(number, float)


def subtract(left: Number, right: Number) -> Number:
    """left − right; exact if both numbers are exact."""
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
    """Whether an objective beats an unproven value by so much that a person should check the evaluator.

    For minimisation: at most a third of a positive value, or negative and at least three times a value ≤ 0 in
    size. Maximisation is the mirror image.
    """
    sign = 1 if minimise else -1
    new = sign * objective
    old = sign * known
    return new * FAR_FACTOR <= old if old > 0 else new <= old * FAR_FACTOR and new < 0


def equal(left: Number, right: Number, tolerance: float) -> bool:
    """Whether two numbers are equal, floats within the relative tolerance."""
    return not better_than(left, right, True, tolerance) and not better_than(right, left, True, tolerance)
