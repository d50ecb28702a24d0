"""Precedences between jobs that hold in some optimal sequence: the rules of Emmons, with weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Precedence:
    """Precedences that all hold together in some optimal sequence.

    Attributes:
        before: (n, n) booleans; `before[i, j]`: job i comes before job j. Transitive.
        earliest: (n,) least completion of each job given the jobs before it, time units.
        latest: (n,) largest completion of each job given the jobs after it, time units.
    """

    before: np.ndarray
    earliest: np.ndarray
    latest: np.ndarray


def precedence(public: Mapping[str, Any]) -> Precedence:
    """Applies the rules, one pair at a time, until none gives a new pair.

    With E(j) the earliest and L(i) the latest completion known so far, i comes before j if
    (a) p(i) ≤ p(j), w(i) ≥ w(j) and d(i) ≤ max(d(j), E(j)), or
    (b) w(i) ≥ w(j), d(i) ≤ d(j) and d(j) ≥ L(i) − p(j), or
    (c) d(j) ≥ L(i). Jobs alike in what a rule compares are ordered by a fixed ranking.

    Emmons 1969 (doi:10.1287/opre.17.4.701); weights: Rinnooy Kan, Lageweg and Lenstra 1975
    (doi:10.1287/opre.23.5.908).
    """
    times = public["processing_times"]
    weights = public.get("weights") or [1] * len(times)
    n = len(times)
    # Ranks break the ties in every rule.
    rank = sorted(range(n), key=lambda j: (times[j], -weights[j], public["due_dates"][j], j))
    p = np.array(times, dtype=np.int64)[rank]
    w = np.array(weights, dtype=np.int64)[rank]
    d = np.array(public["due_dates"], dtype=np.int64)[rank]
    state = Precedence(np.zeros((n, n), dtype=bool), p.copy(), np.full(n, p.sum()))
    grows = True
    while grows:
        grows = False
        for j in range(n):
            while (i := _next(state, p, d, w, j)) is not None:
                _add(state, p, i, j)
                grows = True
    back = np.argsort(rank)
    return Precedence(state.before[back][:, back], state.earliest[back], state.latest[back])


def _next(state: Precedence, p: np.ndarray, d: np.ndarray, w: np.ndarray, j: int) -> int | None:
    """A job that a rule puts before j and that is not yet among the known precedences; None without one."""
    index = np.arange(len(p))
    alike = (p == p[j]) & (w == w[j])
    short = (p <= p[j]) & (w >= w[j]) & (d <= max(d[j], state.earliest[j]))
    short &= ~alike | (index < j)
    twin = alike & (d == d[j]) & (index > j)
    long = (w >= w[j]) & (d <= d[j]) & (d[j] >= state.latest - p[j]) & ~twin
    later = (short | long | (d[j] >= state.latest)) & ~state.before[:, j] & ~state.before[j]
    later[j] = False
    k = int(later.argmax())
    return k if later[k] else None


def _add(state: Precedence, p: np.ndarray, i: int, j: int) -> None:
    """Adds the pair i, j and all pairs that follow by transitivity."""
    ahead = state.before[:, i].copy()
    ahead[i] = True
    behind = state.before[j].copy()
    behind[j] = True
    state.before[np.ix_(ahead, behind)] = True
    state.earliest[behind] = p[behind] + p @ state.before[:, behind]
    state.latest[ahead] = p.sum() - state.before[ahead] @ p
