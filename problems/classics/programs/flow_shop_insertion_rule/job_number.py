"""The jobs in the order of their numbers, which says nothing of their times."""

import numpy as np


def priority(times: np.ndarray) -> np.ndarray:
    """Lower numbers first."""
    return -np.arange(len(times), dtype=float)
