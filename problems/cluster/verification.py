"""Replays decisions in integers: which machine each job takes, and what stays free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base import Json, Verdict
from ..faults import kind


class Fleet:
    """The free cpu and memory of all machines, as jobs take their place."""

    def __init__(self, public: Mapping[str, Any]) -> None:
        """Starts from the snapshot."""
        self.free_cpu: list[int] = list(public["free_cpu"])
        self.free_memory: list[int] = list(public["free_memory"])

    def fits(self, job: Sequence[int], machine: int) -> bool:
        """Whether a job fits a machine now."""
        return job[0] <= self.free_cpu[machine] and job[1] <= self.free_memory[machine]

    def fits_somewhere(self, job: Sequence[int]) -> bool:
        """Whether any machine has room for a job."""
        return any(self.fits(job, machine) for machine in range(len(self.free_cpu)))

    def meet(self, job: Sequence[int]) -> Sequence[int]:
        """Brings the fleet to the arrival of a job; returns the job's demands, cpu and memory."""
        return job

    def put(self, job: Sequence[int], machine: int) -> None:
        """Places a job that fits."""
        self.free_cpu[machine] -= job[0]
        self.free_memory[machine] -= job[1]


def weight(public: Mapping[str, Any], job: Sequence[int]) -> int:
    """Weight of a job: cpu times a machine's memory plus memory times a machine's cpu."""
    return int(job[0] * public["memory"] + job[1] * public["cpu"])


def judge(public: Mapping[str, Any], jobs: Sequence[Sequence[int]], answer: Json) -> Verdict:
    """Valid with the placed weight iff every job that fits somewhere went to a machine where it fits.

    Args:
        public: `cpu`, `memory` of a machine, and `free_cpu`, `free_memory` of the snapshot.
        jobs: [cpu, memory] of the queue, in order of arrival.
        answer: expected to be the machine of each job that fitted somewhere, in order of arrival.
    """
    return judge_decisions(Fleet(public), jobs, answer, lambda job: weight(public, job))


def judge_decisions(
    fleet: Fleet, jobs: Sequence[Sequence[int]], answer: Json, worth: Callable[[Sequence[int]], int]
) -> Verdict:
    """Valid with the worth of all placed jobs iff each job that fitted somewhere went where it fits.

    Args:
        fleet: before the first job.
        jobs: in order of arrival.
        answer: expected to be the machine of each job that fitted somewhere, in order of arrival.
        worth: of a placed job.
    """
    if not isinstance(answer, list):
        return Verdict.invalid(f"transcript: got {kind(answer)}, expected a list of machines")
    total, taken = 0, 0
    machines = len(fleet.free_cpu)
    for number, job in enumerate(jobs):
        demand = fleet.meet(job)
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
        fleet.put(job, machine)
        total += worth(job)
    if taken != len(answer):
        return Verdict.invalid(f"transcript: got {len(answer)} decisions, expected {taken}")
    return Verdict.valid(total)


def decision_fault(number: int, job: Sequence[int], machines: int, got: str) -> str:
    """One sentence on a decision that is no machine."""
    return f"{_name(number, job)}: got {got[:40]}, expected a machine from 0 to {machines - 1}"


def misfit(number: int, job: Sequence[int], machine: int, fleet: Fleet) -> str:
    """One sentence on a job that does not fit its machine."""
    room = f"{fleet.free_cpu[machine]} cpu and {fleet.free_memory[machine]} memory free"
    return f"{_name(number, job)} does not fit machine {machine}, which has {room}"


def replay(
    public: Mapping[str, Any], jobs: Sequence[Sequence[int]], answer: Json
) -> tuple[Fleet, list[tuple[int, Sequence[int]]]]:
    """The fleet after a valid answer, and (machine, job) of every placed job in order of arrival."""
    fleet = Fleet(public)
    machines = decided(fleet, jobs, answer)
    return fleet, [(machine, job) for job, machine in machines if machine is not None]


def decided(
    fleet: Fleet, jobs: Sequence[Sequence[int]], answer: Json
) -> list[tuple[Sequence[int], int | None]]:
    """Each job of a valid answer with its machine, None for a job that fits nowhere."""
    decisions = iter(list[int](answer))  # type: ignore[arg-type]
    machines: list[tuple[Sequence[int], int | None]] = []
    for job in jobs:
        machine = next(decisions) if fleet.fits_somewhere(fleet.meet(job)) else None
        if machine is not None:
            fleet.put(job, machine)
        machines.append((job, machine))
    return machines


def stranded(fleet: Fleet, jobs: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Free cpu and free memory on machines that none of the jobs fits."""
    types = {tuple(job) for job in jobs}
    full = [m for m in range(len(fleet.free_cpu)) if not any(fleet.fits(job, m) for job in types)]
    return sum(fleet.free_cpu[m] for m in full), sum(fleet.free_memory[m] for m in full)


def _name(number: int, job: Sequence[int]) -> str:
    return f"job {number} ({job[0]} cpu, {job[1]} memory)"
