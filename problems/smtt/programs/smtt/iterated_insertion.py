"""Iterated best insertion from the modified due date sequence, limited by a number of moves."""

import random

import numpy as np

from .modified_due_date import modified_due_date
from .move_of_a_job import best_move

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
