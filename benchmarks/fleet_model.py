"""A fleet whose queue is known beforehand, for CP-SAT: how many jobs of each type go to each machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gapsmith.problems.cluster.verification import weight
from ortools.sat.python import cp_model


def fleet_model(public: Mapping[str, Any], jobs: Sequence[Sequence[int]]) -> cp_model.CpModel:
    """The largest weight of jobs that fit the fleet, in whatever order they come.

    Its optimum is above what any scheduler can reach that does not know the queue, and that may refuse no
    job while some machine has room.
    """
    counts = Counter((job[0], job[1]) for job in jobs)
    model = cp_model.CpModel()
    taken: dict[tuple[int, int], list[Any]] = {job: [] for job in counts}
    for cpu, memory in zip(public["free_cpu"], public["free_memory"], strict=True):
        here = {}
        for job, count in counts.items():
            rooms = [room // demand for room, demand in zip((cpu, memory), job, strict=True) if demand]
            most = min(count, *rooms)
            if most:
                here[job] = model.new_int_var(0, most, "")
                taken[job].append(here[job])
        model.add(sum(job[0] * number for job, number in here.items()) <= cpu)
        model.add(sum(job[1] * number for job, number in here.items()) <= memory)
    for job, numbers in taken.items():
        model.add(sum(numbers) <= counts[job])
    model.maximize(sum(weight(public, job) * number for job, row in taken.items() for number in row))
    return model
