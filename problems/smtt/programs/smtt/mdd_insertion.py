"""Modified due date, then descent by best insertion until no move of one job helps."""

import numpy as np

from .modified_due_date import modified_due_date
from .move_of_a_job import best_move


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Modified due date sequence, improved by the best move of one job to another place, again and again."""
    p = np.array(processing_times, dtype=np.int64)
    d = np.array(due_dates, dtype=np.int64)
    order = modified_due_date(processing_times, due_dates)
    while True:
        gain, source, target = best_move(p[order], d[order])
        if gain >= 0:
            return order
        order.insert(target, order.pop(source))
