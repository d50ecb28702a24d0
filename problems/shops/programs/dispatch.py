"""Dispatch loop of a job shop: one operation at a time, chosen by the rule among those that compete.

Active schedules (Giffler and Thompson 1960, doi:10.1287/opre.8.4.487): the machine is the one whose next
operation can end first, at e; its operations that can start before e compete. Non-delay schedules: the
operations of one machine that can start at the earliest moment of all compete. The rule gets arrays of its
own and is not asked where one operation competes alone.
"""

from bisect import insort
from typing import Any

import numpy as np

DISPATCHING = "active"
COLUMNS = (
    "start",
    "job_ready",
    "next_machine_free",
    "next_machine_work",
    "route_work",
    "processing",
    "work_left",
    "operations_left",
    "work_done",
    "next_processing",
)
NEVER = float("inf")


def drive(rule: Any, instance: dict[str, Any]) -> list[list[int]]:
    """Start times (one list per job) that a priority rule makes of an instance."""
    shop = Shop(instance["machines"], instance["routes"], instance["times"])
    with np.errstate(all="ignore"):
        for _ in range(shop.operations):
            competitors = shop.competitors()
            job = competitors[0]
            if len(competitors) > 1:
                priority = np.asarray(rule(**shop.columns(competitors)), dtype=float)
                if priority.shape != (len(competitors),):
                    raise ValueError(
                        f"priority: got shape {priority.shape}, expected ({len(competitors)},): "
                        "one number for each competing operation"
                    )
                if np.isnan(priority).any():
                    priority = np.where(np.isnan(priority), np.inf, priority)
                job = competitors[int(priority.argmin())]
            shop.schedule(job)
    return shop.starts


class Shop:
    """A partial schedule: what has been scheduled, and what can come next."""

    def __init__(self, machines: int, routes: list[list[int]], times: list[list[int]]) -> None:
        """Nothing is scheduled yet."""
        self.routes, self.times = routes, times
        self.operations = sum(map(len, routes))
        self.mean_processing = sum(map(sum, times)) / self.operations
        self.scheduled = 0
        self.starts: list[list[int]] = [[] for _ in routes]
        self.job_ready = [0] * len(routes)
        self.machine_free = [0] * machines
        self.machine_work = [0] * machines
        self.waiting: list[list[int]] = [[] for _ in range(machines)]  # jobs that come to a machine next
        self.start: list[float] = [0] * len(routes)  # of each job's next operation, if scheduled now
        self.end: list[float] = [0] * len(routes)
        self.rest: list[list[list[int]]] = []  # machines after each operation of a job
        self.facts: list[list[tuple[int, ...]]] = []  # the last five columns of each operation
        for job, (route, lengths) in enumerate(zip(routes, times, strict=True)):
            self.rest.append([route[place + 1 :] for place in range(len(route))])
            done, rows = 0, list[tuple[int, ...]]()
            for place, length in enumerate(lengths):
                following = lengths[place + 1] if place + 1 < len(lengths) else 0
                rows.append((length, sum(lengths) - done, len(lengths) - place, done, following))
                done += length
                self.machine_work[route[place]] += length
            self.facts.append(rows)
            self.end[job] = lengths[0]
            self.waiting[route[0]].append(job)

    def competitors(self) -> list[int]:
        """Jobs whose next operations compete, in the order of their numbers."""
        if DISPATCHING == "active":
            end = min(self.end)
            waiting = self.waiting[self.machine(self.end.index(end))]
            return [job for job in waiting if self.start[job] < end]
        start = min(self.start)
        waiting = self.waiting[self.machine(self.start.index(start))]
        return [job for job in waiting if self.start[job] == start]

    def machine(self, job: int) -> int:
        """The machine of a job's next operation."""
        return self.routes[job][len(self.starts[job])]

    def columns(self, competitors: list[int]) -> dict[str, Any]:
        """What the rule sees: an array per column, one entry for each competitor, and single numbers."""
        work, rows = self.machine_work, []
        for job in competitors:
            place = len(self.starts[job])
            rest = self.rest[job][place]
            if rest:
                after = rest[0]
                ahead = (self.machine_free[after], work[after], max([work[machine] for machine in rest]))
            else:
                ahead = (0, 0, 0)
            rows.append((self.start[job], self.job_ready[job], *ahead, *self.facts[job][place]))
        seen: dict[str, Any] = dict(zip(COLUMNS, np.array(rows, dtype=float).T, strict=True))
        seen["machine_work"] = float(work[self.machine(competitors[0])])
        seen["progress"] = self.scheduled / self.operations
        seen["mean_processing"] = self.mean_processing
        return seen

    def schedule(self, job: int) -> None:
        """Schedules a job's next operation at its earliest start."""
        machine, length = self.machine(job), self.times[job][len(self.starts[job])]
        begin = max(self.job_ready[job], self.machine_free[machine])
        self.starts[job].append(begin)
        self.scheduled += 1
        self.job_ready[job] = self.machine_free[machine] = begin + length
        self.machine_work[machine] -= length
        self.waiting[machine].remove(job)
        if len(self.starts[job]) < len(self.routes[job]):
            following = self.machine(job)
            insort(self.waiting[following], job)
            self.foresee(job, following)
        else:
            self.start[job] = self.end[job] = NEVER
        for other in self.waiting[machine]:
            if self.start[other] < begin + length:
                self.foresee(other, machine)

    def foresee(self, job: int, machine: int) -> None:
        """Notes when a job's next operation can start and end."""
        start = max(self.job_ready[job], self.machine_free[machine])
        self.start[job] = start
        self.end[job] = start + self.times[job][len(self.starts[job])]
