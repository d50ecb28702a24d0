"""Dispatch loop of a blocking job shop: at each event the rule says which job moves next.

A job stays on its machine until the machine that it wants next is free; jobs that wait for each other in a
circle move together (a swap). A priority of infinity keeps a job that has not begun out of the shop for now,
as long as some operation is in process. This loop never comes to a standstill: when no operation is in
process, the chain from a waiting job to the holder of the machine that it wants, and on, ends at a free
machine or comes back to itself.
"""

from typing import Any

import numpy as np

COLUMNS = (
    "processing",
    "work_left",
    "operations_left",
    "begun",
    "waited",
    "next_processing",
    "next_machine_held",
    "next_machine_free_in",
    "wanted_by",
    "machine_work",
)


def drive(rule: Any, instance: dict[str, Any]) -> list[list[int]]:
    """Start times (one list per job) that a priority rule makes of an instance."""
    shop = Shop(instance["machines"], instance["routes"], instance["times"])
    with np.errstate(all="ignore"):
        while shop.open_jobs:
            waiting = shop.waiting()
            moving = choose(rule, shop, waiting) or shop.circle(waiting)
            if moving:
                shop.move(moving)
            else:
                shop.go_on()
    return shop.starts


def choose(rule: Any, shop: "Shop", waiting: list[int]) -> list[int]:
    """The job that moves next according to the rule; empty if none can, or if the rule keeps all out."""
    candidates = [job for job in waiting if shop.holder[shop.wanted(job)] is None]
    may_wait = shop.in_process()
    if not candidates or (len(candidates) == 1 and not (may_wait and not shop.starts[candidates[0]])):
        return candidates
    priority = np.asarray(rule(**shop.columns(candidates, waiting)), dtype=float)
    if priority.shape != (len(candidates),):
        raise ValueError(
            f"priority: got shape {priority.shape}, expected ({len(candidates)},): one number for each job"
        )
    best = priority.argmin()
    if priority[best] != priority[best]:  # NaN counts as infinity
        priority = np.where(np.isnan(priority), np.inf, priority)
        best = priority.argmin()
    if priority[best] < np.inf:
        return [candidates[best]]
    return [job for job in candidates if shop.starts[job] or not may_wait][:1]


class Shop:
    """A partial schedule at a moment: who holds which machine, and who waits for which."""

    def __init__(self, machines: int, routes: list[list[int]], times: list[list[int]]) -> None:
        """All jobs wait outside at time 0."""
        self.routes, self.times = routes, times
        self.time = 0
        self.open_jobs = list(range(len(routes)))
        self.starts: list[list[int]] = [[] for _ in routes]
        self.job_ready = [0] * len(routes)
        self.holder: list[int | None] = [None] * machines
        self.machine_work = [0] * machines
        for route, lengths in zip(routes, times, strict=True):
            for machine, length in zip(route, lengths, strict=True):
                self.machine_work[machine] += length
        self.work_left = [sum(lengths) for lengths in times]
        self.operations = self.operations_left = sum(map(len, routes))
        self.mean_processing = sum(self.work_left) / self.operations

    def go_on(self) -> None:
        """Time goes on to the next end of an operation; jobs that have ended their last one leave."""
        self.time = min([end for end in self.job_ready if end > self.time])
        for job in list(self.open_jobs):
            if len(self.starts[job]) == len(self.routes[job]) and self.job_ready[job] <= self.time:
                self.holder[self.routes[job][-1]] = None
                self.open_jobs.remove(job)

    def in_process(self) -> bool:
        """Whether some operation is in process."""
        return max(self.job_ready) > self.time

    def waiting(self) -> list[int]:
        """Jobs that want another machine now."""
        return [
            job
            for job in self.open_jobs
            if self.job_ready[job] <= self.time and len(self.starts[job]) < len(self.routes[job])
        ]

    def wanted(self, job: int) -> int:
        """The machine that a waiting job wants."""
        return self.routes[job][len(self.starts[job])]

    def circle(self, waiting: list[int]) -> list[int]:
        """Waiting jobs each of which wants the machine that the next one holds, if there are such."""
        for first in waiting:
            chain = [first]
            while True:
                holder = self.holder[self.wanted(chain[-1])]
                if holder is None or holder not in waiting:
                    break
                if holder in chain:
                    return chain[chain.index(holder) :]
                chain.append(holder)
        return []

    def move(self, jobs: list[int]) -> None:
        """Jobs move onto the machines that they want, all at this moment."""
        for job in jobs:
            if self.starts[job]:
                self.holder[self.routes[job][len(self.starts[job]) - 1]] = None
        for job in jobs:
            place = len(self.starts[job])
            machine, length = self.routes[job][place], self.times[job][place]
            self.holder[machine] = job
            self.starts[job].append(self.time)
            self.job_ready[job] = self.time + length
            self.machine_work[machine] -= length
            self.work_left[job] -= length
            self.operations_left -= 1

    def columns(self, candidates: list[int], waiting: list[int]) -> dict[str, Any]:
        """What the rule sees: an array per column, one entry for each candidate, and single numbers."""
        wants = [self.wanted(job) for job in waiting]
        cells: list[int] = []
        for job in candidates:
            place, route, times = len(self.starts[job]), self.routes[job], self.times[job]
            left = len(route) - place
            holder = self.holder[route[place + 1]] if left > 1 else None
            cells += (
                times[place],
                self.work_left[job],
                left,
                place > 0,
                self.time - self.job_ready[job],
                times[place + 1] if left > 1 else 0,
                holder is not None,
                0 if holder is None else max(0, self.job_ready[holder] - self.time),
                wants.count(route[place - 1]) if place else 0,
                self.machine_work[route[place]],
            )
        columns = np.array(cells, dtype=float).reshape(-1, len(COLUMNS)).T.copy()
        seen: dict[str, Any] = dict(zip(COLUMNS, columns, strict=True))
        seen["jobs_in_shop"] = float(len(self.holder) - self.holder.count(None))
        seen["machines"] = float(len(self.holder))
        seen["progress"] = 1 - self.operations_left / self.operations
        seen["mean_processing"] = self.mean_processing
        return seen
