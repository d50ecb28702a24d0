"""Largest profit for the shares of the capacities first."""

import numpy as np


def priority(profits: np.ndarray, weights: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    """Profit for shares."""
    rating: np.ndarray = profits / (1e-9 + (weights / np.maximum(1, capacities)[:, None]).sum(axis=0))
    return rating
