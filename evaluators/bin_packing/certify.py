"""Finds certificates of bin packing with a solver; a certificate is checked without one.

The steps: decreasing rules against L1 and L2; column generation, whose duals give a bound that is proved
again in integers; dives that round the linear programme; the restricted master as an integer programme.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from .bounds import martello_toth_bound, volume_bound
from .heuristics import best_decreasing
from .proof import PackingCertificate

MAX_TABLE = 20_000
"""Largest capacity (units of size) for which column generation is worth the time of its knapsack tables."""


def certify(sizes: Sequence[int], capacity: int, seconds: float) -> PackingCertificate:
    """A certificate for items (units of size, each 1 to capacity) within about `seconds` of wall time."""
    counts = dict(Counter(sizes))
    bins = tuple(best_decreasing(counts, capacity))
    volume = volume_bound(counts, capacity)
    martello_toth = martello_toth_bound(counts, capacity)
    rule = "L1" if volume == martello_toth else "L2"
    start = PackingCertificate(bins, martello_toth, rule)
    if start.closed or capacity > MAX_TABLE or seconds <= 0:
        return start
    from .search import PackingSearch

    return PackingSearch(counts, capacity, start, time.monotonic() + seconds).run()
