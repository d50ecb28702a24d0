"""Exchanges that repair a sequence."""

import numpy as np


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
