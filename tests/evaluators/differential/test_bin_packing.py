"""Bin packing against a programme over all sets of items."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from gapsmith.evaluators.bin_packing.bounds import martello_toth_bound, volume_bound, weight_bound

NAMES = ["bin-packing", "online-bin-packing", "online-bin-packing-known-n"]


def _triplets(stream: random.Random, bins: int) -> list[int]:
    """Three items for each bin of 100 that fill it to the brim, so that greedy rules need more bins."""
    sizes = []
    for _ in range(bins):
        first = stream.randint(26, 46)
        second = stream.randint(26, 74 - first)
        sizes += [first, second, 100 - first - second]
    stream.shuffle(sizes)
    return sizes


def _over_sets(sizes: list[int], capacity: int) -> int:
    """Least number of bins: for each set the fewest bins, and the least load of the last one."""
    states = [(1, 0)] + [(len(sizes) + 1, 0)] * ((1 << len(sizes)) - 1)
    for members in range(1, 1 << len(sizes)):
        best = states[members]
        for item, size in enumerate(sizes):
            if members >> item & 1:
                bins, load = states[members ^ (1 << item)]
                best = min(best, (bins, load + size) if load + size <= capacity else (bins + 1, size))
        states[members] = best
    return states[-1][0]


def _instance(name: str, sizes: list[int], drawn: Callable[..., Any]) -> Any:
    if name == "bin-packing":
        return drawn({"sizes": sizes, "capacity": 100})
    known = {"items": len(sizes)} if "known" in name else {}
    return drawn({"capacity": 100, **known}, {"sizes": sizes})


@pytest.mark.parametrize("name", NAMES)
def test_bins_over_sets(name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any) -> None:
    """Twelve or thirteen items, tight: an optimum is the programme's, a bound no larger."""
    triplets = _triplets(stream, 4)
    loose = [stream.randint(20, 60) for _ in range(12)]
    for sizes in (triplets, [*triplets, 1], loose):
        least = _over_sets(sizes, 100)
        reference = prove(name, _instance(name, sizes, drawn), 10)
        assert reference.kind == "optimum"
        assert reference.value == least


@pytest.mark.parametrize("name", NAMES[:1])
def test_bounds_of_bins(name: str, stream: random.Random) -> None:
    """No arithmetic bound is above the programme's optimum, nor any bound of drawn weights."""
    strongest: Counter[str] = Counter()
    for _ in range(12):
        sizes = [stream.choice((stream.randint(5, 30), stream.randint(30, 80))) for _ in range(9)]
        counts, least = Counter(sizes), _over_sets(sizes, 100)
        assert volume_bound(counts, 100) == (sum(sizes) + 99) // 100 <= least
        assert volume_bound(counts, 100) <= martello_toth_bound(counts, 100) <= least
        strongest["second"] += martello_toth_bound(counts, 100) == least
        weights = {size: size + stream.randint(0, 20) * (size > 33) for size in counts}
        strongest["weights"] += weight_bound(counts, 100, weights) == least
        assert weight_bound(counts, 100, weights) <= least
    assert min(strongest.values()) >= 1
