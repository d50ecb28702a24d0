# mypy: disable-error-code="no-any-return"
"""Weighted shortest processing time first (Smith 1956)."""

import numpy as np


def priority(
    time: float, processing_times: np.ndarray, due_dates: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The smallest ratio of length to weight goes next."""
    return processing_times / weights
