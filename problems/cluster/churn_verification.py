"""Replays decisions on jobs that end, in integers: departures free room before arrivals of that minute."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json, Verdict
from ..faults import kind
from .verification import Fleet, decision_fault, misfit, weight

ARRIVE, DEPART, CPU, MEMORY, TOLD = range(5)
"""Places in a job: minutes of arrival and departure, demands, told duration (minutes)."""


class BusyFleet(Fleet):
    """A fleet whose jobs end."""

    def __init__(self, public: Mapping[str, Any]) -> None:
        """Starts from the free room of the snapshot."""
        super().__init__(public)
        self._ends: list[tuple[int, int, int, int]] = []

    def leave(self, now: int) -> list[tuple[int, int, int]]:
        """Frees the room of jobs that end by now; (machine, cpu, memory) of each."""
        gone = []
        while self._ends and self._ends[0][0] <= now:
            _, machine, cpu, memory = heapq.heappop(self._ends)
            self.free_cpu[machine] += cpu
            self.free_memory[machine] += memory
            gone.append((machine, cpu, memory))
        return gone

    def start(self, job: Sequence[int], machine: int) -> None:
        """Places a job that fits, until its departure."""
        self.put(job[CPU : MEMORY + 1], machine)
        heapq.heappush(self._ends, (job[DEPART], machine, job[CPU], job[MEMORY]))


def judge(public: Mapping[str, Any], hidden: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with the placed weight times minutes iff every job that fitted on arrival went where it fits.

    Args:
        public: `cpu`, `memory` of a machine, and `free_cpu`, `free_memory` at the start.
        hidden: `jobs` in order of arrival, and the `horizon` (minutes) at which counting ends.
        answer: expected to be the machine of each job that fitted somewhere, in order of arrival.
    """
    if not isinstance(answer, list):
        return Verdict.invalid(f"transcript: got {kind(answer)}, expected a list of machines")
    fleet, total, taken = BusyFleet(public), 0, 0
    machines = len(fleet.free_cpu)
    for number, job in enumerate(hidden["jobs"]):
        fleet.leave(job[ARRIVE])
        demand = job[CPU : MEMORY + 1]
        if not fleet.fits_somewhere(demand):
            continue
        if taken == len(answer):
            return Verdict.invalid(
                f"transcript: got {taken} decisions, expected one more for job {number}, which fits somewhere"
            )
        machine = answer[taken]
        taken += 1
        if isinstance(machine, bool) or not isinstance(machine, int) or not 0 <= machine < machines:
            small = type(machine) is int and abs(machine) < 10**12
            got = str(machine) if small else kind(machine)
            return Verdict.invalid(decision_fault(number, demand, machines, got))
        if not fleet.fits(demand, machine):
            return Verdict.infeasible(misfit(number, demand, machine, fleet))
        fleet.start(job, machine)
        total += weight(public, demand) * minutes(job, hidden["horizon"])
    if taken != len(answer):
        return Verdict.invalid(f"transcript: got {len(answer)} decisions, expected {taken}")
    return Verdict.valid(total)


def minutes(job: Sequence[int], horizon: int) -> int:
    """Minutes of a job that count: from its arrival to its departure or the horizon."""
    return max(0, min(job[DEPART], horizon) - job[ARRIVE])


def placed_jobs(
    public: Mapping[str, Any], hidden: Mapping[str, Any], answer: Json
) -> list[tuple[Sequence[int], bool]]:
    """Each job of a valid transcript, and whether it was placed."""
    fleet, found = BusyFleet(public), []
    decisions = iter(list[int](answer))  # type: ignore[arg-type]
    for job in hidden["jobs"]:
        fleet.leave(job[ARRIVE])
        fits = fleet.fits_somewhere(job[CPU : MEMORY + 1])
        if fits:
            fleet.start(job, next(decisions))
        found.append((job, fits))
    return found


class Stream:
    """Parent side of an execution: reveals a job after each decision, and the departures before it."""

    def __init__(self, public: Mapping[str, Any], jobs: Sequence[Sequence[int]]) -> None:
        """Takes the fleet and the jobs in order of arrival."""
        self._fleet = BusyFleet(public)
        self._jobs = iter(enumerate(jobs))
        self._current: tuple[int, Sequence[int]] | None = None
        self._decisions: list[int] = []

    def next(self, line: bytes) -> bytes | None:
        """Records the decision on the last job revealed and reveals the next one; None at the end.

        A job that does not fit its machine ends the stream: the verdict on the transcript says which.

        Raises:
            ValueError: the line is no number of a machine.
        """
        if self._current is not None and not self._record(line, *self._current):
            return None
        departed: list[tuple[int, int, int]] = []
        for number, job in self._jobs:
            departed += self._fleet.leave(job[ARRIVE])
            if self._fleet.fits_somewhere(job[CPU : MEMORY + 1]):
                self._current = number, job
                facts = [job[ARRIVE], job[CPU], job[MEMORY], job[TOLD]]
                return b" ".join(b"%d" % n for n in [*facts, *(n for row in departed for n in row)])
        self._current = None
        return None

    def answer(self) -> Json:
        """The machine of each job decided so far, in order of arrival."""
        return list(self._decisions)

    def _record(self, line: bytes, number: int, job: Sequence[int]) -> bool:
        """Takes a decision; whether the job fits there."""
        machines, demand = len(self._fleet.free_cpu), job[CPU : MEMORY + 1]
        machine = int(line) if line.isdigit() and len(line) < 10 else -1
        if not 0 <= machine < machines:
            raise ValueError(decision_fault(number, demand, machines, line.decode("ascii", "replace")))
        self._decisions.append(machine)
        if not self._fleet.fits(demand, machine):
            return False
        self._fleet.start(job, machine)
        return True
