"""Replays decisions on jobs that end, in integers: departures free room before arrivals of that minute."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json, Verdict
from .dialogue import JobArrivals
from .verification import Fleet, decided, judge_decisions, weight

ARRIVE, DEPART, CPU, MEMORY, TOLD = range(5)
"""Places in a job: minutes of arrival and departure, demands, told duration (minutes)."""


class BusyFleet(Fleet):
    """A fleet whose jobs end.

    Attributes:
        departures: machine, cpu and memory of each job that has ended since a job was shown last.
    """

    def __init__(self, public: Mapping[str, Any]) -> None:
        """Starts from the free room of the snapshot."""
        super().__init__(public)
        self.departures: list[int] = []
        self._ends: list[tuple[int, int, int, int]] = []

    def meet(self, job: Sequence[int]) -> Sequence[int]:
        """Frees the room of jobs that end by the arrival of a job; returns the job's demands."""
        while self._ends and self._ends[0][0] <= job[ARRIVE]:
            _, machine, cpu, memory = heapq.heappop(self._ends)
            self.free_cpu[machine] += cpu
            self.free_memory[machine] += memory
            self.departures += (machine, cpu, memory)
        return job[CPU : MEMORY + 1]

    def put(self, job: Sequence[int], machine: int) -> None:
        """Places a job that fits, until its departure."""
        super().put(job[CPU : MEMORY + 1], machine)
        heapq.heappush(self._ends, (job[DEPART], machine, job[CPU], job[MEMORY]))


def judge(public: Mapping[str, Any], hidden: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with the placed weight times minutes iff every job that fitted on arrival went where it fits.

    Args:
        public: `cpu`, `memory` of a machine, and `free_cpu`, `free_memory` at the start.
        hidden: `jobs` in order of arrival, and the `horizon` (minutes) at which counting ends.
        answer: expected to be the machine of each job that fitted somewhere, in order of arrival.
    """

    def worth(job: Sequence[int]) -> int:
        return weight(public, job[CPU : MEMORY + 1]) * minutes(job, hidden["horizon"])

    return judge_decisions(BusyFleet(public), hidden["jobs"], answer, worth)


def minutes(job: Sequence[int], horizon: int) -> int:
    """Minutes of a job that count: from its arrival to its departure or the horizon."""
    return max(0, min(job[DEPART], horizon) - job[ARRIVE])


def placed_jobs(
    public: Mapping[str, Any], hidden: Mapping[str, Any], answer: Json
) -> list[tuple[Sequence[int], bool]]:
    """Each job of a valid transcript, and whether it was placed."""
    machines = decided(BusyFleet(public), hidden["jobs"], answer)
    return [(job, machine is not None) for job, machine in machines]


class Stream(JobArrivals):
    """Steps through jobs that end: a job is shown with the departures before it."""

    def __init__(self, public: Mapping[str, Any], jobs: Sequence[Sequence[int]]) -> None:
        """Takes the fleet's snapshot and the jobs in order of arrival."""
        self._busy = BusyFleet(public)
        super().__init__(self._busy, jobs)

    def line(self, job: Sequence[int]) -> bytes:
        """Arrival, demands and told duration of a job, and machine, cpu and memory of each departure."""
        facts = [job[ARRIVE], job[CPU], job[MEMORY], job[TOLD], *self._busy.departures]
        self._busy.departures = []
        return b" ".join(b"%d" % number for number in facts)
