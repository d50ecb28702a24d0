"""Cuts of weighted graphs given as square arrays: connected parts, and a least cut."""

from __future__ import annotations

from typing import Any

import numpy as np


def components(links: Any) -> list[Any]:
    """Masks of the connected parts of a graph (symmetric array of truth values)."""
    left = np.ones(len(links), dtype=bool)
    parts = []
    while left.any():
        part = np.zeros(len(links), dtype=bool)
        part[left.argmax()] = True
        while (grown := part | links[part].any(axis=0)).sum() > part.sum():
            part = grown
        parts.append(part)
        left &= ~part
    return parts


def least_cut(weights: Any) -> tuple[float, Any]:
    """Weight and one side (mask) of a least cut (Stoer and Wagner 1997, doi:10.1145/263867.263872).

    Args:
        weights: symmetric array, ≥ 0, diagonal 0, at least two nodes.
    """
    weights = weights.copy()
    groups = np.eye(len(weights), dtype=bool)
    alive = list(range(len(weights)))
    best, side = np.inf, groups[0]
    while len(alive) > 1:
        reach = weights[alive[0]].copy()
        left = alive[1:]
        order = [alive[0]]
        while left:
            node = max(left, key=reach.__getitem__)
            left.remove(node)
            order.append(node)
            value = reach[node]
            reach += weights[node]
        last, other = order[-1], order[-2]
        if value < best:
            best, side = value, groups[last].copy()
        groups[other] |= groups[last]
        weights[other] += weights[last]
        weights[:, other] = weights[other]
        weights[other, other] = 0.0
        alive.remove(last)
    return float(best), side
