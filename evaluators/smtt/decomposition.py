"""Exact total tardiness by Lawler's decomposition with memory, position elimination and four reductions."""

from __future__ import annotations

import time
from collections.abc import Sequence

NAME = "Lawler decomposition"
VERSION = "1"
_MEMORY = 60_000_000
"""Largest number of job entries in the memory (about 40 bytes each); a full memory takes no more."""


class DecompositionLimit(Exception):
    """The time or recursion limit was reached; nothing is proven."""


class Decomposition:
    """Solves one instance of 1 || sum of T_j exactly.

    Lawler 1977 (doi:10.1016/S0167-5060(08)70742-8): with the jobs in order of due date, some optimal
    sequence has the longest job at a place r at or after its own, those up to r before it and the others
    after it. Places are eliminated as by Potts and Van Wassenhove 1982 (doi:10.1016/0167-6377(82)90035-9)
    and by Szwarc, Grosso and Della Croce 2001 (doi:10.1002/jos.69).

    Subproblems start at time 0. A job is one integer with its due date in the high and its length in the low
    bits, so that sorted integers are jobs in due-date order; for a sequence its number stands between them.
    """

    def __init__(
        self, processing_times: Sequence[int], due_dates: Sequence[int], seconds: float | None = None
    ) -> None:
        """Takes positive integer processing times, integer due dates and a limit of wall time, or None."""
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._times = processing_times
        self._dates = due_dates
        self._bits = max(processing_times).bit_length()
        self._mask = (1 << self._bits) - 1
        self._due = self._bits
        self._memory: dict[tuple[int, ...], tuple[int, int]] = {}
        self._entries = 0
        self.steps = 0

    def value(self) -> int:
        """Least total tardiness (time units).

        Raises:
            Unfinished: the limit came first.
        """
        pairs = zip(self._times, self._dates, strict=True)
        try:
            return self._solve(sorted((d << self._due) | p for p, d in pairs))
        except RecursionError as error:
            raise DecompositionLimit from error

    def sequence(self) -> list[int]:
        """A sequence of job numbers that attains `value()`; calls `value()` first.

        Raises:
            Unfinished: the limit came first.
        """
        self.value()
        # Numbers by length, so that equal due dates stay ordered by length.
        numbers = sorted(range(len(self._times)), key=lambda j: self._times[j])
        self._due = self._bits + len(numbers).bit_length()
        jobs = [
            (self._dates[j] << self._due) | (number << self._bits) | self._times[j]
            for number, j in enumerate(numbers)
        ]
        try:
            order = self._order(sorted(jobs))
        finally:
            below = (1 << self._due) - 1
            self._due = self._bits
        return [numbers[(job & below) >> self._bits] for job in order]

    def _solve(self, jobs: list[int]) -> int:
        total, _, core, _ = self._reduce(jobs)
        return total + self._best(core)[0] if core else total

    def _order(self, jobs: list[int]) -> list[int]:
        _, first, core, last = self._reduce(jobs)
        if not core:
            return first + last
        s = _last_longest([job & self._mask for job in core])
        r = self._best(core)[1]
        end = sum(job & self._mask for job in core[: r + 1])
        left = core[:s] + core[s + 1 : r + 1]
        right = [job - (end << self._due) for job in core[r + 1 :]]
        return first + self._order(left) + [core[s]] + self._order(right) + last

    def _best(self, core: list[int]) -> tuple[int, int]:
        key = tuple(core)
        if self._due > self._bits:
            key = tuple((job >> self._due) << self._bits | job & self._mask for job in core)
        value = self._memory.get(key)
        if value is None:
            value = self._branch(core)
            if self._entries < _MEMORY:
                self._entries += len(key)
                self._memory[key] = value
        return value

    def _reduce(self, jobs: list[int]) -> tuple[int, list[int], list[int], list[int]]:
        """Four reductions: returns a constant cost, first jobs, remaining jobs by due date, last jobs.

        1. A due date below the job's length is raised to it: the job is late by the difference anyway.
        2. The job with the last due date goes last if that is not before the end: there it costs nothing.
        3. A due-date order with at most one late job is optimal: it has the least maximum lateness.
        4. A job that is first in due-date order and has the least length goes first (Emmons 1969).
        """
        due = self._due
        mask = self._mask
        total = 0
        first: list[int] = []
        last: list[int] = []
        while jobs:
            lengths = [job & mask for job in jobs]
            if jobs[0] < max(lengths) << due:
                total += self._raise(jobs, max(lengths))
            end = sum(lengths)
            while jobs and jobs[-1] >> due >= end:
                last.append(jobs[-1])
                end -= jobs.pop() & mask
            clock = late = excess = 0
            for job in jobs:
                clock += job & mask
                if clock > job >> due:
                    late += 1
                    if late == 2:
                        break
                    excess = clock - (job >> due)
            else:
                return total + excess, first + jobs, [], last[::-1]
            shortest = jobs[0] & mask
            if shortest > min(lengths) and shortest > min([job & mask for job in jobs]):
                break
            first.append(jobs[0])
            jobs = [job - (shortest << due) for job in jobs[1:]]
        return total, first, jobs, last[::-1]

    def _raise(self, jobs: list[int], longest: int) -> int:
        """Raises due dates below their job's length in place, in order; returns the sum of the raises."""
        due = self._due
        mask = self._mask
        total = 0
        limit = longest << due
        for k, job in enumerate(jobs):
            if job >= limit:
                break
            length = job & mask
            lack = length - (job >> due)
            if lack > 0:
                total += lack
                jobs[k] = job + (lack << due)
        if total:
            jobs.sort()
        return total

    def _branch(self, jobs: list[int]) -> tuple[int, int]:
        """Least total tardiness of reduced jobs, and a place of the longest job that attains it."""
        self.steps += 1
        if self._deadline is not None and self.steps % 64 == 0 and time.monotonic() > self._deadline:
            raise DecompositionLimit
        lengths = [job & self._mask for job in jobs]
        s = _last_longest(lengths)
        best = -1
        place = s
        for r, end, value in self._places(jobs, lengths, s):
            if 0 <= best <= value:
                continue
            left = jobs[:s] + jobs[s + 1 : r + 1]
            shift = end << self._due
            right = [job - shift for job in jobs[r + 1 :]]
            small, large = (left, right) if len(left) <= len(right) else (right, left)
            value += self._solve(small)
            if 0 <= best <= value:
                continue
            value += self._solve(large)
            if best < 0 or value < best:
                best = value
                place = r
        return best, place

    def _places(self, jobs: list[int], lengths: list[int], s: int) -> list[tuple[int, int, int]]:
        """Places r ≥ s that the longest job may take: place, its completion, its tardiness (time units).

        With E(r) the completion and T(r) the total tardiness of the due-date order with the job moved to r, a
        place is left out if E(r) < max of d + p over the jobs passed before the last, if T(r) ≥ T(q) for some
        s ≤ q < r, or if T(r) > T(r + 1).
        """
        due = self._due
        length = lengths[s]
        wish = jobs[s] >> due
        end = sum(lengths[: s + 1])
        own = end - wish if end > wish else 0
        places = [(s, end, own)]
        least = cost = barrier = 0
        waiting = True
        for r in range(s + 1, len(jobs)):
            p = lengths[r]
            d = jobs[r] >> due
            end += p
            before = cost
            if end > d:
                cost -= length if end - d > length else end - d
            if end > wish:
                cost += end - wish - own
                own = end - wish
            # A place is kept until the next one is known to be cheaper.
            if waiting and cost < before:
                places.pop()
            waiting = cost < least and end >= barrier
            if waiting:
                places.append((r, end, own))
            if cost < least:
                least = cost
            if d + p > barrier:
                barrier = d + p
        return places


def _last_longest(lengths: list[int]) -> int:
    """Index of the largest number; of equal numbers, the last."""
    return len(lengths) - 1 - lengths[::-1].index(max(lengths))
