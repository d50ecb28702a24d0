"""Fleets, model placement and expert placement against enumerations of what they choose from."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import ceil, gcd
from typing import Any

import pytest
from gapsmith.evaluators.placement.gpu_fleet import closed_form_bound
from gapsmith.evaluators.placement.model_placement import arithmetic_bound

DOLLAR = 10_000
"""Prices are ten-thousandths of a dollar per hour."""


def _fleet(stream: random.Random) -> dict[str, Any]:
    """Three types and three buckets; slices are large parts of a GPU, so that packing wastes room."""
    loads: list[list[int | None]] = [
        [stream.randint(200, 700) // (1 + kind) for kind in range(3)] for _ in range(3)
    ]
    loads[0][stream.randrange(3)] = None
    return {
        "prices": [stream.randint(3, 12) * 1000 * (4 + 3 * kind) // 4 for kind in range(3)],
        "loads": loads,
        "slices": [stream.randint(2, 4) for _ in range(3)],
        "capacity": 1000,
    }


def _splits(count: int, row: list[int | None]) -> Iterator[tuple[int, ...]]:
    """All ways to give a bucket's slices to the types that serve it."""
    for split in product(range(count + 1), repeat=len(row)):
        if sum(split) == count and all(not n or load is not None for n, load in zip(split, row, strict=True)):
            yield split


def _cheapest_pool(public: dict[str, Any]) -> tuple[int, list[list[int]]]:
    """Least price of all splits of the slices over types with pooled capacity, and such a split."""
    rows = [_splits(count, row) for count, row in zip(public["slices"], public["loads"], strict=True)]
    best: tuple[int, Any] = (10**9, [])
    for split in product(*rows):
        price = 0
        for kind, one in enumerate(public["prices"]):
            load = sum(
                part[kind] * (row[kind] or 0) for part, row in zip(split, public["loads"], strict=True)
            )
            price += one * ceil(Fraction(load, public["capacity"]))
        best = min(best, (price, split))
    return best[0], [list(part) for part in best[1]]


def _cheapest_fleet(public: dict[str, Any]) -> tuple[int, list[Any]]:
    """Least price of whole GPUs that hold all slices, and such a fleet: by what is left to place."""
    contents = []
    for kind, price in enumerate(public["prices"]):
        for counts in product(*(range(count + 1) for count in public["slices"])):
            pairs = [(n, row[kind]) for n, row in zip(counts, public["loads"], strict=True) if n]
            served = pairs and all(load is not None for _, load in pairs)
            if served and sum(n * load for n, load in pairs) <= public["capacity"]:
                contents.append((price, kind, counts))

    @cache
    def least(left: tuple[int, ...]) -> tuple[int, tuple[Any, ...]]:
        if not any(left):
            return 0, ()
        first = next(bucket for bucket, n in enumerate(left) if n)
        found = []
        for price, kind, counts in contents:
            if counts[first] and all(n <= m for n, m in zip(counts, left, strict=True)):
                rest, gpus = least(tuple(m - n for n, m in zip(counts, left, strict=True)))
                found.append((price + rest, ((kind, counts), *gpus)))
        return min(found)

    price, gpus = least(tuple(public["slices"]))
    return price, [[kind, [b for b, n in enumerate(counts) for _ in range(n)]] for kind, counts in gpus]


def _fractional(public: dict[str, Any]) -> Fraction:
    """Price of all slices, each at the type that serves it most cheaply, parts of GPUs included."""
    total = Fraction(0)
    for row, count in zip(public["loads"], public["slices"], strict=True):
        each = [
            Fraction(load * price, 1000) for load, price in zip(row, public["prices"], strict=True) if load
        ]
        total += count * min(each)
    return total


@pytest.mark.parametrize("name", ["gpu-fleet-aggregate"])
def test_prices_of_pooled_fleets(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """The optimum is the best of all splits, the closed form at most that."""
    for _ in range(2):
        instance = drawn(_fleet(stream))
        least, split = _cheapest_pool(instance.public)
        assert objective(name, instance, split) == Fraction(least, DOLLAR)
        reference = prove(name, instance)
        assert (reference.kind, reference.value) == ("optimum", Fraction(least, DOLLAR))
        unit = gcd(*instance.public["prices"])
        assert closed_form_bound(instance.public) == ceil(_fractional(instance.public) / unit)
        assert _fractional(instance.public) <= least


@pytest.mark.parametrize("name", ["gpu-fleet"])
def test_prices_of_whole_fleets(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """The optimum is the best of all fleets; pooling is no dearer."""
    for _ in range(2):
        instance = drawn(_fleet(stream))
        least, fleet = _cheapest_fleet(instance.public)
        assert objective(name, instance, fleet) == Fraction(least, DOLLAR)
        reference = prove(name, instance)
        assert (reference.kind, reference.value) == ("optimum", Fraction(least, DOLLAR))
        assert _cheapest_pool(instance.public)[0] <= least


def _models(stream: random.Random) -> dict[str, Any]:
    sizes = [stream.randint(8, 30) for _ in range(8)]
    return {"gpus": 3, "memory": 80, "sizes": sizes, "rates": [stream.randint(10, 999) for _ in sizes]}


def _least_pressure(public: dict[str, Any]) -> tuple[Fraction, list[int]]:
    """Least largest pressure of all placements, and such a placement."""
    best: tuple[Fraction, Any] = (Fraction(10**9), ())
    for places in product(range(public["gpus"]), repeat=len(public["sizes"])):
        worst = Fraction(0)
        for gpu in range(public["gpus"]):
            held = [i for i, place in enumerate(places) if place == gpu]
            free = public["memory"] - sum(public["sizes"][i] for i in held)
            if free < 1:
                break
            worst = max(worst, Fraction(sum(public["rates"][i] for i in held), free))
        else:
            best = min(best, (worst, places))
    return best[0], list(best[1])


@pytest.mark.parametrize("name", ["model-placement"])
def test_pressures_of_all_placements(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Eight models on three GPUs: the optimum is the best placement, the mediant bound below."""
    instance = drawn(_models(stream))
    least, places = _least_pressure(instance.public)
    assert objective(name, instance, places) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    public = instance.public
    assert arithmetic_bound(public) <= least
    room = public["gpus"] * public["memory"] - sum(public["sizes"])
    alone = [Fraction(rate, 80 - size) for size, rate in zip(public["sizes"], public["rates"], strict=True)]
    assert arithmetic_bound(public) == max(Fraction(sum(public["rates"]), room), *alone)


def _experts(stream: random.Random) -> dict[str, Any]:
    loads = [round(100 * stream.paretovariate(0.6)) for _ in range(4)]
    return {"loads": loads, "gpus": 2, "slots": 3, "groups": 2, "nodes": 1}


def _least_load(public: dict[str, Any]) -> tuple[Fraction, list[list[int]]]:
    """Least largest load of all plans, and such a plan."""
    experts, loads = range(len(public["loads"])), public["loads"]
    held = list(combinations_with_replacement(experts, public["slots"]))
    best: tuple[Fraction, Any] = (Fraction(10**9), ())
    for plan in combinations_with_replacement(held, public["gpus"]):
        copies = [sum(gpu.count(e) for gpu in plan) for e in experts]
        if all(copies):
            worst = max(sum(Fraction(loads[e], copies[e]) for e in gpu) for gpu in plan)
            best = min(best, (worst, plan))
    return best[0], [list(gpu) for gpu in best[1]]


def _mean_or_copy(public: dict[str, Any]) -> Fraction:
    """The mean load, or the least largest copy of all numbers of copies that fill the slots."""
    slots, loads = public["gpus"] * public["slots"], public["loads"]
    copies = [
        max(Fraction(load, n) for load, n in zip(loads, counts, strict=True))
        for counts in product(range(1, slots), repeat=len(loads))
        if sum(counts) == slots
    ]
    return max(Fraction(sum(loads), public["gpus"]), min(copies))


@pytest.mark.parametrize("name", ["expert-placement"])
def test_loads_of_all_plans(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Four experts on two GPUs: the reference is the mean or the largest copy, and no plan is below."""
    for _ in range(6):
        instance = drawn(_experts(stream))
        least, plan = _least_load(instance.public)
        assert objective(name, instance, plan) == least
        reference = prove(name, instance, 0.1)
        assert reference.value == _mean_or_copy(instance.public) <= least
        assert (reference.kind == "optimum") == (reference.value == least)
