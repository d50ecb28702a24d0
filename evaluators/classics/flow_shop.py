"""Flow shops by CP-SAT: intervals, and one Boolean for each pair of jobs, which orders it on all machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from ...problems.base import Instance, Json
from ...problems.classics import taillard
from ...problems.classics.flow_shop import judge, starts
from ..base import ProofKind, Reference, ReferenceKind
from ..toolbox import Solved, solve_cpsat, stop_cpsat
from .certificates import Certificate
from .references import StoppableReferences

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_BEST_KNOWN = """
1278 1359 1081 1293 1235 1195 1234 1206 1230 1108
1582 1659 1496 1377 1419 1397 1484 1538 1593 1591
2297 2099 2326 2223 2291 2226 2273 2200 2237 2178
"""
"""Makespans of Taillard's flow shops in the order of their numbers; reported as optima."""


@dataclass(frozen=True, slots=True)
class FlowShopModel:
    """A model and the start variables of the jobs on the first machine."""

    model: cp_model.CpModel
    starts: list[cp_model.IntVar]


def shop_model(times: Sequence[Sequence[int]], order: Sequence[int], spare: int = 0) -> FlowShopModel:
    """The orders that end no later than a good one, the makespan to be minimised.

    Args:
        times: one row per job.
        order: a good order, which bounds the makespan and starts the search.
        spare: time units by which orders may end later.
    """
    from ortools.sat.python import cp_model

    jobs, machines = range(len(times)), range(len(times[0]))
    hints = starts(times, order)
    upper = hints[order[-1]][-1] + times[order[-1]][-1] + spare
    model = cp_model.CpModel()
    makespan = model.new_int_var(lower_bound(times), upper, "makespan")
    begin = [
        [model.new_int_var(sum(times[j][:k]), upper - sum(times[j][k:]), f"start {j} {k}") for k in machines]
        for j in jobs
    ]
    for k in machines:
        model.add_no_overlap([model.new_fixed_size_interval_var(begin[j][k], times[j][k], "") for j in jobs])
    for j in jobs:
        for k in machines[1:]:
            model.add(begin[j][k] >= begin[j][k - 1] + times[j][k - 1])
        model.add(makespan >= begin[j][-1] + times[j][-1])
        for k in machines:
            model.add_hint(begin[j][k], hints[j][k])
    for i, j in combinations(jobs, 2):
        first = model.new_bool_var(f"{i} before {j}")
        for k in machines:
            model.add(begin[j][k] >= begin[i][k] + times[i][k]).only_enforce_if(first)
            model.add(begin[i][k] >= begin[j][k] + times[j][k]).only_enforce_if(first.negated())
    model.minimize(makespan)
    return FlowShopModel(model, [row[0] for row in begin])


def lower_bound(times: Sequence[Sequence[int]]) -> int:
    """The longest job, or a machine's work with the shortest ways to it and from it."""
    return max(*(_machine_bound(times, k) for k in range(len(times[0]))), *map(sum, times))


def _machine_bound(times: Sequence[Sequence[int]], machine: int) -> int:
    before = min(sum(row[:machine]) for row in times)
    after = min(sum(row[machine + 1 :]) for row in times)
    return before + sum(row[machine] for row in times) + after


def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int = 0) -> Certificate:
    """CP-SAT's bound and the best order, one worker; repeatable where the time suffices."""
    times = public["times"]
    start: Any = answer or inserted(times)
    shop = shop_model(times, start, spare)
    solved = solve_cpsat(shop.model, seconds=seconds, known_bound=lower_bound(times))
    order = start
    if solved.solution is not None:
        order = min(_order(shop, solved), start, key=lambda one: _makespan(times, one))
    value = _makespan(times, order)
    assert solved.bound is not None
    return Certificate(int(solved.bound), value, order, solved.solver, solved.version, solved.seconds)


def stop(public: Mapping[str, Any], effort: float) -> tuple[Solved, Json]:
    """CP-SAT's best order after deterministic seconds; it starts from the insertion heuristic's."""
    times = public["times"]
    shop = shop_model(times, inserted(times))
    solved = stop_cpsat(shop.model, effort, lower_bound(times))
    order: Any = None if solved.solution is None else _order(shop, solved)
    return solved, order


def _order(shop: FlowShopModel, solved: Solved) -> list[int]:
    """The jobs by their start on the first machine."""
    return sorted(range(len(shop.starts)), key=lambda job: solved[shop.starts[job]])


def inserted(times: Sequence[Sequence[int]]) -> list[int]:
    """The insertion heuristic of Nawaz, Enscore and Ham, to start from."""
    order: list[int] = []
    for job in sorted(range(len(times)), key=lambda j: -sum(times[j])):
        trials = [[*order[:place], job, *order[place:]] for place in range(len(order) + 1)]
        order = min(trials, key=lambda trial: _makespan(times, trial))
    return order


def _makespan(times: Sequence[Sequence[int]], order: Sequence[int]) -> int:
    last = order[-1]
    return starts(times, order)[last][-1] + times[last][-1]


def taillard_best_known(instance: Instance) -> Reference | None:
    """Best known makespan of one of Taillard's 30 instances, None for others."""
    return _table().get(instance.digest)


@cache
def _table() -> dict[str, Reference]:
    return {
        instance.digest: Reference(
            value=int(value),
            kind=ReferenceKind.BEST_KNOWN,
            bound=int(value),
            proof=ProofKind.LITERATURE,
            solver="literature",
            version="2015",
            seconds=None,
            source="Taillard's list of best known bounds of flow shops, 2015",
        )
        for instance, value in zip(taillard.instances("taillard"), _BEST_KNOWN.split(), strict=True)
    }


FLOW_SHOP = StoppableReferences("flow-shop", "pair orders 1", solve, judge, taillard_best_known, stop=stop)
