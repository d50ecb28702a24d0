"""Prices of the rows; stands at the end of every program that uses them."""

import numpy as np


def dual_prices(profits: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Dual values of the linear relaxation whose capacities are 1: a simplex with bounds 0 and 1."""
    m, n = shares.shape
    columns = np.hstack([shares, np.eye(m)])
    gains = np.append(profits, np.zeros(m))
    upper = np.append(np.ones(n), np.full(m, np.inf))
    basis, full = np.arange(n, n + m), np.zeros(n + m, dtype=bool)
    prices = np.zeros(m)
    for _ in range(20 * (n + m)):
        square = columns[:, basis]
        prices = np.linalg.solve(square.T, gains[basis])
        gain = np.where(full, -1.0, 1.0) * (gains - prices @ columns)
        gain[basis] = 0.0
        enter = int(gain.argmax())
        if gain[enter] <= 1e-9 * (1 + profits.max()):
            break
        values = np.linalg.solve(square, 1.0 - columns[:, full].sum(axis=1))
        steps = np.linalg.solve(square, columns[:, enter]) * (-1.0 if full[enter] else 1.0)
        ends = np.where(steps > 0, values, values - upper[basis])
        steps[abs(steps) < 1e-12] = 0.0
        room = np.full(m, np.inf)
        np.divide(ends, steps, out=room, where=steps != 0)
        row = int(room.argmin())
        if room[row] < upper[enter]:
            full[basis[row]] = steps[row] < 0
            full[enter] = False
            basis[row] = enter
        else:
            full[enter] = not full[enter]
    return np.maximum(prices, 0.0)
