"""Parent side of an execution: reveals a job after each decision and keeps the transcript."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..base import Json
from .verification import Fleet, decision_fault


class Arrivals:
    """Steps through a queue of jobs; jobs that fit nowhere are left out and not shown."""

    def __init__(self, public: Mapping[str, Any], jobs: Sequence[Sequence[int]]) -> None:
        """Takes the snapshot and the queue in order of arrival."""
        self._fleet = Fleet(public)
        self._waiting = self._shown(jobs)
        self._current: tuple[int, Sequence[int]] | None = None
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
        return None if self._current is None else b"%d %d" % tuple(self._current[1])

    def answer(self) -> Json:
        """The machine of each job decided so far, in order of arrival."""
        return list(self._decisions)

    def _shown(self, jobs: Sequence[Sequence[int]]) -> Iterator[tuple[int, Sequence[int]]]:
        """Number and demand of each job that fits somewhere when its turn comes."""
        for number, job in enumerate(jobs):
            if self._fleet.fits_somewhere(job):
                yield number, job

    def _record(self, line: bytes, number: int, job: Sequence[int]) -> bool:
        """Takes a decision; whether the job fits there."""
        machines = len(self._fleet.free_cpu)
        machine = int(line) if line.isdigit() and len(line) < 10 else -1
        if not 0 <= machine < machines:
            raise ValueError(decision_fault(number, job, machines, line.decode("ascii", "replace")))
        self._decisions.append(machine)
        if not self._fleet.fits(job, machine):
            return False
        self._fleet.put(job, machine)
        return True
