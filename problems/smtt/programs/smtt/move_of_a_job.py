"""The best move of one job."""

import numpy as np


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
