"""Apparent tardiness cost with the best of five look-aheads, then descent by best insertion."""

import numpy as np

LOOK_AHEADS = (0.5, 1.0, 2.0, 3.0, 4.0)


def schedule(processing_times: list[int], due_dates: list[int], weights: list[int]) -> list[int]:
    """The best rule sequence, improved by the best move of one job to another place, again and again."""
    p = np.array(processing_times, dtype=np.int64)
    d = np.array(due_dates, dtype=np.int64)
    w = np.array(weights, dtype=np.int64)
    orders = [apparent_tardiness_cost(p, d, w, look_ahead) for look_ahead in LOOK_AHEADS]
    if 4 * (sum(processing_times) + max(map(abs, due_dates))) * sum(weights) >= 2**62:
        w = w.astype(object)  # Python's integers: wrapped costs would look like gains for ever
    order = min(orders, key=lambda o: (w[o] * np.maximum(p[o].cumsum() - d[o], 0)).sum())
    while True:
        change, source, target = best_move(p[order], d[order], w[order])
        if change >= 0:
            return order
        order.insert(target, order.pop(source))


def apparent_tardiness_cost(p: np.ndarray, d: np.ndarray, w: np.ndarray, look_ahead: float) -> list[int]:
    """Repeatedly takes the job with the largest w exp(-slack / (K mean p)) / p."""
    jobs = np.lexsort((p, d))
    order = []
    time = 0
    while len(jobs):
        slack = np.maximum(d[jobs] - p[jobs] - time, 0.0)
        k = int((slack / (look_ahead * p[jobs].mean()) + np.log(p[jobs] / w[jobs])).argmin())
        order.append(int(jobs[k]))
        time += p[jobs[k]]
        jobs = np.delete(jobs, k)
    return order


def best_move(p: np.ndarray, d: np.ndarray, w: np.ndarray) -> tuple[int, int, int]:
    """Change of weighted tardiness, source and target place of the best insertion (0 if there is none)."""
    n = len(p)
    end = p.cumsum()
    late = np.maximum(end - d, 0) * w
    # Row i is the job that moves, column k the place it moves to. Jobs that it passes shift by its length.
    earlier = np.maximum((end - d)[None, :] - p[:, None], 0) * w - late
    later = np.maximum((end - d)[None, :] + p[:, None], 0) * w - late
    below = np.tri(n, n, -1, dtype=bool)
    passed = np.where(below, later, np.where(below.T, earlier, 0))
    forward = passed.cumsum(axis=1)
    diagonal = forward[np.arange(n), np.arange(n)]
    # Moved forward to k > i it passes i+1..k; moved back to k < i it passes k..i-1.
    shift = np.where(below, diagonal[:, None] - forward + passed, forward - diagonal[:, None])
    own = np.where(below, (end - p)[None, :] + p[:, None], end[None, :])
    change = shift + np.maximum(own - d[:, None], 0) * w[:, None] - late[:, None]
    change[np.arange(n), np.arange(n)] = 0
    best = int(change.argmin())
    return int(change.flat[best]), best // n, best % n
