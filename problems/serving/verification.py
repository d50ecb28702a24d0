"""Judges the workers and starts of requests in exact integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json, Verdict
from ..faults import integer_fault, list_fault


def judge(whole: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with the sum of latencies (rounds) iff every request is started and no worker overflows.

    Args:
        whole: workers, memory, arrivals, prompts and outputs.
        answer: whatever a candidate returned: `[worker, start]` of each request.
    """
    if fault := _form_fault(whole, answer):
        return Verdict.invalid(fault)
    schedule: Any = answer
    for number, ((_, start), arrival) in enumerate(zip(schedule, whole["arrivals"], strict=True)):
        if start < arrival:
            return Verdict.infeasible(f"request {number}: starts in round {start}, but arrives in {arrival}")
    for worker, held in enumerate(profiles(whole, schedule)):
        for time, tokens in sorted(held.items()):
            if tokens > whole["memory"]:
                return Verdict.infeasible(
                    f"worker {worker}: holds {tokens} tokens in round {time}, its memory is {whole['memory']}"
                )
    return Verdict.valid(latency(whole, schedule))


def latency(whole: Mapping[str, Any], schedule: Sequence[Sequence[int]]) -> int:
    """Sum over the requests of completion minus arrival, rounds, exact."""
    starts = [start for _, start in schedule]
    return int(sum(starts) + sum(whole["outputs"]) - sum(whole["arrivals"]))


def profiles(whole: Mapping[str, Any], schedule: Sequence[Sequence[int]]) -> list[dict[int, int]]:
    """For each worker the tokens that it holds: round → tokens, rounds without any left out."""
    held: list[dict[int, int]] = [{} for _ in range(whole["workers"])]
    for (worker, start), prompt, output in zip(schedule, whole["prompts"], whole["outputs"], strict=True):
        rounds = held[worker]
        for step in range(output):
            rounds[start + step] = rounds.get(start + step, 0) + prompt + step + 1
    return held


def horizon(whole: Mapping[str, Any]) -> int:
    """Last arrival plus the rounds of all requests one after another: a last start that is late enough."""
    return int(max(whole["arrivals"]) + sum(whole["outputs"]))


def _form_fault(whole: Mapping[str, Any], answer: Json) -> str | None:
    """One sentence on why an answer is no list of `[worker, start]`, or None."""
    fault = list_fault(answer, "answer", len(whole["arrivals"]), "[worker, start] of each request")
    if fault is not None or not isinstance(answer, list):
        return fault
    latest = horizon(whole)
    for number, place in enumerate(answer):
        where = f"answer[{number}]"
        fault = list_fault(place, where, 2, "[worker, start]")
        if fault is not None or not isinstance(place, list):
            return fault
        fault = integer_fault(place[0], f"{where}[0]", 0, whole["workers"] - 1, "a worker")
        meaning = "a start no later than the last arrival and all outputs one after another"
        if fault := fault or integer_fault(place[1], f"{where}[1]", 0, latest, meaning):
            return fault
    return None
