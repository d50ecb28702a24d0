"""Profit for the weights at prices of 200 steps of a subgradient."""

import numpy as np

from ..multi_knapsack.subgradient_prices import subgradient_prices


def priority(profits: np.ndarray, weights: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    """Profit for the price of the shares."""
    shares = weights / np.maximum(1, capacities)[:, None]
    rating: np.ndarray = profits / (1e-9 + subgradient_prices(profits, shares) @ shares)
    return rating
