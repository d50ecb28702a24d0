"""Largest profit for the largest share of a capacity first."""

import numpy as np


def priority(profits: np.ndarray, weights: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    """Profit for the largest share."""
    rating: np.ndarray = profits / (1e-9 + (weights / np.maximum(1, capacities)[:, None]).max(axis=0))
    return rating
