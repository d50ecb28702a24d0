"""Interval models of shops for CP-SAT: one interval per operation, one machine at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...problems.shops.verification import horizon

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True, slots=True)
class ShopModel:
    """A model and its start variables, one list per job."""

    model: cp_model.CpModel
    starts: list[list[cp_model.IntVar]]


def shop_model(
    public: Mapping[str, Any], *, blocking: bool, least: int = 0, deadline: int | None = None
) -> ShopModel:
    """The schedules of a shop, of least makespan, or any that ends by a deadline.

    In a blocking shop an operation holds its machine until the next one of its job starts; machines that are
    handed over at one moment (swaps) do not overlap.

    Args:
        public: `machines`, `routes` and `times`.
        blocking: whether there are no buffers.
        least: a proven lower bound of the makespan.
        deadline: no objective, but this latest end; None minimises the makespan.
    """
    from ortools.sat.python import cp_model

    longest = max(map(sum, public["times"]))
    latest = horizon(public) if deadline is None else max(deadline, longest)
    model = cp_model.CpModel()
    if deadline is not None and deadline < longest:
        model.add_bool_or([])  # never true
    makespan = None if deadline is not None else model.new_int_var(least, latest, "makespan")
    on: list[list[cp_model.IntervalVar]] = [[] for _ in range(public["machines"])]
    starts = []
    for job, (route, times) in enumerate(zip(public["routes"], public["times"], strict=True)):
        heads = [sum(times[:place]) for place in range(len(times) + 1)]
        begins = [
            model.new_int_var(head, latest - sum(times) + head, f"start {job} {place}")
            for place, head in enumerate(heads[:-1])
        ]
        for place, (before, after) in enumerate(pairwise(begins)):
            name = f"{job} {place}"
            machine = route[place]
            if blocking:
                length = model.new_int_var(times[place], latest, f"stay {name}")
                on[machine].append(model.new_interval_var(before, length, after, name))
            else:
                model.add(after >= before + times[place])
                on[machine].append(model.new_fixed_size_interval_var(before, times[place], name))
        last = model.new_fixed_size_interval_var(begins[-1], times[-1], f"{job} last")
        on[route[-1]].append(last)
        if makespan is not None:
            model.add(makespan >= begins[-1] + times[-1])
        starts.append(begins)
    for intervals in on:
        model.add_no_overlap(intervals)
    if makespan is not None:
        model.minimize(makespan)
    return ShopModel(model, starts)


def arithmetic_bound(public: Mapping[str, Any]) -> int:
    """The larger of the longest job and, for each machine, least head + its work + least tail.

    A machine cannot begin before the least work that comes before one of its operations, and after its last
    operation at least the least work after one of them is left.
    """
    heads: list[list[int]] = [[] for _ in range(public["machines"])]
    tails: list[list[int]] = [[] for _ in range(public["machines"])]
    load = [0] * public["machines"]
    for route, times in zip(public["routes"], public["times"], strict=True):
        for place, machine in enumerate(route):
            heads[machine].append(sum(times[:place]))
            tails[machine].append(sum(times[place + 1 :]))
            load[machine] += times[place]
    machines = [min(h) + work + min(t) for h, work, t in zip(heads, load, tails, strict=True) if h]
    return max(*machines, *map(sum, public["times"]))
