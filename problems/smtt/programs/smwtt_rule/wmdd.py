# mypy: disable-error-code="no-any-return"
"""Weighted modified due date (Kanet and Li 2004)."""

import numpy as np


def priority(
    time: float, processing_times: np.ndarray, due_dates: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The smallest max(p, d - t) / w goes next."""
    return np.maximum(processing_times, due_dates - time) / weights
