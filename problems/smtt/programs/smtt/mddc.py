"""MDDC: modified due date with two corrections, found by program search (arXiv 2510.24013, section 5)."""

import numpy as np


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Repeatedly takes the job with the smallest corrected modified due date."""
    jobs = np.array(
        sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j])), dtype=int
    )
    p = np.array(processing_times, dtype=float)[jobs]
    d = np.array(due_dates, dtype=float)[jobs]
    order = []
    time = 0.0
    while len(jobs):
        ratio = np.minimum(p / (time + p.max()), 1.0) ** 2
        index = np.maximum(1.1 * p + time, d) * (1 + ratio / (1 + ratio)) + p / (time + p.mean())
        k = int(index.argmin())
        order.append(int(jobs[k]))
        time += p[k]
        keep = np.arange(len(jobs)) != k
        jobs, p, d = jobs[keep], p[keep], d[keep]
    return order
