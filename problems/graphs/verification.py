"""Judges schedules of task graphs in exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..base import Json, Verdict
from ..faults import integer_fault, list_fault


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with its makespan (time units) iff the answer is a schedule: `[processor, start]` of each task.

    Args:
        public: `times` and `edges`.
        answer: whatever a candidate returned.
    """
    if fault := form_fault(public, answer):
        return Verdict.invalid(fault)
    schedule: Any = answer
    fault = _processor_fault(public, schedule) or _edge_fault(public, schedule)
    if fault := fault or _overlap_fault(public, schedule):
        return Verdict.infeasible(fault)
    return Verdict.valid(makespan(public, schedule))


def makespan(public: Mapping[str, Any], schedule: Sequence[Sequence[int]]) -> int:
    """Largest end of a task, time units, exact."""
    return max(start + int(public["times"][i][p]) for i, (p, start) in enumerate(schedule))


def horizon(public: Mapping[str, Any]) -> int:
    """Sum of each task's longest time and of all transfers: one task after another ends by then."""
    work = sum(max(time for time in row if time is not None) for row in public["times"])
    return int(work + sum(size for _, _, size in public["edges"]))


def on_processors(
    public: Mapping[str, Any], schedule: Sequence[Sequence[int]]
) -> list[list[tuple[int, int, int]]]:
    """For each processor (start, end, task) of its tasks, sorted."""
    rows: list[list[tuple[int, int, int]]] = [[] for _ in public["times"][0]]
    for task, (processor, start) in enumerate(schedule):
        rows[processor].append((start, start + public["times"][task][processor], task))
    return [sorted(row) for row in rows]


def form_fault(public: Mapping[str, Any], answer: Json) -> str | None:
    """One sentence on why an answer is no list of `[processor, start]`, or None."""
    times, latest = public["times"], horizon(public)
    fault = list_fault(answer, "answer", len(times), "[processor, start] of each task")
    if fault is not None or not isinstance(answer, list):
        return fault
    for task, place in enumerate(answer):
        where = f"answer[{task}]"
        fault = list_fault(place, where, 2, "[processor, start]")
        if fault is not None or not isinstance(place, list):
            return fault
        fault = integer_fault(place[0], f"{where}[0]", 0, len(times[0]) - 1, "a processor")
        meaning = "a start no later than the sum of all longest times and transfers"
        if fault := fault or integer_fault(place[1], f"{where}[1]", 0, latest, meaning):
            return fault
    return None


def _processor_fault(public: Mapping[str, Any], schedule: Any) -> str | None:
    for task, (processor, _) in enumerate(schedule):
        if public["times"][task][processor] is None:
            return f"task {task}: is on processor {processor}, where it cannot run"
    return None


def _edge_fault(public: Mapping[str, Any], schedule: Any) -> str | None:
    for i, k, size in public["edges"]:
        (sender, start), (receiver, begin) = schedule[i], schedule[k]
        end = start + public["times"][i][sender]
        arrival = end + (size if sender != receiver else 0)
        if begin < arrival:
            travels = f", its result arrives at {arrival}" if arrival > end else ""
            return f"task {k}: starts at {begin}, but task {i} ends at {end}{travels}"
    return None


def _overlap_fault(public: Mapping[str, Any], schedule: Any) -> str | None:
    for processor, row in enumerate(on_processors(public, schedule)):
        for (_, end, task), (start, _, other) in pairwise(row):
            if start < end:
                return (
                    f"processor {processor}: task {other} starts at {start}, but task {task} runs until {end}"
                )
    return None
