"""Runs inside the sandbox around a rule: places buffers one by one on their floors, then lets all sink.

The floor of a buffer is the highest top among the placed buffers that are alive at some moment of its life.
The rule gets arrays of its own, with one entry for each unplaced buffer, and is not asked for the last one.
"""

from bisect import insort
from typing import Any

import numpy as np


def drive(rule: Any, instance: dict[str, Any]) -> list[int]:
    """Offsets that a priority rule makes of an instance."""
    buffers = instance["buffers"]
    stack = Stack(buffers)
    offsets = [0] * len(buffers)
    with np.errstate(all="ignore"):
        while len(stack.left) > 1:
            priority = np.asarray(rule(**stack.columns()), dtype=float)
            if priority.shape != (len(stack.left),):
                raise ValueError(
                    f"priority: got shape {priority.shape}, expected ({len(stack.left)},): "
                    "one number for each unplaced buffer"
                )
            priority = np.where(np.isnan(priority), np.inf, priority)
            i = int(stack.left[int(priority.argmin())])
            offsets[i] = stack.place(i)
    i = int(stack.left[0])
    offsets[i] = stack.place(i)
    return sink(buffers, offsets)


class Stack:
    """Buffers placed so far, over the sections of time between two starts."""

    def __init__(self, buffers: list[list[int]]) -> None:
        """Nothing is placed yet."""
        steps = sorted({start for start, _, _ in buffers})
        section = {step: place for place, step in enumerate(steps)}
        rows = np.array(buffers, dtype=float)
        self.start, self.end, self.size = rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2].copy()
        bounds = np.array(steps, dtype=float)
        living = (self.start[:, None] <= bounds) & (bounds < self.end[:, None])
        self.alive = living.astype(float)
        self.first = [section[start] for start, _, _ in buffers]
        self.last = [first + int(count) for first, count in zip(self.first, living.sum(1), strict=True)]
        self.spans = self.alive * np.minimum(
            np.diff(np.append(bounds, self.end.max())), self.end[:, None] - bounds
        )
        self.sizes = [size for _, _, size in buffers]
        self.tops = [0] * len(steps)  # exact; the arrays below are for the rule
        self.height = np.zeros(len(steps))
        self.unplaced = (self.alive * self.size[:, None]).sum(0)
        self.load = (self.alive * self.unplaced).max(1)
        self.peak = float(self.load.max())
        self.left = np.arange(len(buffers))
        self.floor = np.zeros(len(buffers))
        self.unplaced_load = self.load.copy()
        self.stack = self.load.copy()
        self.hole = np.zeros(len(buffers))
        self.others = ((self.start[:, None] < self.end) & (self.start < self.end[:, None])).sum(1) - 1.0

    def columns(self) -> dict[str, Any]:
        """What the rule sees: an array per column, one entry for each unplaced buffer, and single numbers."""
        left = self.left
        return {
            "start": self.start[left],
            "end": self.end[left],
            "size": self.size[left],
            "floor": self.floor[left],
            "load": self.load[left],
            "unplaced_load": self.unplaced_load[left],
            "stack": self.stack[left],
            "hole": self.hole[left],
            "others": self.others[left],
            "peak": self.peak,
            "top": float(self.height.max()),
            "progress": 1 - len(left) / len(self.size),
        }

    def place(self, i: int) -> int:
        """Places a buffer on its floor, which is returned exact, and brings the others up to date."""
        first, last = self.first[i], self.last[i]
        offset = max(self.tops[first:last])
        top = offset + self.sizes[i]
        self.tops[first:last] = [top] * (last - first)
        self.height[first:last] = top
        self.unplaced[first:last] -= self.size[i]
        self.left = self.left[self.left != i]
        near = self.left[(self.start[self.left] < self.end[i]) & (self.start[i] < self.end[self.left])]
        alive = self.alive.take(near, axis=0)
        floor = (alive * self.height).max(1, initial=0.0)
        self.floor[near] = floor
        self.unplaced_load[near] = (alive * self.unplaced).max(1, initial=0.0)
        self.stack[near] = (alive * (self.height + self.unplaced)).max(1, initial=0.0)
        life = self.end[near] - self.start[near]
        self.hole[near] = floor * life - (self.spans.take(near, axis=0) * self.height).sum(1)
        self.others[near] -= 1
        return offset


def sink(buffers: list[list[int]], offsets: list[int]) -> list[int]:
    """The buffers in the order of their offsets, each at the lowest free offset: none ends higher."""
    placed: list[tuple[int, int, int, int]] = []
    sunk = [0] * len(buffers)
    for i in sorted(range(len(buffers)), key=lambda i: offsets[i]):
        start, end, size = buffers[i]
        low = 0
        for bottom, top, begins, ends in placed:
            if begins < end and start < ends:
                if bottom - low >= size:
                    break
                low = max(low, top)
        sunk[i] = low
        insort(placed, (low, low + size, start, end))
    return sunk
