# mypy: disable-error-code="no-any-return"
"""Augmented modified due date.

Bean and Hall 1985: after each job, every earlier one may move behind it; the best such move is kept.
"""

import numpy as np


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
    """Modified due date: the smallest goes next."""
    return np.maximum(d, time + p)


def repair(order: list[int], p: np.ndarray, d: np.ndarray) -> None:
    """Moves one job to the end of the partial sequence if that lowers its total tardiness; the best one."""
    lengths, dates = p[order], d[order]
    end = lengths.cumsum()
    late = np.maximum(end - dates, 0.0)
    saved = np.triu(np.minimum(late[None, :], lengths[:, None]), 1).sum(axis=1)
    gain = saved - (np.maximum(end[-1] - dates, 0.0) - late)
    best = int(gain.argmax())
    if gain[best] > 0:
        order.append(order.pop(best))
