"""Small training steps as an assignment of sequences to groups, for CP-SAT and for mixed-integer solvers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..toolbox import Solved

if TYPE_CHECKING:
    import pulp
    from ortools.sat.python import cp_model


@dataclass(frozen=True, slots=True)
class PlanGroup:
    """A group that a plan may open: the `place`-th of its degree (column j) in a microbatch."""

    microbatch: int
    column: int
    place: int


def slots(public: Mapping[str, Any], microbatches: int) -> list[PlanGroup]:
    """All groups that a plan of at most so many microbatches could open."""
    return [
        PlanGroup(m, j, place)
        for m in range(microbatches)
        for j, degree in enumerate(public["degrees"])
        for place in range(min(public["devices"] // degree, len(public["lengths"])))
    ]


def places(public: Mapping[str, Any], groups: Sequence[PlanGroup]) -> Iterator[tuple[int, PlanGroup]]:
    """(sequence, group) pairs that are worth a variable.

    Groups of one degree are alike, and so are microbatches: the longest sequence goes to the first of them,
    the next one to one of the first two, and so on.
    """
    order = sorted(range(len(public["lengths"])), key=lambda k: -public["lengths"][k])
    for rank, k in enumerate(order):
        for slot in groups:
            if public["times"][k][slot.column] and slot.place <= rank and slot.microbatch <= rank:
                yield k, slot


def cpsat_model(
    public: Mapping[str, Any], microbatches: int
) -> tuple[cp_model.CpModel, dict[tuple[int, PlanGroup], Any]]:
    """The step as a CP-SAT model of at most so many microbatches, and its assignment variables."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    groups = slots(public, microbatches)
    put = {(k, slot): model.new_bool_var("") for k, slot in places(public, groups)}
    opened = {slot: model.new_bool_var("") for slot in groups}
    longest = sum(max(row) for row in public["times"])
    spans = [model.new_int_var(0, longest, "") for _ in range(microbatches)]
    used = [model.new_bool_var("") for _ in range(microbatches)]
    for k in range(len(public["lengths"])):
        model.add_exactly_one(x for (member, _), x in put.items() if member == k)
    for slot in groups:
        members = [(k, x) for (k, place), x in put.items() if place == slot]
        room = public["degrees"][slot.column] * public["capacity"]
        model.add(sum(public["lengths"][k] * x for k, x in members) <= room * opened[slot])
        model.add(sum(public["times"][k][slot.column] * x for k, x in members) <= spans[slot.microbatch])
        if slot.place:
            model.add_implication(
                opened[slot], opened[PlanGroup(slot.microbatch, slot.column, slot.place - 1)]
            )
    for m in range(microbatches):
        taken = sum(public["degrees"][s.column] * opened[s] for s in groups if s.microbatch == m)
        model.add(taken <= public["devices"] * used[m])
    model.minimize(sum(spans) + public["overhead"] * sum(used))
    return model, put


def mip_model(
    public: Mapping[str, Any], microbatches: int
) -> tuple[pulp.LpProblem, dict[tuple[int, PlanGroup], Any]]:
    """The same step as a mixed-integer programme."""
    import pulp

    model = pulp.LpProblem("step", pulp.LpMinimize)
    groups = slots(public, microbatches)
    put = {pair: model.add_variable(f"x{n}", cat="Binary") for n, pair in enumerate(places(public, groups))}
    opened = {slot: model.add_variable(f"g{n}", cat="Binary") for n, slot in enumerate(groups)}
    spans = [model.add_variable(f"w{m}", lowBound=0, cat="Integer") for m in range(microbatches)]
    used = [model.add_variable(f"u{m}", cat="Binary") for m in range(microbatches)]
    model += pulp.lpSum(spans) + public["overhead"] * pulp.lpSum(used)
    for k in range(len(public["lengths"])):
        model += pulp.lpSum(x for (member, _), x in put.items() if member == k) == 1
    for slot in groups:
        members = [(k, x) for (k, place), x in put.items() if place == slot]
        room = public["degrees"][slot.column] * public["capacity"]
        model += pulp.lpSum(public["lengths"][k] * x for k, x in members) <= room * opened[slot]
        time = pulp.lpSum(public["times"][k][slot.column] * x for k, x in members)
        model += time <= spans[slot.microbatch]
    for m in range(microbatches):
        taken = pulp.lpSum(public["degrees"][s.column] * opened[s] for s in groups if s.microbatch == m)
        model += taken <= public["devices"] * used[m]
        work = pulp.lpSum(
            public["degrees"][slot.column] * public["times"][k][slot.column] * x
            for (k, slot), x in put.items()
            if slot.microbatch == m
        )
        model += work <= public["devices"] * spans[m]
    return model, put


def plan_of(public: Mapping[str, Any], put: Mapping[tuple[int, PlanGroup], Any], solved: Solved) -> list[Any]:
    """The plan of a solution."""
    groups: dict[PlanGroup, list[int]] = {}
    for (k, slot), x in put.items():
        if solved[x]:
            groups.setdefault(slot, []).append(k)
    step: dict[int, list[Any]] = {}
    for slot, members in groups.items():
        step.setdefault(slot.microbatch, []).append([public["degrees"][slot.column], members])
    return list(step.values())
