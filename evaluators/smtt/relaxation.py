"""A second exact method: Lagrangian relaxation over start times, then enumeration within the remaining gap.

The method shares nothing with the decomposition and also takes weights. Ibaraki and Nakamura 1994
(doi:10.1016/0377-2217(94)90239-9), Tanaka, Fujikuma and Araki 2009 (doi:10.1007/s10951-008-0093-5), reduced
to one relaxation and one enumeration.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bounds import most_cost, time_prices
from .precedence import precedence
from .search import cost_of

NAME = "Lagrangian start-time relaxation"
VERSION = "3"
_UNIT = 64
"""Multipliers are integer multiples of 1 / 64 of a cost unit, so that every bound is exact integer work."""
_FAR = 1 << 60
_NEVER = 1 << 45
LARGEST = _NEVER >> 1
"""Costs must stay below this limit (cost units), so that they stay below the cost of a forbidden start."""
_STAGES = ((40, 2_000), (40, 8_000), (80, 30_000), (160, 120_000), (320, 300_000))
"""Stages of (subgradient steps, largest number of sets in one round of the enumeration)."""
_PATIENCE = 10


@dataclass(frozen=True, slots=True)
class Proof:
    """Result of the method (cost units).

    Attributes:
        bound: lower bound on the cost of every sequence.
        sequence: an optimal sequence if one is found that costs less than the given sequence, else None.
        optimal: whether `bound` is the optimum.
        seconds: wall seconds.
        labels: sets of jobs that were enumerated (count).
    """

    bound: int
    optimal: bool
    sequence: tuple[int, ...] | None
    seconds: float
    labels: int


def prove(public: Mapping[str, Any], sequence: Sequence[int], seconds: float, spare: int = 0) -> Proof:
    """Finds the least cost of all sequences, given a good one.

    Args:
        public: processing times (> 0), due dates, and weights if there are any.
        sequence: all jobs; its cost is the upper bound, and its prices are where the multipliers start.
        seconds: wall seconds, about.
        spare: cost units by which sequences that are looked for may be dearer than a better one; with 1 the
            method has to find an equal of the given sequence, and no bound ends at its cost.

    Raises:
        ValueError: costs could reach `LARGEST`.
    """
    if (most := most_cost(public)) >= LARGEST:
        raise ValueError(f"{NAME}: got costs of up to {most}, expected less than {LARGEST}")
    started = time.monotonic()
    upper = cost_of(public, sequence) + spare
    relaxation = SequenceRelaxation(public, sequence)
    labels = 0
    for rounds, sets in _STAGES:
        if relaxation.ascend(upper, started + seconds, rounds) >= upper:
            return Proof(upper, True, None, time.monotonic() - started, labels)
        cost, better, seen = relaxation.enumerate(upper, started + seconds, sets)
        labels += seen
        if cost is not None:
            return Proof(cost, True, better, time.monotonic() - started, labels)
        if time.monotonic() > started + seconds:
            break
    return Proof(relaxation.bound, False, None, time.monotonic() - started, labels)


class SequenceRelaxation:
    """The relaxation to sequences that fill the horizon and may repeat a job, but never twice in a row.

    Each job has a multiplier, charged each time the job occurs and paid back once; the cheapest relaxed
    sequence is then a lower bound on every real sequence. A dynamic programme finds it backwards over the
    start time; a job starts only where the rules of Emmons allow.
    """

    def __init__(self, public: Mapping[str, Any], sequence: Sequence[int]) -> None:
        """Takes processing times, due dates, weights, and the sequence whose prices it starts from."""
        self.p = np.array(public["processing_times"], dtype=np.int64)
        dates = np.array(public["due_dates"], dtype=np.int64)
        weights = np.array(public.get("weights") or [1] * len(self.p), dtype=np.int64)
        self.n = len(self.p)
        self.end = int(self.p.sum())
        self.order = precedence(public)
        # Limits multipliers so that their sum along the longest relaxed sequence stays far below 64 bits.
        self.largest = (_FAR >> 1) // (self.end // int(self.p.min()) + self.n)
        ends = np.arange(self.end)[:, None] + self.p
        allowed = (ends >= self.order.earliest) & (ends <= self.order.latest)
        self.cost = np.where(allowed, np.maximum(ends - dates, 0) * weights, _NEVER)
        self.multipliers = self._prices(np.array(sequence), dates, weights)
        # after[t, j]: least relaxed cost from t on if j ended at t; first and second: what comes at t.
        self.after = np.full((self.end + int(self.p.max()) + 1, self.n), _FAR, dtype=np.int64)
        self.after[self.end] = 0
        self.first = np.zeros(self.end, dtype=np.int64)
        self.second = np.zeros(self.end, dtype=np.int64)
        self._value = -1
        self._step = 1.0
        self._stale = 0
        self._kept = self.multipliers
        self._direction = np.zeros(self.n)

    def _prices(self, sequence: np.ndarray, dates: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Multipliers from the prices that a known sequence puts on time (1 / 64 cost units).

        A job's multiplier is minus its least sum of cost and price over all starts. This is the dual solution
        of `price_bound`, so that the first bound is already good.
        """
        p = self.p[sequence]
        price = np.repeat(time_prices(p, dates[sequence], weights[sequence]), p)
        paid = np.concatenate([[0], price.cumsum()])
        starts = np.arange(self.end)[:, None]
        time_cost = paid[np.minimum(starts + self.p, self.end)] - paid[starts]
        least: np.ndarray = (self.cost + time_cost).min(axis=0)
        multipliers: np.ndarray = np.maximum(-_UNIT * least, -self.largest)
        return multipliers

    @property
    def bound(self) -> int:
        """Best lower bound so far (cost units, ≥ 0)."""
        return max(0, -(-self._value // _UNIT))

    def ascend(self, upper: int, deadline: float, rounds: int) -> int:
        """Takes at most `rounds` subgradient steps, keeps the best multipliers' tables and returns the bound.

        Steps follow Camerini, Fratta and Maffioli 1975 (doi:10.1007/BFb0120697): no step points against the
        one before it.
        """
        for _ in range(rounds):
            value = self._fill()
            self._stale += 1
            if value > self._value:
                self._value = value
                self._kept = self.multipliers
                self._stale = 0
            excess = self._counts() - 1
            if self.bound >= upper or not excess.any() or time.monotonic() > deadline:
                break
            self._move(excess, upper * _UNIT - value)
        if self.multipliers is not self._kept:
            self.multipliers = self._kept
            self._fill()
        return self.bound

    def _move(self, excess: np.ndarray, distance: int) -> None:
        """One step along the subgradient, given its distance to the upper bound (1 / 64 cost units)."""
        if self._stale > _PATIENCE:
            self._step = self._step / 1.5
            self._stale = 0
        along = float(excess @ self._direction)
        turn = 1.5 * along / float(self._direction @ self._direction) if along < 0 else 0.0
        self._direction = excess - turn * self._direction
        move = self._step * distance / float(self._direction @ self._direction)
        # All multipliers give a valid bound; the clip only keeps steps from growing without limit.
        steps = np.rint(np.clip(move * self._direction, -2 * self.largest, 2 * self.largest)).astype(np.int64)
        self.multipliers = np.clip(self.multipliers + steps, -self.largest, self.largest)

    def _fill(self) -> int:
        """Fills the tables for every start time and returns the least relaxed cost (1 / 64 cost units)."""
        charged = self.cost * _UNIT + self.multipliers
        after = self.after
        first = self.first
        second = self.second
        flat = after.ravel()
        cells = (self.p + self.end) * self.n + np.arange(self.n)
        for start in range(self.end - 1, -1, -1):
            cells -= self.n
            value = flat.take(cells)
            value += charged[start]
            k = value.argmin()
            least = value[k]
            value[k] = _FAR
            other = value.argmin()
            row = after[start]
            row.fill(min(least, _FAR))
            row[k] = min(value[other], _FAR)
            first[start] = k
            second[start] = other
        return int(least) - int(self.multipliers.sum())

    def _counts(self) -> np.ndarray:
        """The number of occurrences of each job in the cheapest relaxed sequence."""
        counts = np.zeros(self.n, dtype=np.int64)
        start = 0
        before = -1
        while start < self.end:
            job = int(self.first[start])
            if job == before:
                job = int(self.second[start])
            counts[job] += 1
            start += int(self.p[job])
            before = job
        return counts

    def enumerate(
        self, upper: int, deadline: float, most: int
    ) -> tuple[int | None, tuple[int, ...] | None, int]:
        """Least cost up to `upper`, a cheaper sequence if there is one, and the number of sets looked at.

        Builds sequences from the front, one job a round, keeps the cheapest for each set of jobs, and drops
        those whose cost plus the relaxed cost of what remains reaches `upper`. No cost if a round has more
        than `most` or the deadline passes.
        """
        used = np.zeros((1, self.n), dtype=bool)
        cost = np.zeros(1, dtype=np.int64)
        start = np.zeros(1, dtype=np.int64)
        paths = np.zeros((1, 0), dtype=np.int16)
        seen = 0
        total = int(self.multipliers.sum())
        before = self.order.before.astype(np.float32)
        needed = before.sum(axis=0)
        for _ in range(self.n):
            charges = total - used @ self.multipliers
            ends = start[:, None] + self.p
            after = self.after[ends, np.arange(self.n)]
            spent = cost[:, None] + self.cost[np.minimum(start, self.end - 1)]
            bound = spent * _UNIT + after - (charges[:, None] - self.multipliers)
            ready = used.astype(np.float32) @ before >= needed
            rows, jobs = np.nonzero(~used & ready & (bound <= (upper - 1) * _UNIT))
            seen += len(rows)
            if not len(rows):
                return upper, None, seen  # nothing below the upper bound is left
            if len(rows) > most or time.monotonic() > deadline:
                return None, None, seen
            used = used[rows]
            used[np.arange(len(rows)), jobs] = True
            cost = spent[rows, jobs]
            start = ends[rows, jobs]
            paths = np.concatenate([paths[rows], jobs[:, None].astype(np.int16)], axis=1)
            keep = _cheapest(used, cost)
            used = used[keep]
            cost = cost[keep]
            start = start[keep]
            paths = paths[keep]
        return int(cost[0]), tuple(int(j) for j in paths[0]), seen


def _cheapest(used: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Row numbers of the cheapest of each set of jobs."""
    packed = np.packbits(used, axis=1)
    order = np.lexsort((cost, *packed.T))
    ordered = packed[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    chosen: np.ndarray = order[new]
    return chosen
