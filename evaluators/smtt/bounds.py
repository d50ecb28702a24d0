"""Lower bounds on total (weighted) tardiness that need no solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
