# mypy: disable-error-code="no-any-return"
"""Augmented MDDC (arXiv 2510.24013).

Bean and Hall 1985: after each job, every earlier one may move behind it; the best such move is kept.
"""

import numpy as np

from .repair import repair


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Builds the rule's sequence job by job and repairs it after each."""
    jobs = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    p = np.array(processing_times, dtype=float)
    d = np.array(due_dates, dtype=float)
    order: list[int] = []
    time = 0.0
    while jobs:
        chosen = jobs.pop(int(index(p[jobs], d[jobs], time).argmin()))
        time += p[chosen]
        order.append(chosen)
        repair(order, p, d)
    return order


def index(p: np.ndarray, d: np.ndarray, time: float) -> np.ndarray:
    """Corrected modified due date: the smallest goes next."""
    share = np.minimum(p / (time + p.max()), 1.0) ** 2
    return np.maximum(1.1 * p + time, d) * (1 + share / (1 + share)) + p / (time + p.mean())
