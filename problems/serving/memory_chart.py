"""A schedule as memory over time: for each worker the tokens of prompts and outputs in every round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import Drawing, Json, Shape
from ..faults import objective_of
from .verification import judge

_ROOM = 1.1
"""Height of a worker's row, in its memory."""


def memory_chart(name: str, whole: Mapping[str, Any], answer: Json) -> Drawing:
    """A bar of prompt tokens and one of output tokens per worker and round, and a line at the memory.

    Raises:
        ValueError: the answer is no valid schedule.
    """
    objective = objective_of(name, judge(whole, answer))
    schedule: Any = answer
    memory = whole["memory"]
    end = max(start + o for (_, start), o in zip(schedule, whole["outputs"], strict=True))
    held = [[[0, 0] for _ in range(end)] for _ in range(whole["workers"])]
    for (worker, start), prompt, output in zip(schedule, whole["prompts"], whole["outputs"], strict=True):
        for step in range(output):
            held[worker][start + step][0] += prompt
            held[worker][start + step][1] += step + 1
    shapes = []
    for worker, rounds in enumerate(held):
        floor = worker * _ROOM * memory
        for time, (prompts, outputs) in enumerate(rounds):
            if prompts or outputs:
                shapes.append(Shape("rectangle", time, floor, 1, prompts, "", "prompts"))
                shapes.append(Shape("rectangle", time, floor + prompts, 1, outputs, "", "outputs"))
        shapes.append(Shape("line", 0, floor + memory, end, 0, "", "memory"))
        shapes.append(Shape("label", 0, floor + memory, text=f"worker {worker}"))
    queueing = int(objective) - sum(whole["outputs"])
    title = f"{name}: {len(schedule)} requests, latency {objective}, of it queueing {queueing}"
    return Drawing(title, "time (rounds)", "memory (tokens)", tuple(shapes))
