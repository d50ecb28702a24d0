"""Paired comparison of two samples: mean difference, its interval, and a sign-flip test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .intervals import mean_interval

if TYPE_CHECKING:
    import numpy

EXACT = 16
"""Up to this many pairs, the sign-flip test enumerates all patterns of signs."""
DRAWS = 100_000
"""Number of random patterns of signs for more pairs."""
SURPASS_LEVEL = 0.1
"""Chance that a program no better than the best founder passes for better on validation (probability).

By name: on few instances it is larger, see `benchmarks/coverage.py --bar`."""
FEW_LEVEL = 0.01
"""The same for a program that is worse on more instances than it is better on (probability)."""
_SEED = 20_240_517
_BLOCK = 2_000
_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Paired:
    """Result of a paired comparison.

    Attributes:
        pairs: number of pairs.
        difference: mean of first − second, in the unit of the values; None without pairs.
        ci95: 95 % interval of that mean over pairs, see `mean_interval`; None with fewer than four
            differences other than 0.
        p_value: two-sided p value of the hypothesis of no difference; None below two pairs.
        test: name of the test.
    """

    pairs: int
    difference: float | None
    ci95: tuple[float, float] | None
    p_value: float | None
    test: str


def paired(first: Sequence[float], second: Sequence[float]) -> Paired:
    """Compares two samples of equal size, pair by pair.

    Raises:
        ValueError: the samples have different sizes.
    """
    differences = [a - b for a, b in zip(first, second, strict=True)]
    number = len(differences)
    mean = sum(differences) / number if number else None
    words = "sign-flip permutation test, " + (
        "exact" if number <= EXACT else f"{DRAWS:,} random draws with a fixed seed"
    )
    p_value = sign_flip(differences) if number >= 2 else None
    return Paired(number, mean, mean_interval(differences), p_value, words)


def wins_ties_losses(pairs: Iterable[tuple[Any, Any]]) -> dict[str, int]:
    """Counts the pairs in which the first loss is smaller, equal and larger: `wins`, `ties`, `losses`."""
    rows = list(pairs)
    return {
        "wins": sum(a < b for a, b in rows),
        "ties": sum(a == b for a, b in rows),
        "losses": sum(a > b for a, b in rows),
    }


def sign_flip(differences: Sequence[float]) -> float:
    """Two-sided p value of a randomisation test that differences have random signs (Fisher 1935).

    Enumerates all 2ⁿ patterns of signs for n ≤ `EXACT` pairs and draws random patterns for more. The observed
    pattern counts as one draw, so that the p value is never 0 (Phipson and Smyth 2010,
    doi:10.2202/1544-6115.1585).
    """
    import numpy as np

    values = np.asarray(differences, dtype=float)
    number = len(values)
    limit = abs(values.sum()) - 1e-12 * np.abs(values).sum()  # equal sums must count as equal
    if number <= EXACT:
        patterns = np.arange(2**number)[:, None] >> np.arange(number) & 1
        return float(np.mean(_sums(patterns, values) >= limit))
    rng = np.random.default_rng(_SEED)
    beyond = 0
    for _ in range(DRAWS // _BLOCK):
        patterns = rng.integers(0, 2, (_BLOCK, number), dtype=np.int8)
        beyond += int((_sums(patterns, values) >= limit).sum())
    return (beyond + 1) / (DRAWS + 1)


def _sums(patterns: numpy.ndarray, values: numpy.ndarray) -> numpy.ndarray:
    """Absolute sums of the values under patterns of 0 (minus) and 1 (plus), one sum for each row."""
    sums: numpy.ndarray = abs((2.0 * patterns - 1.0) @ values)
    return sums


def worse(second: Sequence[float], first: Sequence[float], level: float) -> bool:
    """Whether a second program's losses are larger on average than a first program's, beyond noise.

    One-sided paired bootstrap of the mean difference over instances, with a fixed seed. A program that is
    nowhere better and somewhere worse is worse, even if it is worse on one instance only.

    Args:
        second, first: losses of the same instances in the same order; larger is worse.
        level: chance (0 to 1) of calling equally good programs different.
    """
    changes = [float(new) - float(old) for new, old in zip(second, first, strict=True)]
    if all(change <= 0 for change in changes):
        return False
    if all(change >= 0 for change in changes):
        return True  # and so are the means of all resamples

    import numpy as np

    differences = np.asarray(changes, dtype=float)
    if differences.mean() <= 0:
        return False
    rng = np.random.default_rng(_SEED)
    means = differences[rng.integers(0, len(differences), (_RESAMPLES, len(differences)))].mean(axis=1)
    return bool(np.quantile(means, level) >= 0)


def surpasses(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether a second program's losses are smaller than a first program's, well enough to be a champion.

    A lead in the mean that a few instances carry against many is chance more often than its bootstrap says,
    so such a lead has to be clearer.

    Args:
        first, second: losses of the same instances in the same order; larger is worse.
    """
    ahead = sum(new < old for old, new in zip(first, second, strict=True))
    behind = sum(new > old for old, new in zip(first, second, strict=True))
    return worse(first, second, SURPASS_LEVEL if ahead >= behind else FEW_LEVEL)
