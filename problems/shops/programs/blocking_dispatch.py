"""Dispatch loop of a blocking job shop: at each event the rule says which job moves next.

A job stays on its machine until the machine that it wants next is free; jobs that wait for each other in a
circle move together (a swap). A priority of infinity keeps a job that has not begun out of the shop for now,
as long as some operation is in process. This loop never comes to a standstill: when no operation is in
process, the chain from a waiting job to the holder of the machine that it wants, and on, ends at a free
machine or comes back to itself.
"""

from typing import Any

import numpy as np


def drive(rule: Any, instance: dict[str, Any]) -> list[list[int]]:
    """Start times (one list per job) that a priority rule makes of an instance."""
    shop = Shop(instance["machines"], instance["routes"], instance["times"])
    with np.errstate(all="ignore"):
        while True:
            shop.leave()
            if not shop.open_jobs:
                return shop.starts
            moving = choose(rule, shop) or shop.circle()
            if moving:
                shop.move(moving)
            else:
                shop.time = min(end for end in shop.job_ready if end > shop.time)


def choose(rule: Any, shop: "Shop") -> list[int]:
    """The job that moves next according to the rule; empty if none can, or if the rule keeps all out."""
    candidates = shop.candidates()
    may_wait = shop.in_process()
    if not candidates or (len(candidates) == 1 and not (may_wait and not shop.starts[candidates[0]])):
        return candidates
    priority = np.asarray(rule(**shop.columns(candidates)), dtype=float)
    if priority.shape != (len(candidates),):
        raise ValueError(
            f"priority: got shape {priority.shape}, expected ({len(candidates)},): one number for each job"
        )
    priority = np.where(np.isnan(priority), np.inf, priority)
    kept_out = [
        bool(may_wait and not shop.starts[job] and value == np.inf)
        for job, value in zip(candidates, priority, strict=True)
    ]
    order = sorted(range(len(candidates)), key=lambda k: (kept_out[k], priority[k], candidates[k]))
    return [] if kept_out[order[0]] else [candidates[order[0]]]


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

    def leave(self) -> None:
        """Jobs that have ended their last operation leave their machines."""
        for job in list(self.open_jobs):
            if len(self.starts[job]) == len(self.routes[job]) and self.job_ready[job] <= self.time:
                self.holder[self.routes[job][-1]] = None
                self.open_jobs.remove(job)

    def in_process(self) -> bool:
        """Whether some operation is in process."""
        return any(self.job_ready[job] > self.time for job in self.open_jobs)

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

    def candidates(self) -> list[int]:
        """Waiting jobs whose machine is free."""
        return [job for job in self.waiting() if self.holder[self.wanted(job)] is None]

    def circle(self) -> list[int]:
        """Waiting jobs each of which wants the machine that the next one holds, if there are such."""
        waiting = self.waiting()
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

    def columns(self, candidates: list[int]) -> dict[str, Any]:
        """What the rule sees: an array per column, one entry for each candidate, and single numbers."""
        wants = [self.wanted(job) for job in self.waiting()]
        rows = []
        for job in candidates:
            place = len(self.starts[job])
            rest = self.routes[job][place + 1 :]
            holder = self.holder[rest[0]] if rest else None
            rows.append(
                (
                    self.times[job][place],
                    self.work_left[job],
                    len(rest) + 1,
                    place > 0,
                    self.time - self.job_ready[job],
                    self.times[job][place + 1] if rest else 0,
                    holder is not None,
                    0 if holder is None else max(0, self.job_ready[holder] - self.time),
                    wants.count(self.routes[job][place - 1]) if place else 0,
                    self.machine_work[self.routes[job][place]],
                )
            )
        columns = np.array(rows, dtype=float).T.copy()
        return {
            "processing": columns[0],
            "work_left": columns[1],
            "operations_left": columns[2],
            "begun": columns[3],
            "waited": columns[4],
            "next_processing": columns[5],
            "next_machine_held": columns[6],
            "next_machine_free_in": columns[7],
            "wanted_by": columns[8],
            "machine_work": columns[9],
            "jobs_in_shop": float(sum(holder is not None for holder in self.holder)),
            "machines": float(len(self.holder)),
            "progress": 1 - self.operations_left / self.operations,
            "mean_processing": self.mean_processing,
        }
