"""Single-machine total tardiness, plain and weighted: instances, verification, start programs, baselines."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .problem import TotalTardiness, TotalTardinessRule, WeightedTardiness, WeightedTardinessRule

__all__ = ["total_tardiness", "total_tardiness_rule", "weighted_tardiness", "weighted_tardiness_rule"]

FEWEST, MOST = 2, 1_000
Jobs = Annotated[
    int | list[int], Parameter("jobs of an instance of the splits, or a list of sizes", "jobs", FEWEST, MOST)
]
Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 100)]


def total_tardiness(
    jobs: Jobs = 50,
    train_per_stratum: Rounds = 2,
    valid_per_stratum: Rounds = 4,
    test_per_stratum: Rounds = 5,
) -> TotalTardiness:
    """Candidates return a whole sequence; 20 strata."""
    return TotalTardiness(_sizes(jobs), rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def total_tardiness_rule(
    jobs: Jobs = [40, 100],  # noqa: B006 (never changed)
    train_per_stratum: Rounds = 1,
    valid_per_stratum: Rounds = 2,
    test_per_stratum: Rounds = 4,
) -> TotalTardinessRule:
    """Candidates are priority rules on the same instances; 20 strata."""
    return TotalTardinessRule(_sizes(jobs), rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def weighted_tardiness(
    jobs: Jobs = 40,
    train_per_stratum: Rounds = 1,
    valid_per_stratum: Rounds = 2,
    test_per_stratum: Rounds = 4,
) -> WeightedTardiness:
    """Candidates return a whole sequence of weighted jobs; 25 strata."""
    return WeightedTardiness(_sizes(jobs), rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def weighted_tardiness_rule(
    jobs: Jobs = 40,
    train_per_stratum: Rounds = 1,
    valid_per_stratum: Rounds = 2,
    test_per_stratum: Rounds = 4,
) -> WeightedTardinessRule:
    """Candidates are priority rules on the same weighted instances; 25 strata."""
    return WeightedTardinessRule(_sizes(jobs), rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def _sizes(jobs: int | list[int]) -> list[int]:
    sizes = [jobs] if isinstance(jobs, int) else jobs
    if not sizes or len(set(sizes)) < len(sizes) or not all(FEWEST <= size <= MOST for size in sizes):
        raise ValueError(f"jobs: got {jobs!r}, expected different integers from {FEWEST} to {MOST}")
    return sizes
