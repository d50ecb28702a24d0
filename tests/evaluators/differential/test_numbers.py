"""Comparisons of objectives, exact and within a tolerance, at the numbers where they change."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.numbers import (
    LARGEST,
    better_than,
    equal,
    exact,
    far_beyond,
    scorable,
    subtract,
    written,
)


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        (LARGEST, True),
        (-LARGEST, True),
        (LARGEST + 1, False),
        (-LARGEST - 1, False),
        (1e300, True),
        (-1e300, True),
        (1.1e300, False),
        (float("nan"), False),
        (True, False),
        ("1", False),
        (Fraction(1, 10**1000), True),
        (Fraction(1, 10**1000 + 1), False),
        (Fraction(LARGEST * 2 + 1, 2), False),
        (np.float64(2.5), True),
        (np.int64(2), False),
    ],
)
def test_scorable_values(value: Any, accepted: bool) -> None:
    """Values at the limits of size and of denominator."""
    assert scorable(value) == accepted


def test_words_for_numbers_beyond_the_limits() -> None:
    """A denominator, or the size, is what is too large."""
    assert written(Fraction(1, 10**1000 + 1)) == "a denominator beyond 10^1000"
    assert written(LARGEST) == written(-LARGEST) == "a denominator beyond 10^1000"
    assert written(LARGEST + 1) == written(-LARGEST - 1) == "a number beyond 10^300"
    assert written("seven") == "'seven'"
    assert written(True) == "True"


def test_differences() -> None:
    """Exact where both are exact; a whole difference is an int."""
    assert subtract(7, Fraction(1, 2)) == Fraction(13, 2)
    assert type(subtract(Fraction(7, 2), Fraction(1, 2))) is int
    assert subtract(10**20 + 1, 10**20) == 1
    assert subtract(2.5, 1) == 1.5
    assert exact(Fraction(1, 3))
    assert not exact(1.0)


@pytest.mark.parametrize(
    ("left", "right", "minimise", "better"),
    [
        (1, 2, True, True),
        (2, 1, True, False),
        (1, 1, True, False),
        (2, 1, False, True),
        (1, 2, False, False),
        (1, 1, False, False),
        (1.0, 1.25, True, True),
        (1.0, 1.125, True, False),
        (1.25, 1.0, False, True),
        (1.125, 1.0, False, False),
        (-1.25, -1.0, True, True),
        (-1.125, -1.0, True, False),
        (1.0, 1, True, False),
        (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**20), True, True),
    ],
)
def test_better_numbers(left: Any, right: Any, minimise: bool, better: bool) -> None:
    """Exact numbers differ by anything, floats by more than an eighth of the larger one."""
    assert better_than(left, right, minimise, 0.125) == better
    assert equal(left, right, 0.125) == (not better and not better_than(right, left, minimise, 0.125))


@pytest.mark.parametrize(
    ("objective", "known", "minimise", "far"),
    [
        (1, 3, True, True),
        (Fraction(101, 100), 3, True, False),
        (0, 3, True, True),
        (-1, 3, True, True),
        (0, 0, True, False),
        (-1, 0, True, True),
        (-9, -3, True, True),
        (-8, -3, True, False),
        (9, 3, False, True),
        (8, 3, False, False),
        (-1, -3, False, True),
        (-2, -3, False, False),
        (1, 0, False, True),
    ],
)
def test_numbers_far_beyond(objective: Any, known: Any, minimise: bool, far: bool) -> None:
    """A third of a positive value, three times a negative one, and the mirror image."""
    assert far_beyond(objective, known, minimise) == far
