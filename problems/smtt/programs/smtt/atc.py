"""Apparent tardiness cost (Vepsalainen and Morton 1987, doi:10.1287/mnsc.33.8.1035), look-ahead K = 2."""

import numpy as np

LOOK_AHEAD = 2.0


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Repeatedly takes the job with the largest exp(-slack / (K mean p)) / p, by logarithms."""
    jobs = np.array(sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j])))
    p = np.array(processing_times, dtype=float)[jobs]
    d = np.array(due_dates, dtype=float)[jobs]
    order = []
    time = 0.0
    while len(jobs):
        slack = np.maximum(d - p - time, 0.0)
        k = int((slack / (LOOK_AHEAD * p.mean()) + np.log(p)).argmin())
        order.append(int(jobs[k]))
        time += p[k]
        keep = np.arange(len(jobs)) != k
        jobs, p, d = jobs[keep], p[keep], d[keep]
    return order
