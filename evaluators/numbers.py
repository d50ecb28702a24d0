"""Comparison of objectives and references: exact, or within a stated tolerance."""

from __future__ import annotations

from fractions import Fraction

from ..problems.base import Number

DEFAULT_TOLERANCE = 1e-9
"""Relative; for problems with float objectives that declare none of their own (attribute `tolerance`)."""


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


def equal(left: Number, right: Number, tolerance: float) -> bool:
    """Whether two numbers are equal, floats within the relative tolerance."""
    return not better_than(left, right, True, tolerance) and not better_than(right, left, True, tolerance)
