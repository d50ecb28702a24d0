"""Column generation for bin packing: the Gilmore–Gomory linear programme, warm-started column by column.

P. C. Gilmore, R. E. Gomory, "A linear programming approach to the cutting-stock problem", Operations
Research 9 (1961) 849–859. No result of this module is trusted: duals become integer weights whose bound is
proved again, and packings are checked item by item.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bounds import copies_in_binary
from .heuristics import Pattern

_TOLERANCE = 1e-7


class OutOfTime(Exception):
    """The wall time for a reference is used up."""


class Master:
    """The restricted master: patterns as columns, one covering row per distinct size."""

    def __init__(
        self, counts: Mapping[int, int], capacity: int, start: Iterable[Pattern], deadline: float
    ) -> None:
        """Takes size → number of items, capacity (units of size), first patterns, monotonic deadline."""
        import highspy

        self.sizes = sorted(counts, reverse=True)
        self.capacity = capacity
        self.deadline = deadline
        self.demand = np.array([counts[size] for size in self.sizes], dtype=np.int64)
        self.patterns: list[NDArray[np.int64]] = []
        self._known: set[bytes] = set()
        self._infinity = highspy.kHighsInf
        self._model = highspy.Highs()
        self._model.silent()
        self._model.setOptionValue("threads", 1)
        for count in self.demand:
            self._model.addRow(
                float(count), self._infinity, 0, np.array([], np.int32), np.array([], np.float64)
            )
        self._row_of = {size: row for row, size in enumerate(self.sizes)}
        for row, size in enumerate(self.sizes):
            self.add(self._unit(row, min(int(self.demand[row]), capacity // size)))
        for pattern in start:
            self.add(self.vector(pattern))

    def vector(self, pattern: Pattern) -> NDArray[np.int64]:
        """The number of items of each row's size in a pattern."""
        counts = np.zeros(len(self.sizes), dtype=np.int64)
        for size in pattern:
            counts[self._row_of[size]] += 1
        return counts

    def add(self, column: NDArray[np.int64]) -> bool:
        """Adds a pattern (items per row); returns whether the pattern is new."""
        if column.tobytes() in self._known:
            return False
        self._known.add(column.tobytes())
        self.patterns.append(column)
        rows = np.flatnonzero(column).astype(np.int32)
        self._model.addCol(1.0, 0.0, self._infinity, len(rows), rows, column[rows].astype(np.float64))
        return True

    def set_demand(self, demand: NDArray[np.int64]) -> None:
        """Sets the number of items to cover in each row."""
        for row in np.flatnonzero(demand != self.demand):
            self._model.changeRowBounds(int(row), float(demand[row]), self._infinity)
        self.demand = demand.copy()

    def generate(self, rounds: int = 10_000) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Adds patterns until none improves, or `rounds` times: (use per column, dual per row).

        Raises:
            OutOfTime: the deadline has passed.
        """
        for _ in range(rounds):
            values, duals = self._solve()
            gain, column = self.price(duals)
            if gain <= 1 + _TOLERANCE or not self.add(column):
                return values, duals
        return self._solve()

    def price(self, duals: NDArray[np.float64]) -> tuple[float, NDArray[np.int64]]:
        """Largest dual value of a pattern within capacity and demand, and the pattern (bounded knapsack)."""
        best = np.zeros(self.capacity + 1)
        steps: list[tuple[int, int, NDArray[np.bool_]]] = []
        for row in np.flatnonzero((duals > 1e-12) & (self.demand > 0)).tolist():
            size = self.sizes[row]
            for copies in copies_in_binary(min(int(self.demand[row]), self.capacity // size)):
                space = copies * size
                candidate = best[: self.capacity + 1 - space] + copies * duals[row]
                taken = np.zeros(self.capacity + 1, dtype=bool)
                np.greater(candidate, best[space:] + 1e-12, out=taken[space:])
                best[space:] = np.where(taken[space:], candidate, best[space:])
                steps.append((row, copies, taken))
        column = np.zeros(len(self.sizes), dtype=np.int64)
        room = self.capacity
        for row, copies, taken in reversed(steps):
            if taken[room]:
                column[row] += copies
                room -= copies * self.sizes[row]
        return float(best[self.capacity]), column

    def integer_solution(self, target: int, seconds: float) -> list[tuple[NDArray[np.int64], int]] | None:
        """Patterns and their numbers by the restricted master as an integer programme; None if unsolved.

        Args:
            target: stop as soon as this many bins are enough.
            seconds: wall time, > 0.
        """
        import highspy

        model = self._model
        columns = len(self.patterns)
        kinds = [highspy.HighsVarType.kInteger] * columns
        model.changeColsIntegrality(columns, np.arange(columns, dtype=np.int32), kinds)
        model.setOptionValue("objective_target", float(target) + 0.5)
        model.setOptionValue("mip_rel_gap", 0.0)
        model.setOptionValue("time_limit", float(model.getRunTime() + seconds))
        model.run()
        feasible = model.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        values = np.rint(np.array(model.getSolution().col_value)).astype(np.int64)
        model.changeColsIntegrality(
            columns, np.arange(columns, dtype=np.int32), [highspy.HighsVarType.kContinuous] * columns
        )
        model.setOptionValue("time_limit", self._infinity)
        if not feasible:
            return None
        return [(self.patterns[j], int(values[j])) for j in np.flatnonzero(values > 0)]

    def _unit(self, row: int, copies: int) -> NDArray[np.int64]:
        column = np.zeros(len(self.sizes), dtype=np.int64)
        column[row] = copies
        return column

    def _solve(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if time.monotonic() > self.deadline:
            raise OutOfTime
        self._model.run()
        solution: Any = self._model.getSolution()
        return np.array(solution.col_value), np.maximum(np.array(solution.row_dual), 0.0)


def to_patterns(
    chosen: Sequence[tuple[NDArray[np.int64], int]], sizes: Sequence[int], counts: Mapping[int, int]
) -> list[Pattern]:
    """The bins of columns with their numbers, without items beyond `counts` and without empty bins."""
    left = dict(counts)
    bins: list[Pattern] = []
    for column, number in chosen:
        for _ in range(number):
            content: list[int] = []
            for row in np.flatnonzero(column).tolist():
                size = sizes[row]
                take = min(int(column[row]), left.get(size, 0))
                left[size] = left.get(size, 0) - take
                content += [size] * take
            if content:
                bins.append(tuple(content))
    return bins
