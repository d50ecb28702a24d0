"""Bounds of bins and of tardiness against the same formulas worked out item by item and moment by moment."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, permutations
from typing import Any

import pytest
from gapsmith.evaluators.bin_packing import bounds as bins
from gapsmith.evaluators.smtt import bounds as tardiness


def test_bins_of_large_and_small_items(stream: random.Random) -> None:
    """The second bound of Martello and Toth is the largest of all thresholds, item by item."""
    stronger = 0
    for _ in range(80):
        capacity = stream.choice((10, 21, 100))
        sizes = [stream.randint(1, capacity) for _ in range(stream.randint(1, 12))]
        best = 0
        for threshold in range(capacity // 2 + 1):
            alone = [s for s in sizes if s + threshold > capacity]
            large = [s for s in sizes if s + threshold <= capacity and 2 * s > capacity]
            small = [s for s in sizes if 2 * s <= capacity and s >= threshold]
            over = sum(small) - sum(capacity - s for s in large)
            more = 0
            while more * capacity < over:
                more += 1
            best = max(best, len(alone) + len(large) + more)
        volume = -(-sum(sizes) // capacity)
        assert bins.volume_bound(Counter(sizes), capacity) == volume
        assert bins.martello_toth_bound(Counter(sizes), capacity) == best
        stronger += best > volume
    assert stronger


def test_heaviest_bins(stream: random.Random) -> None:
    """The largest weight that fits is that of all choices; the bound is the weight of all over it."""
    for _ in range(40):
        capacity = stream.randint(5, 25)
        sizes = [stream.choice((1, 2, 3, stream.randint(1, capacity))) for _ in range(8)]
        weights = {size: stream.randint(0, 9) for size in set(sizes)}
        weights[sizes[0]] = stream.randint(1, 9)
        heaviest = max(
            sum(weights[s] for s in one)
            for number in range(9)
            for one in combinations(sizes, number)
            if sum(one) <= capacity
        )
        counts = Counter(sizes)
        assert bins.knapsack(counts, capacity, weights) == heaviest
        total = sum(weights[s] for s in sizes)
        bound = bins.weight_bound(counts, capacity, weights)
        assert (bound - 1) * heaviest < total <= bound * heaviest
    with pytest.raises(ValueError, match="negative"):
        bins.weight_bound(Counter([2, 3]), 5, {2: 1, 3: -1})
    with pytest.raises(ValueError, match="zeros"):
        bins.weight_bound(Counter([2, 3]), 5, {4: 1})


def test_parts_of_copies() -> None:
    """Subset sums of the parts are all numbers up to the count, and nothing else."""
    for count in range(40):
        parts = bins.copies_in_binary(count)
        sums = {0}
        for part in parts:
            sums |= {part + old for old in sums}
        assert sums == set(range(count + 1))
        assert len(parts) == count.bit_length()


def _jobs(stream: random.Random, weighted: bool) -> dict[str, Any]:
    times = [stream.randint(1, 9) for _ in range(5)]
    dates = [stream.randint(-3, sum(times)) for _ in times]
    weights = {"weights": [stream.randint(1, 5) for _ in times]} if weighted else {}
    return {"processing_times": times, "due_dates": dates, **weights}


@pytest.mark.parametrize("weighted", [False, True])
def test_prices_of_every_moment(weighted: bool, stream: random.Random) -> None:
    """Prices of the units of time in a drawn order, every start of every job tried."""
    for _ in range(40):
        public = _jobs(stream, weighted)
        times, dates = public["processing_times"], public["due_dates"]
        weights = public.get("weights", [1] * 5)
        order = stream.sample(range(5), 5)
        ends, clock = {}, 0
        for job in order:
            clock += times[job]
            ends[job] = clock
        price: list[int] = []
        for place, job in enumerate(order):
            late = [weights[k] for k in order[place:] if ends[k] > dates[k]]
            price += [sum(late)] * times[job]
        total = -sum(price)
        for job in range(5):
            total += min(
                weights[job] * max(0, start + times[job] - dates[job])
                + sum(price[start : start + times[job]])
                for start in range(clock - times[job] + 1)
            )
        assert tardiness.price_bound(public, order) == max(0, total)


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_of_ends_and_dates(weighted: bool, stream: random.Random) -> None:
    """The sorted bound is the cheapest way to pair the least ends with the due dates."""
    for _ in range(30):
        public = _jobs(stream, weighted)
        ends = [sum(sorted(public["processing_times"])[: k + 1]) for k in range(5)]
        cheapest = min(
            sum(max(0, end - date) for end, date in zip(ends, dates, strict=True))
            for dates in permutations(public["due_dates"])
        )
        least = min(public.get("weights", [1]))
        assert tardiness.sorted_bound(public) == cheapest * least
        clock = sum(public["processing_times"])
        dearest = sum(
            weight * max(0, clock - date)
            for weight, date in zip(public.get("weights", [1] * 5), public["due_dates"], strict=True)
        )
        assert tardiness.most_cost(public) >= dearest


@pytest.mark.parametrize("large", [False, True])
def test_prices_beyond_64_bits(large: bool, stream: random.Random) -> None:
    """Weights so large that sums need Python's integers give so many times the bound of small ones."""
    factor = 10**18 if large else 10**3
    for _ in range(10):
        public = _jobs(stream, True)
        order = stream.sample(range(5), 5)
        scaled = public | {"weights": [factor * weight for weight in public["weights"]]}
        assert tardiness.price_bound(scaled, order) == factor * tardiness.price_bound(public, order)
    assert (tardiness.integers(scaled) is object) == large
    edge = {"processing_times": [2], "due_dates": [-2], "weights": [1 << 58]}
    assert tardiness.integers(edge) is object
    assert tardiness.integers(edge | {"weights": [(1 << 58) - 1]}) is not object
    two = {"processing_times": [1, 1], "due_dates": [0, -2], "weights": [1 << 57, 1 << 57]}
    assert tardiness.integers(two) is object
