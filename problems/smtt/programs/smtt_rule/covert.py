# mypy: disable-error-code="no-any-return"
"""Cost over time (Carroll 1965), look-ahead K = 2."""

import numpy as np


def priority(time: float, processing_times: np.ndarray, due_dates: np.ndarray) -> np.ndarray:
    """Minus max(0, 1 - slack / (K p)) / p."""
    slack = np.maximum(due_dates - processing_times - time, 0.0)
    return -np.maximum(0.0, 1.0 - slack / (2.0 * processing_times)) / processing_times
