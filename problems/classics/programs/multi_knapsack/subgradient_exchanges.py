"""Profit for the weights at prices of a subgradient, then exchanges of one item for another."""

import numpy as np

from .exchanges import exchanged
from .subgradient_prices import subgradient_prices


def choose(profits: list[int], weights: list[list[int]], capacities: list[int]) -> list[int]:
    """Items by falling rating, each one that still fits, and then exchanges."""
    values = np.array(profits, dtype=float)
    shares = np.array(weights, dtype=float) / np.maximum(1.0, capacities)[:, None]
    ratings = values / (1e-9 + subgradient_prices(values, shares) @ shares)
    rows, room, chosen = range(len(capacities)), list(capacities), list[int]()
    for j in np.argsort(-ratings, kind="stable").tolist():
        if all(weights[i][j] <= room[i] for i in rows):
            room = [room[i] - weights[i][j] for i in rows]
            chosen.append(j)
    return exchanged(chosen, profits, weights, capacities)
