"""Unrelated machines with setups: optima over all subsets of few jobs; of more, CP-SAT over circuits."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...problems.base import Instance, Json
from ...problems.shops.unrelated_machines import judge, loads
from ...problems.shops.unrelated_machines import unrelated_machines as problem
from ..base import Plugin, Reference
from ..classics.references import BoundedAnswer, StoppableReferences
from ..toolbox import Solved, solve_cpsat, stop_cpsat

if TYPE_CHECKING:
    import numpy as np
    from ortools.sat.python import cp_model

MOST_ARCS = 150_000
"""Machines times jobs squared up to which CP-SAT gets a circuit for each machine."""
MOST_STAYS = 20_000
"""Machines times jobs up to which CP-SAT gets an assignment with least setups."""
MOST_STATES = 5_000_000
"""Subsets times jobs times machines up to which the proof goes through all of them."""
_DENSE = 64
"""Subsets from which a join is divided at the last job."""
STEPS = 3_000
"""Of the search for a plan (count)."""
SHARE = 0.25
"""Of the time, for the assignment with least setups."""
Plan = list[list[int]]
Arc = tuple[int, int, int]
"""Machine, job before and job after, `n` for none."""


@dataclass(frozen=True, slots=True)
class MachinesModel:
    """A model and its arcs: the literal of job k directly behind job j on machine i."""

    model: cp_model.CpModel
    arcs: dict[Arc, cp_model.IntVar]


def circuits_model(public: Mapping[str, Any], plan: Plan, least: int = 0, spare: int = 0) -> MachinesModel:
    """Plans no longer than a good one, one circuit of the jobs for each machine; the makespan is minimised.

    Args:
        public: `times` and `setups`.
        plan: a good plan, which bounds the makespan and starts the search.
        least: a proven lower bound of the makespan.
        spare: time units by which plans may be longer.
    """
    from ortools.sat.python import cp_model

    times = public["times"]
    setups = public["setups"]
    n = len(times[0])
    upper = max(loads(public, plan)) + spare
    model = cp_model.CpModel()
    makespan = model.new_int_var(least, upper, "makespan")
    arcs: dict[Arc, cp_model.IntVar] = {}
    on = [[model.new_bool_var(f"job {k} on {i}") for k in range(n)] for i in range(len(times))]
    for i, (row, between) in enumerate(zip(times, setups, strict=True)):
        chosen = []
        work = []
        for j in range(n + 1):
            for k in range(n + 1):
                if j == k:
                    continue
                literal = arcs[i, j, k] = model.new_bool_var(f"{i}: {j} {k}")
                chosen.append((j, k, literal))
                if k < n:
                    work.append((row[k] + (between[j][k] if j < n else 0)) * literal)
        chosen += [(k, k, on[i][k].negated()) for k in range(n)]
        chosen.append((n, n, model.new_bool_var(f"{i} is idle")))
        model.add_circuit(chosen)
        model.add(sum(work) <= makespan)
    for k in range(n):
        model.add_exactly_one(stays[k] for stays in on)
    _hint(model, arcs, plan, n)
    model.minimize(makespan)
    return MachinesModel(model, arcs)


def _hint(model: cp_model.CpModel, arcs: Mapping[Arc, cp_model.IntVar], plan: Plan, n: int) -> None:
    """Starts the search at a plan."""
    used = set[Arc]()
    for i, jobs in enumerate(plan):
        route = [n, *jobs, n] if jobs else []
        used |= {(i, j, k) for j, k in pairwise(route)}
    for arc, literal in arcs.items():
        model.add_hint(literal, arc in used)


def stays_model(public: Mapping[str, Any]) -> cp_model.CpModel:
    """The relaxation without an order: every job but one of a machine pays its least setup there.

    Once as the least setup before a job, and once as the least one behind it: both sums are below each
    machine's setups, whatever the order.
    """
    from ortools.sat.python import cp_model

    times = public["times"]
    n = len(times[0])
    model = cp_model.CpModel()
    upper = max(map(sum, times)) + n * max(max(map(max, between)) for between in public["setups"])
    makespan = model.new_int_var(0, upper, "makespan")
    on = [[model.new_bool_var("") for _ in range(n)] for _ in times]
    for row, between, stays in zip(times, public["setups"], on, strict=True):
        work = sum(row[k] * stays[k] for k in range(n))
        for least in least_setups(between):
            free = [model.new_bool_var("") for _ in range(n)]
            model.add_at_most_one(free)
            for k in range(n):
                model.add_implication(free[k], stays[k])
            setups = sum(least[k] * (stays[k] - free[k]) for k in range(n))
            model.add(work + setups <= makespan)
    for k in range(n):
        model.add_exactly_one(stays[k] for stays in on)
    model.minimize(makespan)
    return model


def least_setups(between: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Least setup before each job, and behind each job, on one machine; 0 if there is only one job."""
    jobs = range(len(between))
    before = [min((between[j][k] for j in jobs if j != k), default=0) for k in jobs]
    behind = [min((between[j][k] for k in jobs if j != k), default=0) for j in jobs]
    return before, behind


def arithmetic_bound(public: Mapping[str, Any]) -> int:
    """The longest of the jobs' least times, and the mean load if each job is where it takes least.

    A job takes at least its time there and the least setup before it; on each machine the largest least
    setup may be saved, by the job that is first.
    """
    times = public["times"]
    least = [least_setups(between)[0] for between in public["setups"]]
    jobs = range(len(times[0]))
    stays = sum(min(row[k] + before[k] for row, before in zip(times, least, strict=True)) for k in jobs)
    mean: int = -(-(stays - sum(map(max, least))) // len(times))
    alone: int = max(min(row[k] for row in times) for k in jobs)
    return max(mean, alone)


def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int = 0) -> BoundedAnswer:
    """The optimum of few jobs over all their subsets; of more, what `searched` says."""
    if not _few(public):
        return searched(public, seconds, answer, spare)
    started = time.monotonic()
    plan: Any = subsets_plan(public)
    value = max(loads(public, plan))
    return BoundedAnswer(value, value, plan, "subsets", "1", time.monotonic() - started)


def _few(public: Mapping[str, Any]) -> bool:
    """Whether all subsets of the jobs fit in memory and time."""
    jobs = len(public["times"][0])
    return jobs < 20 and len(public["times"]) * jobs << jobs <= MOST_STATES


def searched(public: Mapping[str, Any], seconds: float, answer: Json = None, spare: int = 0) -> BoundedAnswer:
    """The best plan, and the strongest bound of arithmetic, least setups and circuits; one worker."""
    started = time.monotonic()
    known: Any = answer
    times = public["times"]
    size = len(times) * len(times[0])
    plan: Plan = [list(jobs) for jobs in known] if known else inserted(public, range(len(times[0])))
    plan = improved(public, plan, started + SHARE * seconds)
    bound = arithmetic_bound(public)
    solver = "arithmetic"
    version = "1"
    if max(loads(public, plan)) > bound and size <= MOST_STAYS:
        solved = solve_cpsat(stays_model(public), seconds=SHARE * seconds, known_bound=bound)
        bound = int(solved.bound or bound)
        solver = solved.solver
        version = solved.version
    if max(loads(public, plan)) > bound and size * len(times[0]) <= MOST_ARCS:
        left = max(0.5, seconds - (time.monotonic() - started))
        circuits = circuits_model(public, plan, bound, spare)
        solved = solve_cpsat(circuits.model, seconds=left, known_bound=bound)
        bound = int(solved.bound or bound)
        if solved.solution is not None:
            plan = min(_plan(circuits, solved, public), plan, key=lambda one: max(loads(public, one)))
    value = max(loads(public, plan))
    answered: Any = plan
    return BoundedAnswer(bound, value, answered, solver, version, time.monotonic() - started)


def stop(public: Mapping[str, Any], effort: float) -> tuple[Solved, Json]:
    """CP-SAT's best plan after deterministic seconds; it starts from insertions."""
    start = inserted(public, range(len(public["times"][0])))
    circuits = circuits_model(public, start)
    solved = stop_cpsat(circuits.model, effort, arithmetic_bound(public))
    plan: Any = None if solved.solution is None else _plan(circuits, solved, public)
    return solved, plan


def _plan(circuits: MachinesModel, solved: Solved, public: Mapping[str, Any]) -> Plan:
    """The jobs of each machine along its circuit."""
    n = len(public["times"][0])
    after = {(i, j): k for (i, j, k), literal in circuits.arcs.items() if solved[literal]}
    plan: Plan = []
    for i in range(len(public["times"])):
        jobs = list[int]()
        job = after.get((i, n), n)
        while job != n:
            jobs.append(job)
            job = after[i, job]
        plan.append(jobs)
    return plan


def inserted(public: Mapping[str, Any], jobs: Sequence[int], plan: Plan | None = None) -> Plan:
    """Jobs put into a plan one after the other, each where its machine then ends earliest."""
    made: Plan = [list(row) for row in plan] if plan else [[] for _ in public["times"]]
    ends = loads(public, made)
    for job in jobs:
        end, i, place = min(
            (ends[i] + growth, i, place)
            for i in range(len(made))
            for place, growth in enumerate(_growths(public, i, made[i], job))
        )
        made[i].insert(place, job)
        ends[i] = end
    return made


def _growths(public: Mapping[str, Any], machine: int, jobs: Sequence[int], job: int) -> list[int]:
    """By how much a machine ends later with a job at each place, time units."""
    between = public["setups"][machine]
    found = []
    for place in range(len(jobs) + 1):
        growth = public["times"][machine][job]
        before = jobs[place - 1] if place else None
        after = jobs[place] if place < len(jobs) else None
        growth += 0 if before is None else between[before][job]
        growth += 0 if after is None else between[job][after]
        growth -= 0 if before is None or after is None else between[before][after]
        found.append(growth)
    return found


def improved(public: Mapping[str, Any], plan: Plan, deadline: float) -> Plan:
    """The best plan when some jobs, again and again, are taken out and inserted, up to a monotonic time."""
    stream = random.Random(0)
    jobs = range(len(public["times"][0]))
    best = plan
    value = sorted(loads(public, plan), reverse=True)
    for _ in range(STEPS):
        if time.monotonic() > deadline:
            break
        out = stream.sample(jobs, min(len(jobs), stream.randint(2, 6)))
        trial = inserted(public, out, [[j for j in row if j not in out] for row in best])
        made = sorted(loads(public, trial), reverse=True)
        if made <= value:
            best = trial
            value = made
    return best


def subsets_plan(public: Mapping[str, Any]) -> Plan:
    """A plan of least makespan over all subsets of the jobs, in integers and without a solver.

    For each machine the shortest order of each subset (M. Held and R. M. Karp 1962, doi:10.1137/0110015),
    then machine by machine the best split of each subset between the machines before and the next one.
    """
    import numpy as np

    times = np.array(public["times"], dtype=np.int64)
    setups = np.array(public["setups"], dtype=np.int64)
    tables = [_ends(row, between) for row, between in zip(times, setups, strict=True)]
    shortest = [table.min(axis=1) for table in tables]
    joined = [shortest[0]]
    for row in shortest[1:-1]:
        joined.append(_joined(joined[-1], row))
    subset = len(shortest[0]) - 1
    plan: Plan = []
    for i in reversed(range(len(tables))):
        part = subset
        if i:
            parts = _parts(subset)
            makespans = np.maximum(shortest[i][parts], joined[i - 1][subset ^ parts])
            part = int(parts[makespans.argmin()])
        plan.insert(0, _order(tables[i], part, times[i], setups[i]))
        subset ^= part
    return plan


def _ends(times: np.ndarray, setups: np.ndarray) -> np.ndarray:
    """Subsets (bit k for job k) × last jobs: the least load of one machine; 0 for the empty subset."""
    import numpy as np

    n = len(times)
    ends = np.full((1 << n, n), np.iinfo(np.int64).max // 4)
    ends[0] = 0
    ends[1 << np.arange(n), np.arange(n)] = times
    numbers = np.arange(1 << n)
    sizes = sum(numbers >> k & 1 for k in range(n))
    for size in range(1, n):
        layer = np.flatnonzero(sizes == size)
        for k in range(n):
            without = layer[(layer >> k & 1) == 0]
            ends[without | 1 << k, k] = (ends[without] + setups[:, k]).min(axis=1) + times[k]
    return ends


def _order(ends: np.ndarray, subset: int, times: np.ndarray, setups: np.ndarray) -> list[int]:
    """The order of a subset that has its least load, from the last job to the first."""
    jobs = list[int]()
    costs = ends[subset]
    while subset:
        job = int(costs.argmin())
        jobs.insert(0, job)
        subset ^= 1 << job
        costs = ends[subset] + setups[:, job]
    return jobs


def _parts(subset: int) -> np.ndarray:
    """All subsets of a subset."""
    import numpy as np

    parts = np.zeros(1, dtype=np.int64)
    while subset:
        bit = subset & -subset
        parts = np.concatenate([parts, parts | bit])
        subset -= bit
    return parts


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """For each subset the least makespan if it is split between two groups of machines."""
    import numpy as np

    half = len(first) // 2
    if half < _DENSE:
        parts, rests, begins = _splits(len(first))
        return np.minimum.reduceat(np.maximum(first[parts], second[rests]), begins)
    with_last = np.minimum(_joined(first[half:], second[:half]), _joined(first[:half], second[half:]))
    return np.concatenate([_joined(first[:half], second[:half]), with_last])


@cache
def _splits(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each subset below a power of two with all its parts: the parts, what is left, where a subset begins."""
    import numpy as np

    parts = [_parts(subset) for subset in range(count)]
    rests = [subset ^ part for subset, part in enumerate(parts)]
    begins = np.cumsum([0, *map(len, parts[:-1])])
    return np.concatenate(parts), np.concatenate(rests), begins


@dataclass(frozen=True)
class MachinesReferences(StoppableReferences):
    """References of unrelated machines; those over subsets are proved again by circuits."""

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """CP-SAT's optimum or bound of few jobs, from insertions on: the value that ships is not used.

        Larger instances are solved again from one unit above the answer that ships.

        Raises:
            ValueError: the shipped answer does not attain its optimum, or is beyond the bound that ships or
                was computed now.
        """
        if not _few(instance.public):
            return super().reprove(instance, reference, seconds)
        proof = self.certificate(instance)
        made = searched(instance.public, seconds)
        self._check(instance, made.answer, made.value, made.bound)
        if proof is not None:
            value = int(proof.reference.value)
            self._check(instance, proof.answer, value if proof.optimal else None, max(value, made.bound))
        return made.reference(f"proved again: {seconds:g} s")


REFERENCES = MachinesReferences("unrelated-machines", "subsets and circuits 1", solve, judge, stop=stop)
unrelated_machines = Plugin(problem, REFERENCES)
