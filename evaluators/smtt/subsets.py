"""Exact total (weighted) tardiness by dynamic programming over sets of jobs, for few jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .bounds import integers, most_cost

NAME = "subset dynamic programme"
VERSION = "1"
MOST_JOBS = 20
SECONDS = 2.0
"""Wall seconds that suffice for the largest instances on an ordinary machine."""
_MOST_LARGE = 14


def most_jobs(public: Mapping[str, Any]) -> int:
    """Largest number of jobs for the method; smaller if costs need Python's integers."""
    return _MOST_LARGE if integers(public) is object else MOST_JOBS


def subset_optimum(public: Mapping[str, Any]) -> int:
    """Least total (weighted) tardiness (cost units) of at most `most_jobs` jobs.

    The last job of a set ends at the set's total length: cost(S) = min over j in S of cost(S - j) + cost of j
    ending there. Held and Karp 1962 (doi:10.1137/0110015).

    Raises:
        ValueError: the instance has more than `most_jobs` jobs.
    """
    n = len(public["due_dates"])
    most = most_jobs(public)
    element = integers(public)
    if n > most:
        raise ValueError(f"{NAME}: got {n} jobs, expected at most {most}")
    p = np.array(public["processing_times"], dtype=np.int64)
    d = np.array(public["due_dates"], dtype=np.int64)
    w: np.ndarray = np.array(public.get("weights") or [1] * n, dtype=element)
    sets = np.arange(1 << n)
    ends = np.zeros(1 << n, dtype=np.int64)
    sizes = np.zeros(1 << n, dtype=np.int8)
    for j in range(n):
        ends[sets >> j & 1 == 1] += p[j]
        sizes += (sets >> j & 1).astype(np.int8)
    cost: np.ndarray = np.zeros(1 << n, dtype=element)
    above = most_cost(public) + 1
    by_size = np.argsort(sizes, kind="stable")
    starts = np.searchsorted(sizes[by_size], np.arange(n + 2))
    for size in range(1, n + 1):
        layer = by_size[starts[size] : starts[size + 1]]
        least: np.ndarray = np.full(len(layer), above, dtype=element)
        for j in range(n):
            inside = (layer >> j & 1).astype(bool)
            chosen = layer[inside]
            late = np.maximum(ends[chosen] - d[j], 0).astype(element)
            value = cost[chosen ^ (1 << j)] + w[j] * late
            least[inside] = np.minimum(least[inside], value)
        cost[layer] = least
    return int(cost[-1])
