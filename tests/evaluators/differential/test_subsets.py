"""Tardiness over sets of jobs at the largest number of jobs, and with weights beyond 64 bits."""

from __future__ import annotations

import random
from typing import Any

import pytest
from gapsmith.evaluators.smtt.subsets import most_jobs, subset_optimum


def test_jobs_at_the_limit(stream: random.Random) -> None:
    """Fourteen jobs with weights beyond 64 bits are solved like small ones, fifteen are refused."""
    times = [stream.randint(1, 9) for _ in range(14)]
    public: dict[str, Any] = {"processing_times": times}
    public["due_dates"] = [stream.randint(0, sum(times) // 2) for _ in times]
    weights = [stream.randint(1, 9) for _ in times]
    small = subset_optimum(public | {"weights": weights})
    large = public | {"weights": [10**20 * weight for weight in weights]}
    assert most_jobs(large) == 14
    assert subset_optimum(large) == 10**20 * small
    more = {key: [*row, 1] for key, row in large.items()}
    with pytest.raises(ValueError, match="got 15 jobs, expected at most 14"):
        subset_optimum(more)
    assert most_jobs(public) == 20
