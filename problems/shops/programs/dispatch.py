"""Dispatch loop of a job shop: one operation at a time, chosen by the rule among those that compete.

Active schedules (Giffler and Thompson 1960, doi:10.1287/opre.8.4.487): the machine is the one whose next
operation can end first, at e; its operations that can start before e compete. Non-delay schedules: the
operations of one machine that can start at the earliest moment of all compete. The rule gets arrays of its
own and is not asked where one operation competes alone.
"""

from typing import Any

import numpy as np

DISPATCHING = "active"


def drive(rule: Any, instance: dict[str, Any]) -> list[list[int]]:
    """Start times (one list per job) that a priority rule makes of an instance."""
    shop = Shop(instance["machines"], instance["routes"], instance["times"])
    with np.errstate(all="ignore"):
        while shop.open_jobs:
            competitors = shop.competitors()
            job = competitors[0]
            if len(competitors) > 1:
                priority = np.asarray(rule(**shop.columns(competitors)), dtype=float)
                if priority.shape != (len(competitors),):
                    raise ValueError(
                        f"priority: got shape {priority.shape}, expected ({len(competitors)},): "
                        "one number for each competing operation"
                    )
                job = competitors[int(np.where(np.isnan(priority), np.inf, priority).argmin())]
            shop.schedule(job)
    return shop.starts


class Shop:
    """A partial schedule: what has been scheduled, and what can come next."""

    def __init__(self, machines: int, routes: list[list[int]], times: list[list[int]]) -> None:
        """Nothing is scheduled yet."""
        self.routes, self.times = routes, times
        self.open_jobs = list(range(len(routes)))
        self.starts: list[list[int]] = [[] for _ in routes]
        self.job_ready = [0] * len(routes)
        self.machine_free = [0] * machines
        self.machine_work = [0] * machines
        for route, lengths in zip(routes, times, strict=True):
            for machine, length in zip(route, lengths, strict=True):
                self.machine_work[machine] += length
        self.job_work = [sum(lengths) for lengths in times]
        self.work_left = list(self.job_work)
        self.operations = self.operations_left = sum(map(len, routes))
        self.mean_processing = sum(self.job_work) / self.operations

    def earliest(self, job: int) -> tuple[int, int, int]:
        """Start, end and machine of a job's next operation if it is scheduled now."""
        place = len(self.starts[job])
        machine = self.routes[job][place]
        start = max(self.job_ready[job], self.machine_free[machine])
        return start, start + self.times[job][place], machine

    def competitors(self) -> list[int]:
        """Jobs whose next operations compete, in the order of their numbers."""
        following = [(self.earliest(job), job) for job in self.open_jobs]
        if DISPATCHING == "active":
            end, machine = min(following, key=lambda row: row[0][1])[0][1:]
            return [job for (start, _, other), job in following if other == machine and start < end]
        start, _, machine = min(following, key=lambda row: row[0][0])[0]
        return [job for (moment, _, other), job in following if other == machine and moment == start]

    def columns(self, competitors: list[int]) -> dict[str, Any]:
        """What the rule sees: an array per column, one entry for each competitor, and single numbers."""
        rows = []
        for job in competitors:
            start, end, machine = self.earliest(job)
            place = len(self.starts[job])
            rest = self.routes[job][place + 1 :]
            work_left = self.work_left[job]
            rows.append(
                (
                    start,
                    end - start,
                    work_left,
                    len(rest) + 1,
                    self.job_work[job] - work_left,
                    self.job_ready[job],
                    self.times[job][place + 1] if rest else 0,
                    self.machine_free[rest[0]] if rest else 0,
                    self.machine_work[rest[0]] if rest else 0,
                    max([self.machine_work[other] for other in rest], default=0),
                )
            )
        columns = np.array(rows, dtype=float).T.copy()
        return {
            "start": columns[0],
            "processing": columns[1],
            "work_left": columns[2],
            "operations_left": columns[3],
            "work_done": columns[4],
            "job_ready": columns[5],
            "next_processing": columns[6],
            "next_machine_free": columns[7],
            "next_machine_work": columns[8],
            "route_work": columns[9],
            "machine_work": float(self.machine_work[machine]),
            "progress": 1 - self.operations_left / self.operations,
            "mean_processing": self.mean_processing,
        }

    def schedule(self, job: int) -> None:
        """Schedules a job's next operation at its earliest start."""
        start, end, machine = self.earliest(job)
        self.starts[job].append(start)
        self.job_ready[job] = self.machine_free[machine] = end
        self.machine_work[machine] -= end - start
        self.work_left[job] -= end - start
        self.operations_left -= 1
        if len(self.starts[job]) == len(self.routes[job]):
            self.open_jobs.remove(job)
