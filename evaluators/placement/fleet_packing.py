"""A first fleet for the solvers: cost-aware first fit over every subset of types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

Fleet: TypeAlias = list[tuple[int, list[int]]]
"""GPUs as (type, buckets of their slices)."""
_ALL_SUBSETS = 8
_LARGEST_SUBSET = 3


def construct(public: Mapping[str, Any]) -> Fleet:
    """The cheapest fleet that first fit finds over all subsets of types (up to three beyond eight types)."""
    count = len(public["prices"])
    most = count if count <= _ALL_SUBSETS else _LARGEST_SUBSET
    subsets = [types for size in range(1, most + 1) for types in combinations(range(count), size)]
    fleets = [_first_fit(public, types) for types in [*subsets, tuple(range(count))]]
    return min((fleet for fleet in fleets if fleet is not None), key=lambda f: fleet_price(public, f))


def fleet_price(public: Mapping[str, Any], fleet: Fleet) -> int:
    """Price of a fleet in ten-thousandths of a dollar per hour."""
    return sum(public["prices"][kind] for kind, _ in fleet)


def _first_fit(public: Mapping[str, Any], types: Sequence[int]) -> Fleet | None:
    """Dearest slices first, each to the open GPU that serves it most cheaply; None if a bucket has none."""
    prices = public["prices"]
    loads = public["loads"]
    cost = [{t: row[t] * prices[t] for t in types if row[t] is not None} for row in loads]
    if not all(cost):
        return None
    fleet: Fleet = []
    room: list[int] = []
    for bucket in sorted(range(len(loads)), key=lambda b: -min(cost[b].values())):
        for _ in range(public["slices"][bucket]):
            fits = [g for g, (t, _c) in enumerate(fleet) if t in cost[bucket] and loads[bucket][t] <= room[g]]
            if fits:
                gpu = min(fits, key=lambda g: cost[bucket][fleet[g][0]])
            else:
                gpu = len(fleet)
                fleet.append((min(cost[bucket], key=lambda t: cost[bucket][t]), []))
                room.append(public["capacity"])
            fleet[gpu][1].append(bucket)
            room[gpu] -= loads[bucket][fleet[gpu][0]]
    return fleet
