# mypy: disable-error-code="no-any-return"
"""Modified due date (Baker and Bertrand 1982)."""

import numpy as np


def priority(time: float, processing_times: np.ndarray, due_dates: np.ndarray) -> np.ndarray:
    """The smallest modified due date goes next."""
    return np.maximum(due_dates, time + processing_times)
