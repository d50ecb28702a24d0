"""The integer programmes of GPU fleets, in PuLP and in CP-SAT; objectives in units of the prices' divisor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .fleet_packing import Fleet, fleet_price

if TYPE_CHECKING:
    import pulp
    from ortools.sat.python import cp_model


def pooled_model(public: Mapping[str, Any]) -> tuple[pulp.LpProblem, list[list[pulp.LpVariable | None]]]:
    """Mélange's programme over counts: min Σ c_t B_t, Σ_t n_bt = slices_b, Σ_b load_bt n_bt ≤ capacity B_t.

    Griggs et al., arXiv:2404.14527; slices of a bucket are alike, so counts replace its binaries.

    Returns:
        The model, and the count variable of each bucket and type (None where the type cannot serve it).
    """
    import pulp

    prices = public["prices"]
    loads = public["loads"]
    slices = public["slices"]
    divisor = math.gcd(*prices)
    model = pulp.LpProblem("pooled", pulp.LpMinimize)
    counts = [
        [None if load is None else _count(model, f"n_{b}_{t}", slices[b]) for t, load in enumerate(row)]
        for b, row in enumerate(loads)
    ]
    rented = [_count(model, f"B_{t}", None) for t in range(len(prices))]
    model += pulp.lpSum(price // divisor * B for price, B in zip(prices, rented, strict=True))
    for row, count in zip(counts, slices, strict=True):
        model += pulp.lpSum(x for x in row if x is not None) == count
    for t, B in enumerate(rented):
        load = pulp.lpSum(loads[b][t] * row[t] for b, row in enumerate(counts) if row[t] is not None)
        model += load <= public["capacity"] * B
    return model, counts


def exact_pooled_model(
    public: Mapping[str, Any], most: int
) -> tuple[cp_model.CpModel, list[list[cp_model.IntVar | None]]]:
    """The pooled programme in CP-SAT, for loads that floats cannot tell apart; no fleet dearer than `most`.

    Args:
        public: the instance.
        most: price of a feasible split (ten-thousandths of a dollar per hour), which keeps all sums small.

    Returns:
        As `pooled_model`.
    """
    from ortools.sat.python import cp_model

    prices = public["prices"]
    loads = public["loads"]
    slices = public["slices"]
    divisor = math.gcd(*prices)
    model = cp_model.CpModel()
    counts = [
        [None if load is None else model.new_int_var(0, count, f"n {b} {t}") for t, load in enumerate(row)]
        for b, (row, count) in enumerate(zip(loads, slices, strict=True))
    ]
    rented = [model.new_int_var(0, most // price, f"B {t}") for t, price in enumerate(prices)]
    for row, count in zip(counts, slices, strict=True):
        model.add(sum(x for x in row if x is not None) == count)
    for t, B in enumerate(rented):
        load = sum(loads[b][t] * row[t] for b, row in enumerate(counts) if row[t] is not None)
        model.add(load <= public["capacity"] * B)
    model.minimize(sum(price // divisor * B for price, B in zip(prices, rented, strict=True)))
    return model, counts


def packing_model(
    public: Mapping[str, Any], start: Fleet, floor: int, rented: list[int] | None = None
) -> tuple[cp_model.CpModel, list[tuple[int, cp_model.IntVar, dict[int, cp_model.IntVar]]]]:
    """Whole GPUs in CP-SAT: counts of each bucket's slices on each GPU that could be rented.

    GPUs of a type are rented in order, which breaks their symmetry.

    Args:
        public: the instance.
        start: a feasible fleet, the hint; no dearer fleet is looked at.
        floor: proven bound in units.
        rented: GPUs of each type, if the fleet is given; it costs at most as much as `start`.

    Returns:
        The model; for each GPU its type, whether it is rented, and the count of each bucket's slices on it.
    """
    from ortools.sat.python import cp_model

    prices = public["prices"]
    loads = public["loads"]
    slices = public["slices"]
    divisor = math.gcd(*prices)
    most = fleet_price(public, start)
    model = cp_model.CpModel()
    gpus: list[tuple[int, cp_model.IntVar, dict[int, cp_model.IntVar]]] = []
    for t, price in enumerate(prices):
        hints = [contents for kind, contents in start if kind == t]
        before = None
        for number in range(min(most // price, _most_used(public, t))):
            used = model.new_bool_var(f"used {t} {number}")
            contents = {
                b: model.new_int_var(0, min(slices[b], public["capacity"] // row[t]), f"{b} on {t} {number}")
                for b, row in enumerate(loads)
                if row[t] is not None
            }
            model.add(sum(loads[b][t] * x for b, x in contents.items()) <= public["capacity"] * used)
            if before is not None:
                model.add_implication(used, before)
            before = used
            if rented is not None:
                model.add(used == int(number < rented[t]))
                gpus.append((t, used, contents))
                continue
            hint = hints[number] if number < len(hints) else []
            model.add_hint(used, bool(hint))
            for b, x in contents.items():
                model.add_hint(x, hint.count(b))
            gpus.append((t, used, contents))
    for b, count in enumerate(slices):
        model.add(sum(contents[b] for _, _, contents in gpus if b in contents) == count)
    total = sum(prices[t] // divisor * used for t, used, _ in gpus)
    model.add(total >= floor)
    model.add(total <= most // divisor)
    model.minimize(total)
    return model, gpus


def packing_mip(public: Mapping[str, Any], most: int) -> tuple[pulp.LpProblem, list[pulp.LpVariable]]:
    """The same packing in PuLP, for a second opinion; no fleet dearer than `most` is looked at.

    Returns:
        The model, and whether each GPU is rented.
    """
    import pulp

    prices = public["prices"]
    loads = public["loads"]
    slices = public["slices"]
    divisor = math.gcd(*prices)
    model = pulp.LpProblem("packing", pulp.LpMinimize)
    used: list[tuple[int, pulp.LpVariable]] = []
    placed: list[list[pulp.LpVariable]] = [[] for _ in slices]
    rows = []
    for t, price in enumerate(prices):
        for number in range(min(most // price, _most_used(public, t))):
            rented = _count(model, f"used_{t}_{number}", 1)
            load = []
            for b, row in enumerate(loads):
                if row[t] is not None:
                    x = _count(model, f"n_{b}_{t}_{number}", slices[b])
                    placed[b].append(x)
                    load.append(row[t] * x)
            rows.append(pulp.lpSum(load) <= public["capacity"] * rented)
            if number:
                rows.append(rented <= used[-1][1])
            used.append((t, rented))
    model += pulp.lpSum(prices[t] // divisor * rented for t, rented in used)
    for row in rows:
        model += row
    for xs, count in zip(placed, slices, strict=True):
        model += pulp.lpSum(xs) == count
    return model, [rented for _, rented in used]


def _count(model: pulp.LpProblem, name: str, most: int | None) -> pulp.LpVariable:
    """An integer variable ≥ 0."""
    return model.add_variable(name, 0, most, "Integer")


def _most_used(public: Mapping[str, Any], t: int) -> int:
    """Slices that a type can serve: no fleet needs more GPUs of it."""
    return sum(
        count for row, count in zip(public["loads"], public["slices"], strict=True) if row[t] is not None
    )
