"""Judges start times in exact integers: for shops with buffers between the machines, and without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..base import Json, Verdict
from ..faults import integer_fault, list_fault

Occupation = tuple[int, int, int, int]
"""Start and end on a machine, job and operation."""


def judge(public: Mapping[str, Any], answer: Json, *, blocking: bool = False) -> Verdict:
    """Valid with its makespan iff the answer is a schedule: start times, one list per job.

    Args:
        public: `machines`, `routes` and `times`.
        answer: whatever a candidate returned.
        blocking: whether a job holds its machine until its next operation starts.
    """
    fault = shape_fault(public, answer)
    if fault is not None:
        return Verdict.invalid(fault)
    starts: Any = answer
    for job, (begins, times) in enumerate(zip(starts, public["times"], strict=True)):
        for place, (before, start) in enumerate(pairwise(begins), 1):
            end = before + times[place - 1]
            if start < end:
                return Verdict.infeasible(
                    f"job {job}: operation {place} starts at {start}, but operation {place - 1} ends at {end}"
                )
    for machine, rows in enumerate(occupations(public, starts, blocking=blocking)):
        for (_, end, job, place), (start, _, other, other_place) in pairwise(sorted(rows)):
            if start < end:
                return Verdict.infeasible(
                    f"machine {machine}: operation {other_place} of job {other} starts at {start}, "
                    f"but operation {place} of job {job} holds the machine until {end}"
                )
    return Verdict.valid(makespan(public, starts))


def makespan(public: Mapping[str, Any], starts: Sequence[Sequence[int]]) -> int:
    """End of the last operation, time units, exact."""
    ends = [begins[-1] + int(times[-1]) for begins, times in zip(starts, public["times"], strict=True)]
    return max(ends)


def occupations(
    public: Mapping[str, Any], starts: Sequence[Sequence[int]], *, blocking: bool
) -> list[list[Occupation]]:
    """For each machine when which operation holds it: [start, end), or until the job's next start."""
    rows: list[list[Occupation]] = [[] for _ in range(public["machines"])]
    for job, place, machine in _operations(public):
        start, end = starts[job][place], starts[job][place] + public["times"][job][place]
        if blocking and place + 1 < len(starts[job]):
            end = starts[job][place + 1]
        rows[machine].append((start, end, job, place))
    return rows


def horizon(public: Mapping[str, Any]) -> int:
    """Sum of all processing times: one job after another ends by then."""
    return sum(map(sum, public["times"]))


def shape_fault(public: Mapping[str, Any], answer: Json) -> str | None:
    """One sentence on why an answer is no list of start times for each job, or None."""
    routes, latest = public["routes"], horizon(public)
    fault = list_fault(answer, "answer", len(routes), "one list of start times per job")
    if fault is not None or not isinstance(answer, list):
        return fault
    for job, (begins, route) in enumerate(zip(answer, routes, strict=True)):
        fault = list_fault(begins, f"answer[{job}]", len(route), "one start time per operation of the job")
        if fault is not None or not isinstance(begins, list):
            return fault
        for place, start in enumerate(begins):
            meaning = "a start time no later than the sum of all processing times"
            if fault := integer_fault(start, f"answer[{job}][{place}]", 0, latest, meaning):
                return fault
    return None


def _operations(public: Mapping[str, Any]) -> Iterator[tuple[int, int, int]]:
    """Job, number within the job, and machine of each operation."""
    for job, route in enumerate(public["routes"]):
        for place, machine in enumerate(route):
            yield job, place, machine
