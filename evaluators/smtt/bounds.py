"""Lower bounds on total (weighted) tardiness that need no solver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_WORD = 1 << 62


def most_cost(public: Mapping[str, Any]) -> int:
    """What no sequence can cost more than (cost units): all jobs as late as the last one can be."""
    latest = sum(public["processing_times"]) + max(0, -min(public["due_dates"]))
    weights: Sequence[int] = public.get("weights") or [1] * len(public["due_dates"])
    most: int = latest * sum(weights)
    return most


def integers(public: Mapping[str, Any]) -> type[object]:
    """Elements of arrays for sums of costs: the machine's integers, Python's where those are too small."""
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
    """What a unit of time costs while each job of a sequence runs (weight units), (n,).

    It is what a delay of everything from there on by one unit costs: the weight of the jobs that are late
    from there on.

    Args:
        p, d, w: processing times, due dates and weights in the order of the sequence.
    """
    late = np.where(p.cumsum() > d, w, 0)
    prices: np.ndarray = late[::-1].cumsum()[::-1]
    return prices


def price_bound(public: Mapping[str, Any], sequence: Sequence[int]) -> int:
    """A lower bound by the prices that a sequence puts on time; the better the sequence, the better it is.

    Whatever each unit of time costs, the jobs of any sequence together pay for all of it once, so that their
    cost is at least what each pays in its own cheapest place, less the price of all time: a dual solution of
    the time-indexed programme (Dyer and Wolsey 1990, doi:10.1016/0166-218X(90)90104-K). Cost and price of a
    place are linear between the sequence's ends, so only these are looked at. Cost units, ≥ 0, exact.
    """
    p = np.array([public["processing_times"][j] for j in sequence], dtype=np.int64)
    d = np.array([public["due_dates"][j] for j in sequence], dtype=np.int64)
    weights = public.get("weights") or [1] * len(sequence)
    w: np.ndarray = np.array([weights[j] for j in sequence], dtype=integers(public))
    ends = p.cumsum()
    prices = np.append(time_prices(p, d, w), 0)
    knots, paid = np.append(0, ends), np.append(0, (prices[:-1] * p).cumsum())

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
