"""Judges a sequence of jobs in exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json, Verdict
from ..faults import permutation_fault


def total_tardiness(public: Mapping[str, Any], order: Sequence[int]) -> int:
    """Sum of (weight ×) max(0, completion − due date) over the jobs in this order, time units, exact, ≥ 0."""
    times, dates = public["processing_times"], public["due_dates"]
    weights = public.get("weights")
    clock = total = 0
    for job in order:
        clock += times[job]
        if clock > dates[job]:
            total += (clock - dates[job]) * (1 if weights is None else weights[job])
    return total


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with its total (weighted) tardiness iff the answer is a permutation of the 0-based jobs."""
    jobs = len(public["processing_times"])
    fault = permutation_fault(answer, jobs, "job")
    if fault is not None:
        return Verdict.invalid(fault)
    assert isinstance(answer, list)
    return Verdict.valid(total_tardiness(public, answer))  # type: ignore[arg-type]
