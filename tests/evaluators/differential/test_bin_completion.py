"""Packings and proofs that there is none, by bin completion, against a programme over all sets of weights."""

from __future__ import annotations

import random
import time

from gapsmith.evaluators.placement.bin_completion import pack


def _fewest(weights: list[int], capacity: int) -> int:
    """Fewest bins: for each set the fewest, and the least load of the last one."""
    states = [(1, 0)] + [(len(weights) + 1, 0)] * ((1 << len(weights)) - 1)
    for members in range(1, 1 << len(weights)):
        for item, size in enumerate(weights):
            if members >> item & 1:
                bins, load = states[members ^ (1 << item)]
                new = (bins, load + size) if load + size <= capacity else (bins + 1, size)
                states[members] = min(states[members], new)
    return states[-1][0]


def test_packings_into_few_bins(stream: random.Random) -> None:
    """There is a packing into the fewest bins, and none into one bin less; packings hold every weight."""
    for _ in range(60):
        capacity = stream.randint(8, 40)
        weights = [stream.randint(capacity // 5, 3 * capacity // 4) for _ in range(stream.randint(1, 9))]
        fewest = _fewest(weights, capacity)
        for bins in range(1, fewest + 2):
            places = pack(weights, bins, capacity, time.monotonic() + 60)
            assert (places is not None) == (bins >= fewest)
            if places is not None:
                assert len(places) == len(weights)
                for number in range(bins):
                    held = zip(weights, places, strict=True)
                    assert sum(weight for weight, place in held if place == number) <= capacity
                assert set(places) <= set(range(bins))


def test_bins_filled_to_the_brim(stream: random.Random) -> None:
    """Triplets leave no room: a unit less of capacity, or a unit more of weight, is too much."""
    for _ in range(20):
        weights = []
        for _ in range(3):
            first = stream.randint(26, 46)
            second = stream.randint(26, 74 - first)
            weights += [first, second, 100 - first - second]
        stream.shuffle(weights)
        assert pack(weights, 3, 100, time.monotonic() + 60) is not None
        assert pack(weights, 3, 99, time.monotonic() + 60) is None
        assert pack([*weights, 0], 3, 100, time.monotonic() + 60) is not None
        assert pack([*weights, 1], 3, 100, time.monotonic() + 60) is None
    assert pack([7], 2, 6, time.monotonic() + 60) is None
    assert pack([], 1, 0, time.monotonic() + 60) == []
