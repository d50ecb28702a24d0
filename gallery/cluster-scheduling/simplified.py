"""A job goes where the best fill of the free room, by the kinds of jobs seen so far, falls least."""

from collections import Counter

import numpy as np

KINDS = 32   # kinds of jobs in the table, the most frequent ones
TIE = 0.002  # preference for full machines
NEVER = -1e9


class Scheduler:
    """Keeps the kinds of jobs and the value of each room."""

    def __init__(self, cpu: int, memory: int, machines: int) -> None:
        self.cpu, self.memory = cpu, memory
        self.counts = Counter()
        self.next_table = 1

    def _tabulate(self) -> None:
        """The largest weight of jobs that fits each room: an unbounded knapsack with two resources."""
        kinds = np.array(sorted(kind for kind, _ in self.counts.most_common(KINDS)))
        weights = (kinds / [self.cpu, self.memory]).sum(axis=1)
        self.units = np.maximum(1, np.gcd.reduce(kinds, axis=0))
        cores, gib = (kinds // self.units).T
        rows, columns = self.cpu // self.units[0] + 1, self.memory // self.units[1] + 1
        pad = gib.max()
        value = np.full((rows, pad + columns), NEVER)
        value[:, pad:] = 0.0
        before = np.arange(columns) + (pad - gib)[:, None]
        for row in range(cores.min(), rows):
            k = np.searchsorted(cores, row, side="right")
            fills = value[(row - cores[:k])[:, None], before[:k]] + weights[:k, None]
            value[row, pad:] = np.maximum(fills.max(axis=0), 0.0)
        self.value = value[:, pad:]

    def place(self, cpu: int, memory: int, free_cpu: list[int], free_memory: list[int]) -> int:
        """Index of the machine for the job."""
        self.counts[cpu, memory] += 1
        if self.counts.total() >= self.next_table:
            self._tabulate()
            self.next_table = 2 * self.counts.total()
        free = np.array([free_cpu, free_memory])
        fit = np.nonzero((free[0] >= cpu) & (free[1] >= memory))[0]
        free = free[:, fit]
        x, y = free // self.units[:, None]
        u, v = (free - [[cpu], [memory]]) // self.units[:, None]
        loss = self.value[x, y] - self.value[u, v]
        return int(fit[np.argmin(loss + TIE * (free[0] / self.cpu + free[1] / self.memory))])
