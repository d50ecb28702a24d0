"""Upper bounds for the exact methods: iterated best insertion on a sequence, with weights."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .bounds import integers

NAME = "iterated insertion"
_SHAKES = 3
_REACH = 8


def cost_of(public: Mapping[str, Any], order: Sequence[int]) -> int:
    """Total (weighted) tardiness of a sequence (cost units, exact)."""
    clock = cost = 0
    weights = public.get("weights")
    for job in order:
        clock += public["processing_times"][job]
        late = max(0, clock - public["due_dates"][job])
        cost += late * (weights[job] if weights else 1)
    return cost


def search(public: Mapping[str, Any], moves: int, deadline: float) -> tuple[int, list[int]]:
    """Best cost and sequence after at most `moves` insertion moves, or when `time.monotonic()` > `deadline`.

    Descends to a sequence that no single insertion improves, perturbs the best sequence by a few short random
    insertions, and descends again; the random stream is fixed.
    """
    p = np.array(public["processing_times"], dtype=np.int64)
    d = np.array(public["due_dates"], dtype=np.int64)
    w: np.ndarray = np.array(public.get("weights") or [1] * len(p), dtype=integers(public))
    shaker = random.Random(0)
    best = _dispatch(p, d, w)
    least = cost_of(public, best)
    order = list(best)
    for done in range(moves):
        # Always makes the first move, the most useful one: a dispatched sequence has poor prices.
        if least == 0 or (done and time.monotonic() > deadline):
            break
        change, source, target = _best_move(p[order], d[order], w[order])
        if change < 0:
            order.insert(target, order.pop(source))
            continue
        cost = cost_of(public, order)
        if cost <= least:
            best = list(order)
            least = cost
        order = list(best)
        for _ in range(_SHAKES):
            source = shaker.randrange(len(order))
            target = source + shaker.randint(-_REACH, _REACH)
            order.insert(min(len(order) - 1, max(0, target)), order.pop(source))
    cost = cost_of(public, order)
    return (cost, order) if cost < least else (least, best)


def _dispatch(p: np.ndarray, d: np.ndarray, w: np.ndarray) -> list[int]:
    """Weighted modified due date (Kanet and Li 2004, doi:10.1023/B:JOSH.0000031423.39762.d3)."""
    left = np.lexsort((p, d))
    order: list[int] = []
    clock = 0
    while len(left):
        k = int((np.maximum(p[left], d[left] - clock) / w[left]).argmin())
        order.append(int(left[k]))
        clock += int(p[left[k]])
        left = np.delete(left, k)
    return order


def _best_move(p: np.ndarray, d: np.ndarray, w: np.ndarray) -> tuple[int, int, int]:
    """Change of cost, source and target place of the best insertion; the change is 0 if none improves."""
    n = len(p)
    end = p.cumsum()
    over = end - d
    late = np.maximum(over, 0) * w
    below = np.tri(n, n, -1, dtype=bool)
    # Row i: job i moves; jobs behind it (right of the diagonal) shift to earlier times, others to later.
    shifted = np.where(below, over + p[:, None], over - p[:, None])
    passed = np.maximum(shifted, 0) * w - late
    np.fill_diagonal(passed, 0)
    forward = passed.cumsum(axis=1)
    own_place = forward.diagonal()[:, None]
    change = np.where(below, own_place - forward + passed, forward - own_place)
    ends = np.where(below, (end - p) + p[:, None], end)
    change += np.maximum(ends - d[:, None], 0) * w[:, None] - late[:, None]
    np.fill_diagonal(change, 0)
    k = int(change.argmin())
    return int(change.flat[k]), k // n, k % n
