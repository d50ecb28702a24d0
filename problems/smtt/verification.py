"""Judges a sequence of jobs in exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json, Verdict


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
    fault = permutation_fault(answer, jobs)
    if fault is not None:
        return Verdict.invalid(fault)
    assert isinstance(answer, list)
    return Verdict.valid(total_tardiness(public, answer))  # type: ignore[arg-type]


def permutation_fault(answer: Json, jobs: int) -> str | None:
    """One sentence on why an answer is no permutation of 0 to jobs − 1, or None."""
    expected = f"expected each job number 0 to {jobs - 1} once"
    if not isinstance(answer, list):
        return f"answer: got {_kind(answer)}, expected a list of {jobs} job numbers"
    if len(answer) != jobs:
        return f"answer: got {len(answer)} entries, expected {jobs}: each job number 0 to {jobs - 1} once"
    seen: set[int] = set()
    for place, job in enumerate(answer):
        if isinstance(job, bool) or not isinstance(job, int):
            return f"answer[{place}]: got {_kind(job)}, expected an integer from 0 to {jobs - 1}"
        if not 0 <= job < jobs:
            return f"answer[{place}]: got {_short(job)}, {expected}"
        if job in seen:
            return f"answer[{place}]: job {job} is scheduled twice, {expected}"
        seen.add(job)
    return None


def _kind(value: Json) -> str:
    if value is None:
        return "nothing (null)"
    names = {bool: "true or false", int: "an integer", float: "a float", str: "a text", dict: "an object"}
    return names.get(type(value), "a list")


def _short(number: int) -> str:
    return str(number) if abs(number) < 10**12 else "a huge integer"
