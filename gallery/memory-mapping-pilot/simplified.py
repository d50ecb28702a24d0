"""Finish the stack by each of three rules, and take the next step of the one that ends lowest."""

import numpy as np


def priority(
    start: np.ndarray, end: np.ndarray, size: np.ndarray, floor: np.ndarray, load: np.ndarray,
    unplaced_load: np.ndarray, stack: np.ndarray, hole: np.ndarray, others: np.ndarray,
    peak: float, top: float, progress: float,
) -> np.ndarray:
    """The lowest floor; between nearly equal floors the longest, the largest, or the largest area."""
    life, width = np.log(end - start), np.log(size)
    ties = 1e-5 * peak * np.array([life, width, life + width])
    overlap = (start[:, None] < end) & (end[:, None] > start)
    floors, left, tops = np.tile(floor, (3, 1)), ties.copy(), np.full(3, float(top))
    rules = np.arange(3)
    for _ in range(start.size):
        pick = np.argmin(floors - left, axis=1)
        ends = floors[rules, pick] + size[pick]
        left[rules, pick] = -np.inf
        tops = np.maximum(tops, ends)
        floors = np.maximum(floors, overlap[pick] * ends[:, None])
    return floor - ties[np.argmin(tops)]
