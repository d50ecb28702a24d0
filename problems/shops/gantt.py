"""A schedule as a Gantt chart: one row for each machine, jobs along the time axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import Drawing, Instance, Json, Shape
from ..faults import objective_of
from .verification import judge, occupations

_HEIGHT = 0.8


def gantt(instance: Instance, answer: Json, *, blocking: bool = False) -> Drawing:
    """Rectangles with job numbers, machine m between the heights m and m + 1.

    With buffers, a longest chain of operations without a pause stands out; without buffers, a machine that is
    held by a job whose operation has ended.

    Raises:
        ValueError: the answer is no valid schedule.
    """
    public: Any = instance.public
    objective = objective_of(instance.id, judge(public, answer, blocking=blocking))
    starts: Any = answer
    machines = public["machines"]
    critical = set() if blocking else chain(public["routes"], public["times"], starts)
    shapes = []
    for machine, rows in enumerate(occupations(public, starts, blocking=blocking)):
        y = machine + (1 - _HEIGHT) / 2
        for start, until, job, place in sorted(rows):
            time = public["times"][job][place]
            group = "critical operation" if (job, place) in critical else "operation"
            shapes.append(Shape("rectangle", start, y, time, _HEIGHT, str(job), group))
            if until > start + time:
                held = until - start - time
                shapes.append(Shape("rectangle", start + time, y, held, _HEIGHT, "", "machine held"))
    title = f"{instance.id}: {len(starts)} jobs on {machines} machines, makespan {objective}"
    return Drawing(title, "time (time units)", "machine (0 at the bottom)", tuple(shapes))


def chain(
    routes: Sequence[Sequence[int]], times: Sequence[Sequence[int]], starts: Sequence[Sequence[int]]
) -> set[tuple[int, int]]:
    """Operations (job, number within the job) that follow each other without a pause up to the makespan.

    Each one starts when the one before ends, on the same machine or in the same job; the chain goes back as
    far as there is such an operation, in a schedule without needless idling to time 0.
    """
    ends = {
        (job, place): starts[job][place] + times[job][place]
        for job, route in enumerate(routes)
        for place in range(len(route))
    }
    links: set[tuple[int, int]] = set()
    now: tuple[int, int] | None = max(ends, key=lambda operation: (ends[operation], operation))
    while now is not None:
        links.add(now)
        job, place = now
        start, machine = starts[job][place], routes[job][place]
        now = next(
            (
                (other, k)
                for (other, k), end in ends.items()
                if end == start and ((other, k + 1) == (job, place) or routes[other][k] == machine)
            ),
            None,
        )
    return links
