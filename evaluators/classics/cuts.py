"""Cuts of weighted graphs given as square arrays: connected parts, least cuts, cuts between two nodes."""

from __future__ import annotations

import time
from math import inf
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


def least_cut(weights: Any, enough: float = -inf, deadline: float = inf) -> tuple[float, Any]:
    """Weight and one side (mask) of a least cut (Stoer and Wagner 1997, doi:10.1145/263867.263872).

    Args:
        weights: symmetric array, ≥ 0, diagonal 0, at least two nodes.
        enough: the first cut below this weight will do.
        deadline: on the monotonic clock, seconds; then the least cut so far.
    """
    weights = weights.copy()
    groups = np.eye(len(weights), dtype=bool)
    alive = list(range(len(weights)))
    best = np.inf
    side = groups[0]
    while len(alive) > 1:
        reach = np.full(len(weights), -np.inf)
        reach[alive] = weights[alive[0], alive]
        reach[alive[0]] = -np.inf
        order = [alive[0]]
        while len(order) < len(alive):
            node = int(reach.argmax())
            order.append(node)
            value = reach[node]
            reach += weights[node]
            reach[node] = -np.inf
        last = order[-1]
        other = order[-2]
        if value < best:
            best = value
            side = groups[last].copy()
        if best < enough or time.monotonic() > deadline:
            break
        groups[other] |= groups[last]
        weights[other] += weights[last]
        weights[:, other] = weights[other]
        weights[other, other] = 0.0
        alive.remove(last)
    return float(best), side


def cut_below(weights: Any, source: int, target: int, most: float) -> Any:
    """Target's side (mask) of a least cut between two nodes if the cut weighs less than `most`, else None.

    Augments along shortest paths (Edmonds and Karp 1972, doi:10.1145/321694.321699).

    Args:
        weights: symmetric array, ≥ 0.
        source, target: two nodes.
        most: the search ends as soon as the flow attains it.
    """
    room = weights.copy()
    flow = 0.0
    while flow < most:
        before = np.full(len(room), -1)
        before[source] = source
        queue = [source]
        for node in queue:
            new = np.flatnonzero((room[node] > 1e-9) & (before < 0))
            before[new] = node
            queue += new.tolist()
            if before[target] >= 0:
                break
        else:
            return before < 0
        path = [target]
        while path[-1] != source:
            path.append(int(before[path[-1]]))
        arcs = path[1:], path[:-1]
        step = min(room[arcs].min(), most - flow)
        room[arcs] -= step
        room[arcs[::-1]] += step
        flow += step
    return None
