"""Beam search over item decisions, judged by the Lagrangian bound on the final profit."""

import numpy as np

WORK = 3.0e6
MAX_WIDTH = 6000
MIN_WIDTH = 60
RENEWALS = 25
COMPLETIONS = 150
PIVOT_FACTOR = 4
SMALL = 1e-9


def priority(profits: np.ndarray, weights: np.ndarray, capacities: np.ndarray) -> np.ndarray:
    profits = np.asarray(profits, dtype=float)
    weights = np.asarray(weights, dtype=float)
    capacities = np.asarray(capacities, dtype=float)
    n = len(profits)
    if n == 0:
        return np.zeros(0)
    if len(capacities) == 0:
        return profits
    fits = (weights <= capacities[:, None]).all(axis=0)
    ids = np.flatnonzero(fits & (profits > 0))
    rating = np.zeros(n)
    if len(ids) == 0:
        return rating
    chosen = search(profits[ids], weights[:, ids], capacities)
    shares = weights / np.maximum(1.0, capacities)[:, None]
    ratio = profits / (SMALL + shares.sum(axis=0))
    rating = ratio / (1.0 + ratio.max())
    rating[ids[chosen]] += 2.0
    return rating


def search(profits, weights, capacities):
    """Boolean vector of the best set that was met."""
    n, m = len(profits), len(capacities)
    scale = np.maximum(1.0, capacities)
    root = dual_prices(profits, weights / scale[:, None], capacities / scale) / scale
    reduced = profits - root @ weights
    order = np.argsort(-np.abs(reduced), kind="stable")
    profit, load = profits[order], np.ascontiguousarray(weights[:, order].T)
    width = int(min(MAX_WIDTH, max(MIN_WIDTH, WORK / (n * (m + 5)))))
    every = max(1, n // RENEWALS)

    used_bits = np.zeros((1, n), dtype=bool)
    room = capacities[None, :].copy()
    value = np.zeros(1)
    best_value, best = -1.0, np.zeros(n, dtype=bool)
    local = [root]
    for i in range(n):
        if i % every == 0:
            local = [root]
            for target in (room.mean(axis=0), room[0]):
                local.append(
                    dual_prices(profit[i:], load[i:].T / scale[:, None], target / scale) / scale)
            for prices in local[:2]:
                got, bits = complete(profit, load, prices, i, used_bits[:COMPLETIONS],
                                     room[:COMPLETIONS], value[:COMPLETIONS])
                if got > best_value:
                    best_value, best = got, bits
        can = np.flatnonzero((room >= load[i]).all(axis=1))
        parents = np.concatenate([np.arange(len(value)), can])
        child_room = np.concatenate([room, room[can] - load[i]])
        child_value = np.concatenate([value, value[can] + profit[i]])
        bound = np.full(len(parents), np.inf)
        for prices in local:
            rest = np.maximum(0.0, profit[i + 1:] - load[i + 1:] @ prices).sum()
            np.minimum(bound, child_value + (child_room * prices).sum(axis=1) + rest, out=bound)
        bound = np.minimum(bound, child_value + profit[i + 1:].sum())
        keep = np.flatnonzero(bound > best_value + 1.0 - 1e-6)
        if len(keep) == 0:
            break
        rank = np.argsort(-bound[keep], kind="stable")[:width]
        keep = keep[rank]
        taken = keep >= len(value)
        used_bits = used_bits[parents[keep]]
        used_bits[:, i] = taken
        room, value = child_room[keep], child_value[keep]
        if i == n - 1:
            top = int(value.argmax())
            if value[top] > best_value:
                best_value, best = value[top], used_bits[top].copy()
    chosen = np.zeros(n, dtype=bool)
    chosen[order] = best
    return chosen


def complete(profit, load, prices, start, bits, room, value):
    """The best of the states after all have been filled up greedily at the prices."""
    bits, room, value = bits.copy(), room.copy(), value.copy()
    ratio = profit[start:] / (SMALL + load[start:] @ prices)
    for j in start + np.argsort(-ratio, kind="stable"):
        ok = (room >= load[j]).all(axis=1)
        room -= ok[:, None] * load[j]
        value += ok * profit[j]
        bits[:, j] = ok
    top = int(value.argmax())
    return float(value[top]), bits[top].copy()


def dual_prices(profits, shares, limits):
    """Dual values of the linear relaxation (primal simplex with bounds 0 and 1)."""
    m, n = shares.shape
    columns = np.hstack([shares, np.eye(m)])
    gains = np.append(profits, np.zeros(m))
    upper = np.append(np.ones(n), np.full(m, np.inf))
    basis, full = np.arange(n, n + m), np.zeros(n + m, dtype=bool)
    prices = np.zeros(m)
    limits = np.maximum(limits, 1e-7)
    tolerance = 1e-9 * (1 + profits.max())
    for _ in range(PIVOT_FACTOR * (n + m)):
        square = columns[:, basis]
        try:
            inverse = np.linalg.inv(square)
        except np.linalg.LinAlgError:
            break
        prices = gains[basis] @ inverse
        gain = np.where(full, -1.0, 1.0) * (gains - prices @ columns)
        gain[basis] = 0.0
        enter = int(gain.argmax())
        if gain[enter] <= tolerance:
            break
        values = inverse @ (limits - columns[:, full].sum(axis=1))
        steps = (inverse @ columns[:, enter]) * (-1.0 if full[enter] else 1.0)
        steps[np.abs(steps) < 1e-12] = 0.0
        ends = np.where(steps > 0, values, values - upper[basis])
        room = np.full(m, np.inf)
        np.divide(ends, steps, out=room, where=steps != 0)
        row = int(room.argmin())
        if room[row] < upper[enter]:
            full[basis[row]] = steps[row] < 0
            full[enter] = False
            basis[row] = enter
        else:
            full[enter] = not full[enter]
    prices = np.where(np.isfinite(prices), prices, 0.0)
    return np.maximum(prices, 0.0)
