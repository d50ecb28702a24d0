"""The rule that FunSearch found on Weibull sizes with capacity 100.

Written from the published formula: B. Romera-Paredes et al., Nature 625 (2024) 468-475. With b the free
space of each slot that holds the item x, in order: s = (b - max b)^2 / x + b^2 / x^2 + b^2 / x^3, negated
where b > x, then each score but the first minus the one before it; the largest wins, the first of equals.
As in the paper's simulation, slots are bins that exist from the start, empty ones included: the rule may
pass over an empty slot, which then stays among the others.
"""

import numpy


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.capacity = capacity
        self.space = numpy.full(64, capacity)
        self.used = 0
        self.bin_of: dict[int, int] = {}

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        # Two empty slots behind the last used one stand for all: the second and later ones tie.
        if self.used + 2 > len(self.space):
            self.space = numpy.concatenate([self.space, numpy.full(len(self.space), self.capacity)])
        fits = numpy.flatnonzero(self.space[: self.used + 2] >= item)
        b = self.space[fits].astype(float)
        score = (b - self.capacity) ** 2 / item + b**2 / item**2 + b**2 / item**3
        score[b > item] *= -1
        score[1:] -= score[:-1].copy()
        slot = int(fits[numpy.argmax(score)])
        self.space[slot] -= item
        self.used = max(self.used, slot + 1)
        return self.bin_of.setdefault(slot, len(residuals))
