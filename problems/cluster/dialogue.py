"""Parent side of an execution: reveals a job after each decision and keeps the transcript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..base import Json
from .verification import Fleet, decision_fault


class JobArrivals:
    """Steps through a queue of jobs; jobs that fit nowhere are left out and not shown."""

    def __init__(self, fleet: Fleet, jobs: Sequence[Sequence[int]]) -> None:
        """Takes the fleet before the first job, and the queue in order of arrival."""
        self._fleet = fleet
        self._waiting = self._shown(jobs)
        self._current: tuple[int, Sequence[int], Sequence[int]] | None = None
        self._decisions: list[int] = []

    def next(self, line: bytes) -> bytes | None:
        """Records the decision on the last job revealed and reveals the next one; None at the end.

        A job that does not fit its machine ends the queue: the verdict on the transcript says which.

        Raises:
            ValueError: the line is no number of a machine.
        """
        if self._current is not None and not self._record(line, *self._current):
            return None
        self._current = next(self._waiting, None)
        return None if self._current is None else self.line(self._current[1])

    def line(self, job: Sequence[int]) -> bytes:
        """What a candidate is shown of a job: its demands."""
        return b"%d %d" % tuple(job)

    def answer(self) -> Json:
        """The machine of each job decided so far, in order of arrival."""
        return list(self._decisions)

    def _shown(self, jobs: Sequence[Sequence[int]]) -> Iterator[tuple[int, Sequence[int], Sequence[int]]]:
        """Number, job and demands of each job that fits somewhere when its turn comes."""
        for number, job in enumerate(jobs):
            demand = self._fleet.meet(job)
            if self._fleet.fits_somewhere(demand):
                yield number, job, demand

    def _record(self, line: bytes, number: int, job: Sequence[int], demand: Sequence[int]) -> bool:
        """Takes a decision; whether the job fits there."""
        machines = len(self._fleet.free_cpu)
        machine = int(line) if line.isdigit() and len(line) < 10 else -1
        if not 0 <= machine < machines:
            raise ValueError(decision_fault(number, demand, machines, line.decode("ascii", "replace")))
        self._decisions.append(machine)
        if not self._fleet.fits(demand, machine):
            return False
        self._fleet.put(job, machine)
        return True
