"""A permutation test of whether a program performs differently on two independent samples of instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROUNDS = 9_999
LEVEL = 0.05
_SEED = 20_240_517


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean of a second sample minus mean of a first sample.

    Attributes:
        value: difference in the unit of the samples, with strata weighted as in the first sample.
        p: two-sided p value in (0, 1] of the hypothesis that both samples come from one distribution.
    """

    value: float
    p: float

    @property
    def beyond_noise(self) -> bool:
        """Whether the p value is below 5 %."""
        return self.p < LEVEL


def difference(strata: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Difference | None:
    """Compares two samples by a permutation test that exchanges values only within a stratum.

    Tests the difference of means (Fisher 1935; Good 2005, doi:10.1007/b138696), with p = (1 + hits) / (1 +
    rounds), so that p is never 0. The random seed is fixed: the same samples give the same p.

    Args:
        strata: (first sample, second sample) of each stratum; ignores strata with an empty sample.

    Returns:
        None if no stratum has both samples.
    """
    import numpy as np

    both = [(np.asarray(a, float), np.asarray(b, float)) for a, b in strata if len(a) and len(b)]
    if not both:
        return None
    rng = np.random.default_rng(_SEED)
    total = sum(len(a) for a, _ in both)
    observed = 0.0
    shuffled = np.zeros(ROUNDS)
    for a, b in both:
        weight = len(a) / total
        observed += weight * float(b.mean() - a.mean())
        pooled = rng.permuted(np.tile(np.concatenate((a, b)), (ROUNDS, 1)), axis=1)
        shuffled += weight * (pooled[:, len(a) :].mean(axis=1) - pooled[:, : len(a)].mean(axis=1))
    hits = int((np.abs(shuffled) >= abs(observed) - 1e-12 * (1 + abs(observed))).sum())
    return Difference(observed, (1 + hits) / (1 + ROUNDS))
