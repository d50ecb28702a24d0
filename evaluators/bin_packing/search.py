"""Searches for certificates with a solver: column generation, dives, restricted master in integers."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..toolbox import Note
from .bounds import weight_bound
from .columns import Master, OutOfTime, to_patterns
from .heuristics import Pattern, best_decreasing
from .proof import WEIGHT_SCALE, PackingCertificate

_ROUNDS = 8
_DIVES = 6
_INTEGER_SECONDS = 10.0


class PackingSearch:
    """Improves a certificate of one instance until it is closed or the time is up."""

    def __init__(
        self,
        counts: Mapping[int, int],
        capacity: int,
        start: PackingCertificate,
        deadline: float,
        note: Note,
    ) -> None:
        """Takes what the search needs.

        Args:
            counts: size → number of items.
            capacity: of a bin (units of size).
            start: the first certificate.
            deadline: on the monotonic clock, seconds.
            note: takes the document of each better certificate.
        """
        self.counts = counts
        self.capacity = capacity
        self.best = start
        self.deadline = deadline
        self.note = note

    def run(self) -> PackingCertificate:
        """Returns the best certificate; each round of dives adds columns for the next integer programme."""
        master = Master(self.counts, self.capacity, self.best.bins, self.deadline)
        try:
            self._root(master)
            for number in range(_ROUNDS):
                for dive in range(_DIVES):
                    if self.best.closed:
                        return self.best
                    self._dive(master, random.Random(number * _DIVES + dive))
                self._integer(master)
        except OutOfTime:
            pass
        return self.best

    def _root(self, master: Master) -> None:
        """Solves the linear programme and proves its bound again in integers."""
        _, duals = master.generate()
        weights = {s: int(WEIGHT_SCALE * dual) for s, dual in zip(master.sizes, duals, strict=True)}
        bound = weight_bound(self.counts, self.capacity, weights)
        if bound > self.best.bound:
            self._keep(PackingCertificate(self.best.bins, bound, "dual", weights))

    def _dive(self, master: Master, stream: random.Random) -> None:
        """Fixes rounded columns step by step and solves the rest; packs leftovers by decreasing rules."""
        whole = np.array([self.counts[size] for size in master.sizes], dtype=np.int64)
        left = whole.copy()
        chosen = []
        while left.any() and not self.best.closed:
            master.set_demand(left)
            values, _ = master.generate(rounds=40)
            for j, number in _rounded(values, stream):
                column = np.minimum(master.patterns[j], left)
                rows = np.flatnonzero(column)
                number = min([number, *(int(left[row] // column[row]) for row in rows)])
                if len(rows) and number > 0:
                    chosen.append((column, number))
                    left = left - number * column
            rest = {size: int(n) for size, n in zip(master.sizes, left, strict=True) if n}
            self._offer(to_patterns(chosen, master.sizes, self.counts) + best_decreasing(rest, self.capacity))
        master.set_demand(whole)

    def _integer(self, master: Master) -> None:
        """Solves the restricted master as an integer programme in part of the remaining time."""
        seconds = min(_INTEGER_SECONDS, self.deadline - time.monotonic())
        if self.best.closed or seconds <= 0:
            return
        chosen = master.integer_solution(self.best.bound, seconds)
        if chosen is not None:
            self._offer(to_patterns(chosen, master.sizes, self.counts))

    def _offer(self, bins: Sequence[Pattern]) -> None:
        """Keeps a packing if it uses fewer bins than the best one."""
        if len(bins) < len(self.best.bins):
            tidy = tuple(tuple(sorted(content, reverse=True)) for content in bins)
            self._keep(PackingCertificate(tidy, self.best.bound, self.best.rule, self.best.weights))

    def _keep(self, better: PackingCertificate) -> None:
        self.best = better
        self.note(better.document())


def _rounded(values: NDArray[np.float64], stream: random.Random) -> list[tuple[int, int]]:
    """Pairs (column, number) to fix next: the integer parts, or the largest fraction if all of them are 0.

    Small noise on the fractions makes dives differ.
    """
    whole = np.floor(values + 1e-6).astype(np.int64)
    if whole.any():
        return [(int(j), int(whole[j])) for j in np.flatnonzero(whole)]
    noisy = [float(v) + 0.2 * stream.random() if v > 1e-6 else 0.0 for v in values]
    return [(int(np.argmax(noisy)), 1)]
