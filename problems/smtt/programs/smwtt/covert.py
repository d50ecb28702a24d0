"""Cost over time (Carroll 1965), look-ahead K = 2."""

import numpy as np

LOOK_AHEAD = 2.0


def schedule(processing_times: list[int], due_dates: list[int], weights: list[int]) -> list[int]:
    """Repeatedly takes the job with the largest w max(0, 1 - slack / (K p)) / p, ties by due date."""
    jobs = np.array(sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j])))
    p = np.array(processing_times, dtype=float)[jobs]
    d = np.array(due_dates, dtype=float)[jobs]
    w = np.array(weights, dtype=float)[jobs]
    order = []
    time = 0.0
    while len(jobs):
        slack = np.maximum(d - p - time, 0.0)
        k = int((w * np.maximum(0.0, 1.0 - slack / (LOOK_AHEAD * p)) / p).argmax())
        order.append(int(jobs[k]))
        time += p[k]
        keep = np.arange(len(jobs)) != k
        jobs, p, d, w = jobs[keep], p[keep], d[keep], w[keep]
    return order
