"""Iterated best insertion from the modified due date sequence, limited by a number of moves."""

import random

import numpy as np

MOVES = 200
CELLS = 20_000_000
SHAKES = 3


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Descends, shakes the best sequence by a few short random moves, descends again, until moves run out."""
    n = len(due_dates)
    p = np.array(processing_times, dtype=np.int64)
    d = np.array(due_dates, dtype=np.int64)
    moves = max(1, min(MOVES, CELLS // (n * n)))
    shaker = random.Random(0)
    best = modified_due_date(processing_times, due_dates)
    value = total_tardiness(p[best], d[best])
    order = list(best)
    while moves > 0 and value > 0:
        change, source, target = best_move(p[order], d[order])
        moves -= 1
        if change < 0:
            order.insert(target, order.pop(source))
            continue
        found = total_tardiness(p[order], d[order])
        if found <= value:
            best, value = list(order), found
        order = list(best)
        for _ in range(SHAKES):
            source = shaker.randrange(n)
            target = min(n - 1, max(0, source + shaker.randint(-8, 8)))
            order.insert(target, order.pop(source))
    found = total_tardiness(p[order], d[order])
    return order if found < value else best


def total_tardiness(p: np.ndarray, d: np.ndarray) -> int:
    """Of jobs in their order."""
    return int(np.maximum(p.cumsum() - d, 0).sum())


def modified_due_date(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Repeatedly takes the job with the smallest max(d, t + p)."""
    remaining = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    order = []
    time = 0
    while remaining:
        chosen = min(remaining, key=lambda j: max(due_dates[j], time + processing_times[j]))
        remaining.remove(chosen)
        order.append(chosen)
        time += processing_times[chosen]
    return order


def best_move(p: np.ndarray, d: np.ndarray) -> tuple[int, int, int]:
    """Change of total tardiness, source and target place of the best insertion (0 if there is none)."""
    n = len(p)
    end = p.cumsum()
    late = np.maximum(end - d, 0)
    # Row i is the job that moves, column k the place it moves to. Jobs that it passes shift by its length.
    earlier = np.maximum((end - d)[None, :] - p[:, None], 0) - late
    later = np.maximum((end - d)[None, :] + p[:, None], 0) - late
    below = np.tri(n, n, -1, dtype=bool)
    passed = np.where(below, later, np.where(below.T, earlier, 0))
    forward = passed.cumsum(axis=1)
    diagonal = forward[np.arange(n), np.arange(n)]
    # Moved forward to k > i it passes i+1..k; moved back to k < i it passes k..i-1.
    shift = np.where(below, diagonal[:, None] - forward + passed, forward - diagonal[:, None])
    own = np.where(below, (end - p)[None, :] + p[:, None], end[None, :])
    change = shift + np.maximum(own - d[:, None], 0) - late[:, None]
    change[np.arange(n), np.arange(n)] = 0
    best = int(change.argmin())
    return int(change.flat[best]), best // n, best % n
