"""The interval of a mean from a sample that may be skewed, full of zeros and small."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

LEVEL = 0.95
"""Chance that the interval of a new sample holds the mean (probability)."""
METHOD = "Student's t, widened for skewness (Hall)"
"""What a claim says of its interval; claims of earlier versions, by a percentile bootstrap, say nothing."""
FEWEST = 4
"""Values other than 0 that an interval needs (count): with fewer, counts say more."""
FEW = 30
"""Sample size below which the interval can hold less often than it says (count); docs/reference/gaps.md."""
_MOST_FREEDOM = 1_000


def mean_interval(
    values: Sequence[float], level: float = LEVEL, least: float | None = None
) -> tuple[float, float] | None:
    """Interval of the mean of the law behind a sample, (low, high); None below `FEWEST` values other than 0.

    Each end is the farther one of Student's t and of the t whose skewness Hall's cubic transformation takes
    out (Hall 1992, doi:10.1111/j.2517-6161.1992.tb01876.x). Where values have both signs, as differences
    have, a sample's skewness is mostly noise, so both ends are as far as the farther one.
    `benchmarks/coverage.py` measures how often such an interval holds.

    Args:
        values: finite numbers in any unit.
        level: chance that an interval holds the mean (0 to 1).
        least: what no mean can be below, in the unit of the values; None without such a limit.
    """
    if sum(value != 0 for value in values) < FEWEST:
        return None
    number = len(values)
    scale = max(map(abs, values))
    shares = [value / scale for value in values]  # powers of large numbers would overflow
    mean = math.fsum(shares) / number
    second = math.fsum((share - mean) ** 2 for share in shares) / number
    below, above = _reaches(shares, mean, second, student(level, number - 1))
    if min(values) < 0 < max(values):
        below = above = max(below, above)
    low = scale * (mean - below)
    high = scale * (mean + above)
    return (low if least is None else max(low, least)), high


def _reaches(shares: Sequence[float], mean: float, second: float, quantile: float) -> tuple[float, float]:
    """How far the interval goes below and above the mean, in the unit of the values.

    Args:
        shares: the sample.
        mean, second: its mean and its second central moment.
        quantile: of Student's t, two-sided.
    """
    number = len(shares)
    if second <= 0:
        return 0.0, 0.0
    deviation = math.sqrt(second * number / (number - 1))
    plain = quantile / math.sqrt(number)
    skewness = math.fsum((share - mean) ** 3 for share in shares) / number / second**1.5
    below = max(plain, _without_skewness(plain, skewness, number))
    above = max(plain, -_without_skewness(-plain, skewness, number))
    return deviation * below, deviation * above


def _without_skewness(studentised: float, skewness: float, number: int) -> float:
    """The inverse of Hall's transformation of a studentised mean.

    Args:
        studentised: quantile of a symmetric law, over the root of the sample size.
        skewness: of the sample (third moment over the standard deviation's cube).
        number: sample size.
    """
    if abs(skewness) < 1e-6:
        return studentised
    return 3 / skewness * (math.cbrt(1 + skewness * (studentised - skewness / (6 * number))) - 1)


@lru_cache
def student(level: float, freedom: int) -> float:
    """Two-sided quantile of Student's t: its absolute value stays below it with this chance.

    Args:
        level: chance (0 to 1, both excluded).
        freedom: degrees of freedom, ≥ 1; more than 1,000 count as 1,000.
    """
    low = 0.0
    high = 1.0
    while within(high, freedom) < level:
        low = high
        high = 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if within(middle, freedom) < level:
            low = middle
        else:
            high = middle
    return high


def within(value: float, freedom: int) -> float:
    """Chance that Student's t stays within ±value (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    freedom = min(freedom, _MOST_FREEDOM)
    angle = math.atan(value / math.sqrt(freedom))
    sine = math.sin(angle)
    cosine = math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for step in range(2 + odd, freedom + 1, 2):
        total += term
        term *= cosine**2 * (step - 1) / step
    if odd:
        return 2 / math.pi * (angle + sine * total)
    return sine * total
