"""Dispatch loop of a job shop: one operation at a time, chosen by the rule among those that compete.

Active schedules (Giffler and Thompson 1960, doi:10.1287/opre.8.4.487): the machine is the one whose next
operation can end first, at e; its operations that can start before e compete. Non-delay schedules: the
operations of one machine that can start at the earliest moment of all compete. The rule gets arrays of its
own and is not asked where one operation competes alone.
"""

from bisect import insort
from operator import itemgetter
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
        for _ in shop.machine:
            competitors = shop.competitors()
            job = competitors[0]
            if len(competitors) > 1:
                priority = np.asarray(rule(**shop.columns(competitors)), dtype=float)
                if priority.shape != (len(competitors),):
                    raise ValueError(
                        f"priority: got shape {priority.shape}, expected ({len(competitors)},): "
                        "one number for each competing operation"
                    )
                best = priority.argmin()
                if priority[best] != priority[best]:  # NaN counts as infinity
                    best = np.where(np.isnan(priority), np.inf, priority).argmin()
                job = competitors[best]
            shop.schedule(job)
    return shop.starts


class Shop:
    """A partial schedule: what has been scheduled, and what can come next.

    Operations are numbered through, job after job. Behind the machines stands one that no operation needs: a
    job's machine after its last operation.
    """

    def __init__(self, machines: int, routes: list[list[int]], times: list[list[int]]) -> None:
        """Nothing is scheduled yet."""
        self.routes = routes
        self.scheduled = 0
        self.starts: list[list[int]] = [[] for _ in routes]
        self.next: list[int] = []  # of each job: its next operation
        self.start: list[float] = [0] * len(routes)  # of that operation, if scheduled now
        self.end: list[float] = [row[0] for row in times]
        self.job_ready = [0] * len(routes)
        self.machine_free = [0] * (machines + 1)
        self.machine_work = [0] * (machines + 1)
        self.waiting: list[list[int]] = [[] for _ in range(machines)]  # jobs that come to a machine next
        self.machine: list[int] = []  # of each operation, with its length and the job's machine after it
        self.length: list[int] = []
        self.after: list[int] = []
        self.rest: list[Any] = []  # of each operation: picks the job's later machines from a list
        self.facts: list[tuple[int, ...]] = []  # of each operation: the last five columns
        for job, (route, lengths) in enumerate(zip(routes, times, strict=True)):
            self.next.append(len(self.facts))
            self.waiting[route[0]].append(job)
            self.machine += route
            self.length += lengths
            self.after += [*route[1:], machines]
            work, done = sum(lengths), 0
            for place, (machine, length) in enumerate(zip(route, lengths, strict=True), 1):
                following = lengths[place] if place < len(route) else 0
                self.facts.append((length, work - done, len(route) - place + 1, done, following))
                done += length
                self.machine_work[machine] += length
                self.rest.append(itemgetter(*route[place:], machines, machines))
        self.mean_processing = sum(self.length) / len(self.length)

    def competitors(self) -> list[int]:
        """Jobs whose next operations compete, in the order of their numbers."""
        if DISPATCHING == "active":
            end = min(self.end)
            waiting = self.waiting[self.machine[self.next[self.end.index(end)]]]
            return [job for job in waiting if self.start[job] < end] or [self.end.index(end)]
        start = min(self.start)
        waiting = self.waiting[self.machine[self.next[self.start.index(start)]]]
        return [job for job in waiting if self.start[job] == start]

    def columns(self, competitors: list[int]) -> dict[str, Any]:
        """What the rule sees: an array per column, one entry for each competitor, and single numbers."""
        free, work = self.machine_free, self.machine_work
        cells: list[float] = []
        for job in competitors:
            operation = self.next[job]
            after = self.after[operation]
            cells += (self.start[job], self.job_ready[job], free[after], work[after])
            cells.append(max(self.rest[operation](work)))
            cells += self.facts[operation]
        columns = np.array(cells, dtype=float).reshape(-1, len(COLUMNS)).T.copy()
        seen: dict[str, Any] = dict(zip(COLUMNS, columns, strict=True))
        seen["machine_work"] = float(work[self.machine[self.next[competitors[0]]]])
        seen["progress"] = self.scheduled / len(self.machine)
        seen["mean_processing"] = self.mean_processing
        return seen

    def schedule(self, job: int) -> None:
        """Schedules a job's next operation at its earliest start."""
        operation = self.next[job]
        machine, length = self.machine[operation], self.length[operation]
        begin = max(self.job_ready[job], self.machine_free[machine])
        end = begin + length
        starts = self.starts[job]
        starts.append(begin)
        self.scheduled += 1
        self.job_ready[job] = self.machine_free[machine] = end
        self.machine_work[machine] -= length
        waiting = self.waiting[machine]
        waiting.remove(job)
        if len(starts) < len(self.routes[job]):
            self.next[job] = operation + 1
            following = self.machine[operation + 1]
            insort(self.waiting[following], job)
            self.start[job] = start = max(end, self.machine_free[following])
            self.end[job] = start + self.length[operation + 1]
        else:
            self.start[job] = self.end[job] = NEVER
        for other in waiting:
            if self.start[other] < end:
                self.start[other] = end
                self.end[other] = end + self.length[self.next[other]]
