"""Routes of many customers, two near routes at a time, the best so far when the time is over.

A descent over all routes at once takes minutes of a thousand customers; apart from the set partitioning,
which starts from such routes.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...problems.classics.cvrp import length
from ...problems.classics.programs.cvrp.descent import improved
from .tour_search import shortened

_NEAR = 5
"""Near customers of each customer whose routes are looked at beside its own."""
_MOST = 150
"""Customers of two routes up to which the descent over all their places is quick."""

Routes = list[list[int]]


def descended_routes(routes: Sequence[Sequence[int]], public: Mapping[str, Any], deadline: float) -> Routes:
    """Routes that no change of two near ones shortens, as far as the time goes.

    Args:
        routes: valid ones.
        public: the instance.
        deadline: on the monotonic clock, seconds.
    """
    matrix = np.array(public["distances"], dtype=np.int64)
    held = {number: list(route) for number, route in enumerate(routes)}
    for number, route in held.items():
        held[number] = shortened(route, matrix, deadline)
    near = np.argsort(matrix, axis=1, kind="stable")[:, : _NEAR + 1].tolist()
    home = {customer: number for number, route in held.items() for customer in route}
    waiting = deque(held)
    queued = set(held)
    while waiting and time.monotonic() < deadline:
        number = waiting.popleft()
        queued.discard(number)
        for other in sorted({home[c] for a in held[number] for c in near[a] if c} - {number}):
            if time.monotonic() > deadline:
                break
            two = [held[number], held[other]]
            if not all(two) or sum(map(len, two)) > _MOST:
                continue
            before = length(public["distances"], two)
            made = improved(
                [list(route) for route in two], public["distances"], public["demands"], public["capacity"]
            )
            if length(public["distances"], made) >= before:
                continue
            held[number], held[other] = [*made, [], []][:2]
            home |= {customer: k for k in (number, other) for customer in held[k]}
            fresh = [k for k in (number, other) if k not in queued]
            waiting.extend(fresh)
            queued.update(fresh)
    return [route for route in held.values() if route]
