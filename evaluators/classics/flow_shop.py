"""Flow shops by CP-SAT: intervals, and one Boolean for each pair of jobs, which orders it on all machines."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING, Any

from ...problems.base import Instance, Json
from ...problems.classics import taillard
from ...problems.classics.flow_shop import judge, starts
from ..base import ProofKind, Reference, ReferenceKind
from ..toolbox import Solved, solve_cpsat, stop_cpsat
from .references import BoundedAnswer, StoppableReferences

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

MOST_PAIRS = 400_000
"""Jobs times jobs times machines up to which CP-SAT gets a Boolean for each pair of jobs."""
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

    jobs = range(len(times))
    machines = range(len(times[0]))
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


def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int = 0) -> BoundedAnswer:
    """CP-SAT's bound and the best order, one worker; repeatable where the time suffices."""
    times = public["times"]
    started = time.monotonic()
    if len(times) ** 2 * len(times[0]) > MOST_PAIRS:
        return _searched(times, started, seconds, answer)
    start: Any = answer or inserted(times)
    shop = shop_model(times, start, spare)
    solved = solve_cpsat(shop.model, seconds=seconds, known_bound=lower_bound(times))
    order = start
    if solved.solution is not None:
        order = min(_order(shop, solved), start, key=lambda one: _makespan(times, one))
    value = _makespan(times, order)
    assert solved.bound is not None
    return BoundedAnswer(int(solved.bound), value, order, solved.solver, solved.version, solved.seconds)


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


def _searched(times: Sequence[Sequence[int]], started: float, seconds: float, answer: Json) -> BoundedAnswer:
    """The arithmetic bound and the best order that insertions find: the model of pairs would be too large."""
    known: Any = answer
    deadline = started + seconds
    order = list(known) if known else inserted(times, deadline)
    best = list(order)
    value = _makespan(times, order)
    bound = lower_bound(times)
    stream = random.Random(0)
    while value > bound and time.monotonic() < deadline:
        trial = list(best)
        out = [trial.pop(stream.randrange(len(trial))) for _ in range(min(4, len(trial) - 1))]
        for job in out:
            trial.insert(best_place(times, trial, job), job)
        made = _makespan(times, trial)
        if made <= value:
            best = trial
            value = made
    return BoundedAnswer(bound, value, best, "insertions", "1", time.monotonic() - started)


def inserted(times: Sequence[Sequence[int]], deadline: float = inf) -> list[int]:
    """The insertion heuristic of Nawaz, Enscore and Ham, to start from.

    Args:
        times: one row per job.
        deadline: on the monotonic clock, seconds; jobs that are left then come last.
    """
    order: list[int] = []
    for job in sorted(range(len(times)), key=lambda j: -sum(times[j])):
        place = len(order) if time.monotonic() > deadline else best_place(times, order, job)
        order.insert(place, job)
    return order


def best_place(times: Sequence[Sequence[int]], order: Sequence[int], job: int) -> int:
    """The first place of an order at which a job makes the makespan least, all places in one pass.

    E. Taillard 1990, doi:10.1016/0377-2217(90)90090-X: ends of the jobs from the front, tails from the back.
    """
    machines = range(len(times[0]))
    tails = [[0] * len(machines)]
    for other in reversed(order):
        tail = 0
        row = [0] * len(machines)
        later = tails[-1]
        for k in reversed(machines):
            tail = max(tail, later[k]) + times[other][k]
            row[k] = tail
        tails.append(row)
    tails.reverse()
    ends = [0] * len(machines)
    best = place = -1
    for here, rest in enumerate(tails):
        end = longest = 0
        for free, time_, tail in zip(ends, times[job], rest, strict=True):
            end = (end if end > free else free) + time_
            longest = max(longest, end + tail)
        if best < 0 or longest < best:
            best = longest
            place = here
        if here < len(order):
            end = 0
            for k, time_ in enumerate(times[order[here]]):
                end = (end if end > ends[k] else ends[k]) + time_
                ends[k] = end
    return place


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
