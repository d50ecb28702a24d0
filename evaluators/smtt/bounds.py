"""Lower bounds on total (weighted) tardiness without a solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_WORD = 1 << 62


def most_cost(public: Mapping[str, Any]) -> int:
    """An upper bound on the cost of every sequence (cost units): all jobs end when the last job ends."""
    latest = sum(public["processing_times"]) + max(0, -min(public["due_dates"]))
    weights: Sequence[int] = public.get("weights") or [1] * len(public["due_dates"])
    most: int = latest * sum(weights)
    return most


def integers(public: Mapping[str, Any]) -> type[object]:
    """The array type for sums of costs: 64-bit integers, or Python's if 64 bits are too few."""
    dates = max(abs(date) for date in public["due_dates"])
    weights = sum(public.get("weights") or [1] * len(public["due_dates"]))
    return object if 4 * (sum(public["processing_times"]) + dates) * weights >= _WORD else np.int64


def sorted_bound(public: Mapping[str, Any]) -> int:
    """Least weight times sum of max(0, k-th least completion − k-th least due date); at most the optimum.

    The k-th completion of any sequence is at least the sum of the k shortest jobs, and pairing sorted
    completions with sorted due dates is the cheapest pairing. Cost units, ≥ 0.
    """
    clock = total = 0
    for p, d in zip(sorted(public["processing_times"]), sorted(public["due_dates"]), strict=True):
        clock += p
        total += max(0, clock - d)
    least: int = min(public.get("weights") or [1])
    return total * least


def time_prices(p: np.ndarray, d: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The price of a unit of time during each job of a sequence (weight units), shape (n,).

    The price is the cost of delaying this job and all later ones by one unit: the total weight of those among
    them that are late.

    Args:
        p, d, w: processing times, due dates and weights in the order of the sequence.
    """
    late = np.where(p.cumsum() > d, w, 0)
    prices: np.ndarray = late[::-1].cumsum()[::-1]
    return prices


def price_bound(public: Mapping[str, Any], sequence: Sequence[int]) -> int:
    """A lower bound from the prices of time in a sequence; a good sequence gives a good bound.

    For any prices, the jobs of a sequence together pay once for each unit of time. The cost of every sequence
    is therefore at least the sum, over jobs, of cost plus price at the job's cheapest start, minus the price
    of all time: a dual solution of the time-indexed programme (Dyer and Wolsey 1990,
    doi:10.1016/0166-218X(90)90104-K). Cost and price are linear in the start time between breakpoints, so
    only the breakpoints are evaluated. Cost units, ≥ 0, exact.
    """
    p = np.array([public["processing_times"][j] for j in sequence], dtype=np.int64)
    d = np.array([public["due_dates"][j] for j in sequence], dtype=np.int64)
    weights = public.get("weights") or [1] * len(sequence)
    w: np.ndarray = np.array([weights[j] for j in sequence], dtype=integers(public))
    ends = p.cumsum()
    prices = np.append(time_prices(p, d, w), 0)
    knots = np.append(0, ends)
    paid = np.append(0, (prices[:-1] * p).cumsum())

    def paid_until(times: np.ndarray) -> np.ndarray:
        k = np.searchsorted(ends, times, side="right")
        until: np.ndarray = paid[k] + prices[k] * (times - knots[k])
        return until

    bound = -int(paid[-1])
    for job in range(len(p)):
        starts = np.concatenate([knots, knots - p[job], [d[job] - p[job]]]).clip(0, ends[-1] - p[job])
        stops = starts + p[job]
        late = np.maximum(stops - d[job], 0).astype(w.dtype)  # a product with a weight may need Python's
        bound += int((late * w[job] + paid_until(stops) - paid_until(starts)).min())
    return max(0, bound)
