"""Profit for the weights at the dual prices of the linear relaxation."""

import numpy as np

from ..multi_knapsack.dual_prices import dual_prices


def priority(profits: np.ndarray, weights: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    """Profit for the price of the shares."""
    shares = weights / np.maximum(1, capacities)[:, None]
    rating: np.ndarray = profits / (1e-9 + dual_prices(profits, shares) @ shares)
    return rating
