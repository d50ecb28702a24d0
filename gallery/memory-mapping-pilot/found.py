"""Pilot method: complete with several rules 'floor minus weight(life, size, load)' and follow the best one."""

import numpy as np

ROLL_MAX = 130  # with more unplaced buffers the first rule decides alone
TIE = 1e-5  # weight of a mere tie break, in peaks
WEAK = 0.03
MEDIUM = 0.08
STRONG = 0.2
# (weight, exponent of life, exponent of size, factor of load)
RULES = (
    (TIE, 1.0, 0.0, 0.0),
    (TIE, 0.0, 1.0, 0.0),
    (TIE, 1.0, 1.0, 0.0),
    (WEAK, 1.0, 0.0, 0.0),
    (WEAK, 0.0, 1.0, 0.0),
    (WEAK, 1.0, 1.0, 0.0),
    (MEDIUM, 1.0, 0.0, 0.0),
    (MEDIUM, 0.0, 1.0, 0.0),
    (MEDIUM, 1.0, 0.5, 0.0),
    (MEDIUM, 0.5, 0.5, 3.0),
    (STRONG, 1.0, 0.0, 1.0),
    (STRONG, 1.0, 1.0, 0.0),
    (STRONG, 0.0, 0.5, 3.0),
)


def priority(
    start: np.ndarray,
    end: np.ndarray,
    size: np.ndarray,
    floor: np.ndarray,
    load: np.ndarray,
    unplaced_load: np.ndarray,
    stack: np.ndarray,
    hole: np.ndarray,
    others: np.ndarray,
    peak: float,
    top: float,
    progress: float,
) -> np.ndarray:
    """The smallest number goes first."""
    n = start.size
    rules = np.array(RULES)
    scale = max(float(peak), 1.0)
    loglife = np.log(np.maximum(end - start, 1.0))
    logsize = np.log(np.maximum(size, 1.0))
    weight = (rules[:, :1] * scale) * (
        rules[:, 1:2] * loglife + rules[:, 2:3] * logsize + rules[:, 3:4] * (load / scale)
    )
    if n > ROLL_MAX or n < 3:
        return floor - weight[0]
    overlap = ((start[:, None] < end[None, :]) & (end[:, None] > start[None, :])).astype(float)
    count = len(RULES)
    rows = np.arange(count)
    floors = np.tile(floor, (count, 1))
    left = weight.copy()
    tops = np.full(count, float(top))
    for _ in range(n):
        pick = np.argmin(floors - left, axis=1)
        new = floors[rows, pick] + size[pick]
        left[rows, pick] = -np.inf
        np.maximum(tops, new, out=tops)
        np.maximum(floors, overlap[pick] * new[:, None], out=floors)
    best = int(np.argmin(tops))
    return floor - weight[best]
