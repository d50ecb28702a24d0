"""A fleet as columns: for each machine one of its cpu and one of its memory, filled by the jobs."""

from __future__ import annotations

from collections.abc import Sequence

from ..base import Drawing, Instance, Json, Shape
from ..faults import objective_of
from .verification import judge, replay, weight

_WIDTH = 0.42


def picture(instance: Instance, jobs: Sequence[Sequence[int]], answer: Json) -> Drawing:
    """Percent of each machine upwards: taken before, then the placed jobs; what is left open stayed free.

    Raises:
        ValueError: the answer is not valid.
    """
    public = instance.public
    objective = objective_of(instance.id, judge(public, jobs, answer))
    capacities = public["cpu"], public["memory"]
    shapes = []
    tops = [[0.0, 0.0] for _ in public["free_cpu"]]
    for m, rooms in enumerate(zip(public["free_cpu"], public["free_memory"], strict=True)):
        for k, (room, capacity) in enumerate(zip(rooms, capacities, strict=True)):
            tops[m][k] = 100 * (capacity - room) / capacity
            if tops[m][k]:
                shapes.append(Shape("rectangle", m + k * _WIDTH, 0, _WIDTH, tops[m][k], "", "taken before"))
    for m, job in replay(public, jobs, answer)[1]:
        for k, (demand, capacity) in enumerate(zip(job, capacities, strict=True)):
            share = 100 * demand / capacity
            group = ("cpu", "memory")[k]
            shapes.append(Shape("rectangle", m + k * _WIDTH, tops[m][k], _WIDTH, share, str(demand), group))
            tops[m][k] += share
    possible = sum(
        weight(public, room) for room in zip(public["free_cpu"], public["free_memory"], strict=True)
    )
    share = 100 * float(objective) / possible if possible else 0.0
    title = f"{instance.id}: {len(tops)} machines, {share:.1f} % of the free room used"
    return Drawing(title, "machine (cpu left, memory right)", "share of the machine (percent)", tuple(shapes))
