# mypy: disable-error-code="no-any-return"
"""Apparent tardiness cost (Vepsalainen and Morton 1987, doi:10.1287/mnsc.33.8.1035), look-ahead K = 2."""

import numpy as np


def priority(
    time: float, processing_times: np.ndarray, due_dates: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Minus the logarithm of w exp(-slack / (K mean p)) / p."""
    slack = np.maximum(due_dates - processing_times - time, 0.0)
    return slack / (2.0 * processing_times.mean()) + np.log(processing_times / weights)
