"""Paired comparison of two rows of numbers: mean difference, its interval, and a sign-flip test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .figures import RESAMPLES, bootstrap_interval

if TYPE_CHECKING:
    import numpy

EXACT = 16
"""Pairs (count) up to which every pattern of signs is tried."""
DRAWS = 100_000
"""Random patterns of signs (count) for more pairs."""
_SEED = 20_240_517
_BLOCK = 2_000


@dataclass(frozen=True, slots=True)
class Paired:
    """What a paired comparison says.

    Attributes:
        pairs: number of pairs.
        difference: mean of first − second, in the unit of the values; None without pairs.
        ci95: 95 % bootstrap interval of that mean over pairs; None below two pairs.
        p_value: two-sided, of no difference; None below two pairs.
        test: which test in words.
    """

    pairs: int
    difference: float | None
    ci95: tuple[float, float] | None
    p_value: float | None
    test: str


def paired(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compares two rows of equal length, pair by pair.

    Raises:
        ValueError: the rows have different lengths.
    """
    differences = [a - b for a, b in zip(first, second, strict=True)]
    number = len(differences)
    mean = sum(differences) / number if number else None
    words = "sign-flip permutation test, " + (
        "exact" if number <= EXACT else f"{DRAWS:,} random draws with a fixed seed"
    )
    p_value = sign_flip(differences) if number >= 2 else None
    return Paired(number, mean, bootstrap_interval(differences), p_value, words)


def wins_ties_losses(pairs: Iterable[tuple[Any, Any]]) -> dict[str, int]:
    """How often (count) the first of two losses is smaller, equal and larger: `wins`, `ties`, `losses`."""
    rows = list(pairs)
    return {
        "wins": sum(a < b for a, b in rows),
        "ties": sum(a == b for a, b in rows),
        "losses": sum(a > b for a, b in rows),
    }


def sign_flip(differences: Sequence[float]) -> float:
    """Two-sided p value that paired differences have no preferred sign (Fisher 1935, randomisation test).

    All 2ⁿ patterns of signs for n ≤ `EXACT` pairs, else random ones (the observed one counts as drawn, so
    that the p value is never 0; Phipson and Smyth 2010, doi:10.2202/1544-6115.1585).
    """
    import numpy as np

    values = np.asarray(differences, dtype=float)
    number = len(values)
    limit = abs(values.sum()) - 1e-12 * np.abs(values).sum()  # equal sums must count as equal
    if number <= EXACT:
        patterns = np.arange(2**number)[:, None] >> np.arange(number) & 1
        return float(np.mean(_sums(patterns, values) >= limit))
    rng, beyond = np.random.default_rng(_SEED), 0
    for _ in range(DRAWS // _BLOCK):
        patterns = rng.integers(0, 2, (_BLOCK, number), dtype=np.int8)
        beyond += int((_sums(patterns, values) >= limit).sum())
    return (beyond + 1) / (DRAWS + 1)


def _sums(patterns: numpy.ndarray, values: numpy.ndarray) -> numpy.ndarray:
    """Absolute sums of the values under patterns of 0 (minus) and 1 (plus), one a row."""
    sums: numpy.ndarray = abs((2.0 * patterns - 1.0) @ values)
    return sums


def worse(second: Sequence[float], first: Sequence[float], level: float) -> bool:
    """Whether losses of a second program are larger on average than a first one's, beyond noise.

    One-sided paired bootstrap of the mean difference over instances, fixed seed. What is nowhere better and
    somewhere worse is worse, be it on one instance alone.

    Args:
        second, first: losses of the same instances in the same order; larger is worse.
        level: chance (0 to 1) of calling equally good programs different.
    """
    import numpy as np

    differences = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    if not len(differences) or differences.mean() <= 0:
        return False
    rng = np.random.default_rng(_SEED)
    means = differences[rng.integers(0, len(differences), (RESAMPLES, len(differences)))].mean(axis=1)
    return bool(np.quantile(means, level) >= 0)
