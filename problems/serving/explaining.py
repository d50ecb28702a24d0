"""Where the latency of requests arises: queueing, memory that stays free, and who waits for whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import Json
from ..summaries import percent, plain, quantiles
from .laws import area
from .verification import latency, profiles

_SHOWN = 6
"""Requests that are listed."""


def explain_schedule(whole: Mapping[str, Any], answer: Json) -> str:
    """Queueing beside latency, use of the memory, and the requests that wait longest.

    Args:
        whole: workers, memory, arrivals, prompts and outputs.
        answer: a valid schedule, whose requests have all arrived.
    """
    schedule: Any = answer
    total, service = latency(whole, schedule), sum(whole["outputs"])
    waits = [start - arrival for (_, start), arrival in zip(schedule, whole["arrivals"], strict=True)]
    sizes = list(zip(whole["prompts"], whole["outputs"], strict=True))
    ends = [start + o for (_, start), (_, o) in zip(schedule, sizes, strict=True)]
    rounds = max(ends) - min(start for _, start in schedule)
    room = whole["memory"] * whole["workers"] * rounds
    peaks = [max(held.values(), default=0) for held in profiles(whole, schedule)]
    queueing = [n for n, wait in enumerate(waits) if wait]
    lines = [
        f"{len(waits)} requests, latency {total} rounds: service {service}, queueing {total - service}.",
        f"Memory in use from the first start to the last end: {percent(sum(area(*s) for s in sizes), room)} "
        f"of {rounds} rounds; peaks {', '.join(map(plain, peaks))} of {whole['memory']} tokens.",
        f"Rounds waited at {quantiles(waits)}; {len(queueing)} requests wait.",
    ]
    for what, values in (("output", whole["outputs"]), ("prompt", whole["prompts"])):
        order = sorted(range(len(values)), key=lambda n: values[n])
        thirds = [order[len(order) * k // 3 : len(order) * (k + 1) // 3] for k in range(3)]
        shown = ", ".join(plain(sum(waits[n] for n in part) / max(1, len(part))) for part in thirds)
        lines.append(f"Mean rounds waited by thirds of the {what}, from short to long: {shown}.")
    longest = sorted(queueing, key=lambda n: -waits[n])[:_SHOWN]
    if longest:
        shown = "; ".join(
            f"prompt {sizes[n][0]}, output {sizes[n][1]}, arrived {whole['arrivals'][n]}, waited {waits[n]}"
            for n in longest
        )
        lines.append(f"Requests that wait longest: {shown}.")
    return "\n".join(lines)
