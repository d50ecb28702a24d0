"""A schedule of a task graph as a Gantt chart: one row for each processor, transfers as lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Drawing, Instance, Json, Shape
from ..faults import objective_of
from .verification import judge, on_processors

_HEIGHT = 0.8


def gantt(instance: Instance, answer: Json) -> Drawing:
    """Rectangles with task numbers, processor p between the heights p and p + 1, and a line per transfer.

    The tasks and transfers of a longest chain without a pause stand out.

    Raises:
        ValueError: the answer is no valid schedule.
    """
    public: Any = instance.public
    objective = objective_of(instance.id, judge(public, answer))
    schedule: Any = answer
    critical = chain(public, schedule)
    rows = on_processors(public, schedule)
    shapes = []
    for processor, row in enumerate(rows):
        for start, end, task in row:
            group = "critical task" if task in critical else "task"
            y = processor + (1 - _HEIGHT) / 2
            shapes.append(Shape("rectangle", start, y, end - start, _HEIGHT, str(task), group))
    for i, k, size in public["edges"]:
        sender, receiver = schedule[i][0], schedule[k][0]
        if sender != receiver and size:
            end = schedule[i][1] + public["times"][i][sender]
            group = "critical transfer" if critical.get(k) == i else "transfer"
            shapes.append(Shape("line", end, sender + 0.5, size, receiver - sender, "", group))
    title = f"{instance.id}: {len(schedule)} tasks on {len(rows)} processors, makespan {objective}"
    return Drawing(title, "time (time units)", "processor (0 at the bottom)", tuple(shapes))


def chain(public: Mapping[str, Any], schedule: Sequence[Sequence[int]]) -> dict[int, int | None]:
    """Tasks that follow each other without a pause up to the makespan, each with the one before it or None.

    A task follows one whose result arrives when the task starts, or one that ends then on its processor.
    """
    ends = [start + public["times"][i][p] for i, (p, start) in enumerate(schedule)]
    links: dict[int, int | None] = {}
    now: int | None = max(range(len(ends)), key=lambda task: (ends[task], task))
    while now is not None:
        processor, start = schedule[now]
        inputs = (
            i
            for i, k, size in public["edges"]
            if k == now and ends[i] + (size if schedule[i][0] != processor else 0) == start
        )
        neighbours = (i for i, end in enumerate(ends) if end == start and schedule[i][0] == processor)
        links[now] = before = next(inputs, next(neighbours, None))
        now = before
    return links
