"""Finds certificates of bin packing with a solver; a certificate is checked without one.

The steps: decreasing rules against L1 and L2; column generation, whose duals give a bound that is proved
again in integers; dives that round the linear programme; the restricted master as an integer programme.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..toolbox import Note, call
from .bounds import martello_toth_bound, volume_bound
from .heuristics import best_decreasing
from .proof import PackingCertificate

MAX_TABLE = 20_000
"""Largest capacity (units of size) for which column generation is worth the time of its knapsack tables."""


def certify(sizes: Sequence[int], capacity: int, seconds: float) -> PackingCertificate:
    """A certificate for items (units of size, each 1 to capacity) within about `seconds` of wall time.

    The solver runs in a process that is killed where it overruns; the best certificate by then counts.
    """
    start = _first(sizes, capacity)
    if start.closed or capacity > MAX_TABLE or seconds <= 0:
        return start
    return PackingCertificate.of(call(searched, {"sizes": list(sizes), "capacity": capacity}, seconds))


def searched(sizes: Sequence[int], capacity: int, seconds: float, note: Note) -> dict[str, Any]:
    """The document of the certificate that the search ends with; notes those before, the first at once."""
    from .search import PackingSearch

    start = _first(sizes, capacity)
    note(start.document())
    search = PackingSearch(Counter(sizes), capacity, start, time.monotonic() + seconds, note)
    return search.run().document()


def _first(sizes: Sequence[int], capacity: int) -> PackingCertificate:
    """The packing of the decreasing rules, with the better of L1 and L2."""
    counts = dict(Counter(sizes))
    bins = tuple(best_decreasing(counts, capacity))
    volume = volume_bound(counts, capacity)
    martello_toth = martello_toth_bound(counts, capacity)
    return PackingCertificate(bins, martello_toth, "L1" if volume == martello_toth else "L2")
