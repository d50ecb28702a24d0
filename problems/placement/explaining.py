"""Which GPUs of a placement are full, and which are empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..summaries import percent, plain, quantiles

_SHOWN = 3
"""Fullest and emptiest GPUs that are listed."""
_ITEMS = 10
"""Models or experts of a GPU that are listed."""


def explain_models(public: Mapping[str, Any], placed: Sequence[int], pressure: Sequence[Fraction]) -> str:
    """Pressure, load and free memory of the GPUs, and the models on the fullest and the emptiest.

    Args:
        public: sizes (GB), rates (load units), memory and GPUs of an instance.
        placed: GPU of each model.
        pressure: of each GPU (load units per free GB).
    """
    sizes, rates, memory = public["sizes"], public["rates"], public["memory"]
    held: list[list[int]] = [[] for _ in pressure]
    for model, gpu in enumerate(placed):
        held[gpu].append(model)

    def row(gpu: int) -> str:
        models = sorted(held[gpu], key=lambda model: -rates[model])
        shown = ", ".join(f"{sizes[m]}/{rates[m]}" for m in models[:_ITEMS]) + (
            ", …" if len(models) > _ITEMS else ""
        )
        free = memory - sum(sizes[m] for m in models)
        load = sum(rates[m] for m in models)
        return f"- GPU {gpu}: pressure {plain(pressure[gpu])}, load {load}, free {free} GB; {shown}"

    order = sorted(range(len(pressure)), key=lambda gpu: -pressure[gpu])
    room = memory * len(pressure)
    return "\n".join(
        [
            f"{len(sizes)} models on {len(pressure)} GPUs of {memory} GB; weights take "
            f"{percent(sum(sizes), room)} of the memory; all load over all free memory is "
            f"{plain(Fraction(sum(rates), room - sum(sizes)))}.",
            f"Pressure of the GPUs at {quantiles(pressure)}.",
            "Fullest GPUs, each model as size/rate:",
            *map(row, order[:_SHOWN]),
            "Emptiest GPUs:",
            *map(row, order[_SHOWN:][-_SHOWN:]),
        ]
    )


def explain_experts(
    loads: Sequence[int], slots: int, plan: Sequence[Sequence[int]], counts: Sequence[int]
) -> str:
    """Load of the GPUs, copies of the busiest experts, and the experts on the fullest and the emptiest.

    Args:
        loads: tokens of each expert, as far as they are over.
        slots: of a GPU.
        plan: experts of each GPU.
        counts: copies of each expert.
    """
    share = [Fraction(load, count) for load, count in zip(loads, counts, strict=True)]
    load = [sum((share[e] for e in held), Fraction(0)) for held in plan]
    mean = Fraction(sum(loads), len(plan))

    def row(gpu: int) -> str:
        experts = sorted(plan[gpu], key=lambda e: -share[e])[:_ITEMS]
        shown = ", ".join(f"{round(share[e])} (1 of {counts[e]})" for e in experts)
        used = f"{percent(load[gpu], mean)} of the mean load, {len(plan[gpu])} slots used"
        return f"- GPU {gpu}: {used}; {shown}"

    order = sorted(range(len(plan)), key=lambda gpu: -load[gpu])
    busiest = sorted(range(len(loads)), key=lambda e: -loads[e])[:_ITEMS]
    unused = slots * len(plan) - sum(counts)
    copies = ", ".join(f"{percent(loads[e], mean)} in {counts[e]}" for e in busiest)
    return "\n".join(
        [
            f"{len(loads)} experts on {len(plan)} GPUs, {unused} slots unused; mean load {round(mean)}.",
            f"Load of the GPUs in percent of the mean at {quantiles([100 * x / mean for x in load])}.",
            f"Busiest experts, load in percent of the mean load of a GPU and copies: {copies}.",
            "Fullest GPUs, each copy with its tokens and the number of copies of its expert:",
            *map(row, order[:_SHOWN]),
            "Emptiest GPUs:",
            *map(row, order[_SHOWN:][-_SHOWN:]),
        ]
    )


def explain_fleet(public: Mapping[str, Any], fleet: Sequence[Any], names: Sequence[str]) -> str:
    """How many GPUs of each type are rented, how full they are, and what the emptiest hold.

    Args:
        public: prices, loads, slices and capacity of an instance.
        fleet: `[type, bucket of each slice]` for each GPU.
        names: of the types.
    """
    capacity, loads = public["capacity"], public["loads"]
    used = [sum(loads[bucket][kind] for bucket in contents) for kind, contents in fleet]
    lines = []
    for kind, count in sorted(Counter(kind for kind, _ in fleet).items()):
        own = [load for load, (k, _) in zip(used, fleet, strict=True) if k == kind]
        share = percent(count * public["prices"][kind], sum(public["prices"][k] for k, _ in fleet))
        lines.append(
            f"- type {kind} ({names[kind]}): {count} rented, {share} of the bill, "
            f"{percent(sum(own), capacity * count)} full"
        )
    emptiest = sorted(range(len(fleet)), key=lambda place: used[place])[: 2 * _SHOWN]
    rows = [
        f"- type {fleet[place][0]}, {percent(used[place], capacity)} full: "
        + ", ".join(f"{n} of bucket {bucket}" for bucket, n in sorted(Counter(fleet[place][1]).items()))
        for place in emptiest
    ]
    return "\n".join(
        [f"{len(fleet)} GPUs rented for {sum(public['slices'])} slices:", *lines, "Emptiest GPUs:", *rows]
    )


def explain_split(
    public: Mapping[str, Any], split: Sequence[Sequence[int]], counts: Sequence[int], names: Sequence[str]
) -> str:
    """How many GPUs of each type are needed, how full the last one is, and which buckets they serve.

    Args:
        public: prices, loads, slices and capacity of an instance.
        split: slices of each bucket on each type.
        counts: GPUs of each type.
        names: of the types.
    """
    capacity = public["capacity"]
    bill = sum(price * count for price, count in zip(public["prices"], counts, strict=True))
    rows = []
    for kind, count in enumerate(counts):
        if not count:
            continue
        load = sum(row[kind] * public["loads"][bucket][kind] for bucket, row in enumerate(split) if row[kind])
        served = ", ".join(f"{row[kind]} of bucket {b}" for b, row in enumerate(split) if row[kind])
        paid = percent(count * public["prices"][kind], bill)
        rows.append(
            f"- type {kind} ({names[kind]}): {count} rented, {paid} of the bill, "
            f"{percent(count * capacity - load, count * capacity)} unused; {served}"
        )
    return "\n".join([f"{sum(counts)} GPUs rented for {sum(public['slices'])} slices:", *rows])
