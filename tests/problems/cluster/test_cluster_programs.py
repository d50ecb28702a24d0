"""Shipped schedulers: choices by hand, symmetries, bounds against brute force, and the instances."""

from __future__ import annotations

import random
import runpy
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.cluster import cluster_scheduling
from gapsmith.evaluators.cluster.references import machine_values, upper_bound
from gapsmith.problems.base import canonical_json
from gapsmith.problems.cluster.verification import Fleet, judge, replay, stranded, weight
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from gapsmith.sandbox.slot import open_sandbox
from hypothesis import given, settings
from hypothesis import strategies as st

fleet_model = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "fleet_model.py"))["fleet_model"]
PROBLEM: Any = cluster_scheduling.problem()
PROGRAMS = PROBLEM.baselines()


def make(name: str, cpu: int = 4, memory: int = 16, machines: int = 3) -> Any:
    """A scheduler of a shipped program."""
    scope: dict[str, Any] = {}
    exec(PROGRAMS[name], scope)
    return scope["Scheduler"](cpu, memory, machines)


def run(name: str, public: Any, jobs: Sequence[Sequence[int]]) -> list[int]:
    """The decisions of a shipped program, asked by the driver."""
    loop: dict[str, Any] = {}
    exec(PROBLEM.driver, loop)
    scope: dict[str, Any] = {}
    exec(PROGRAMS[name], scope)
    from gapsmith.problems.cluster.dialogue import JobArrivals

    dialogue, last = JobArrivals(Fleet(public), jobs), [b""]
    loop["drive"](
        scope["Scheduler"], public, lambda: dialogue.next(last[0]), lambda line: last.__setitem__(0, line)
    )
    return dialogue.answer()  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "machine"),
    [
        ("first-fit", 0),
        ("best-fit", 2),
        ("worst-fit", 0),
        ("l2", 1),
        ("dot-product", 0),
        ("cosine", 1),
        ("balance", 1),
        ("alphaevolve", 0),
    ],
)
def test_choices_by_hand(name: str, machine: int) -> None:
    """A job of 1 and 4 on machines with (4, 12), (2, 8) and (1, 10) free of 4 and 16."""
    assert make(name).place(1, 4, [4, 2, 1], [12, 8, 10]) == machine


def test_alphaevolves_value_is_the_published_one() -> None:
    """A job of 8 and 16 on a machine with 16 and 64 free: −(1/2 + 1/4 + 1/2 + 2) = −3.25."""
    text = PROGRAMS["alphaevolve"].replace("        best = -1\n", "        return score(16, 64)\n", 1)
    scope: dict[str, Any] = {}
    exec(text, scope)
    assert scope["Scheduler"](64, 256, 1).place(8, 16, [16], [64]) == -3.25


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_zeros_do_no_harm(name: str) -> None:
    """Demands and rooms of a file may be 0."""
    scheduler = make(name)
    assert scheduler.place(0, 0, [0, 0, 4], [0, 16, 0]) in (0, 1, 2)
    assert scheduler.place(0, 3, [0, 0, 4], [0, 16, 0]) == 1


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_scaled_units_and_exchanged_resources_change_nothing(data: Any) -> None:
    """Cpu times a power of two gives the same decisions; cpu and memory exchanged too, but for ties."""
    machines = data.draw(st.integers(1, 5))
    free_cpu = [data.draw(st.integers(0, 8)) for _ in range(machines)]
    free_memory = [data.draw(st.integers(0, 8)) for _ in range(machines)]
    size = st.tuples(st.integers(1, 4), st.integers(1, 4))
    jobs = [list(job) for job in data.draw(st.lists(size, max_size=12))]
    public = {"cpu": 8, "memory": 8, "free_cpu": free_cpu, "free_memory": free_memory}
    wide = {**public, "cpu": 32, "free_cpu": [4 * x for x in free_cpu]}
    for name in PROGRAMS:
        decisions = run(name, public, jobs)
        value = judge(public, jobs, decisions).objective  # type: ignore[arg-type]
        assert value is not None
        assert value <= upper_bound(public, jobs)
        if name in ("first-fit", "best-fit", "worst-fit", "balance"):
            assert run(name, wide, [[4 * c, m] for c, m in jobs]) == decisions, name
        if name == "first-fit":
            swapped = {**public, "free_cpu": free_memory, "free_memory": free_cpu}
            assert run(name, swapped, [job[::-1] for job in jobs]) == decisions


def test_the_bound_is_above_every_assignment() -> None:
    """Small fleets: all assignments, also with refusals; the model's optimum is the best of them."""
    from ortools.sat.python import cp_model

    stream = random.Random(3)
    for _ in range(25):
        free = [(stream.randint(0, 5), stream.randint(0, 6)) for _ in range(2)]
        jobs = [[stream.randint(1, 3), stream.randint(0, 3)] for _ in range(5)]
        public = {
            "cpu": 5,
            "memory": 6,
            "free_cpu": [f[0] for f in free],
            "free_memory": [f[1] for f in free],
        }
        best = 0
        for places in product(range(3), repeat=len(jobs)):
            loads = [
                [sum(job[k] for job, place in zip(jobs, places, strict=True) if place == m) for k in (0, 1)]
                for m in range(2)
            ]
            if all(load[0] <= f[0] and load[1] <= f[1] for load, f in zip(loads, free, strict=True)):
                chosen = [job for job, place in zip(jobs, places, strict=True) if place < 2]
                best = max(best, sum(weight(public, job) for job in chosen))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        assert solver.solve(fleet_model(public, jobs)) == cp_model.OPTIMAL
        assert solver.objective_value == best <= upper_bound(public, jobs)
        for room, value in zip(free, machine_values(public, jobs), strict=True):
            assert knapsack(public, room, jobs) == value


def knapsack(public: Any, room: tuple[int, int], jobs: Any) -> int:
    """Best weight of any number of jobs of these types in a machine, by recursion."""
    values = [
        weight(public, job) + knapsack(public, (room[0] - job[0], room[1] - job[1]), jobs)
        for job in jobs
        if job[0] <= room[0] and job[1] <= room[1]
    ]
    return max(values, default=0)


def test_large_units_use_all_room_as_bound() -> None:
    """Where the table would have too many cells, a machine counts with all its free room."""
    public = {"cpu": 10**9, "memory": 10**9, "free_cpu": [10**9, 5], "free_memory": [10**9, 7]}
    jobs = [[3, 7], [10**9, 1], [10**9, 10**9]]
    assert machine_values(public, jobs) == [2 * 10**18, 12 * 10**9]
    assert upper_bound(public, [[3, 7]]) == 10 * 10**9


def test_a_queue_nearly_fills_its_fleet() -> None:
    """Demand stays within the free room of both resources and uses most of one; the bound is close to it."""
    for instance in PROBLEM.instances("valid", 5):
        jobs = instance.hidden["jobs"]
        demand = [sum(job[k] for job in jobs) for k in (0, 1)]
        rooms = sum(instance.public["free_cpu"]), sum(instance.public["free_memory"])
        assert demand[0] <= rooms[0]
        assert demand[1] <= rooms[1]
        assert max(demand[0] / rooms[0], demand[1] / rooms[1]) > 0.9
        reference = cluster_scheduling.references.reference(instance, 1)  # type: ignore[union-attr]
        assert reference.kind is ReferenceKind.BOUND
        assert reference.value <= sum(weight(instance.public, job) for job in jobs)


@pytest.mark.slow
def test_a_secret_changes_fleets_and_queues() -> None:
    """Two secrets differ in every instance; one secret repeats, and the strata stay."""
    public, one = PROBLEM.instances("train", 1), PROBLEM.keyed("aa").instances("train", 1)
    assert [i.digest for i in one] == [i.digest for i in PROBLEM.keyed("aa").instances("train", 1)]
    other = PROBLEM.keyed("bb").instances("train", 1)
    assert not {i.digest for i in one} & {i.digest for i in [*other, *public]}
    assert [i.stratum for i in one] == [i.stratum for i in public]


def test_what_is_stranded_cannot_take_a_job() -> None:
    """Free room on machines that no job of the queue fits, and none of it takes a job."""
    instance = PROBLEM.instances("train", 1)[0]
    jobs = instance.hidden["jobs"]
    fleet, placed = replay(instance.public, jobs, run("best-fit", instance.public, jobs))  # type: ignore[arg-type]
    cpu, memory = stranded(fleet, jobs)
    assert cpu + memory > 0
    assert cpu <= sum(fleet.free_cpu)
    assert sum(job[0] for _, job in placed) + sum(fleet.free_cpu) == sum(instance.public["free_cpu"])


def test_every_program_answers_in_the_sandbox() -> None:
    """Baselines give valid answers under the default limits; the start program is among them."""
    instance = PROBLEM.instances("train", 1)[1]
    public = canonical_json(dict(instance.public)).encode()
    assert set(PROBLEM.start_programs().items()) <= set(PROGRAMS.items())
    with open_sandbox() as slot:
        for name, text in PROGRAMS.items():
            program = Program({"heuristic.py": text}, PROBLEM.entry_point, PROBLEM.driver)
            execution = slot.execute(program, public, Limits(), 1, PROBLEM.dialogue(instance))
            assert execution.status is ExecutionStatus.OK, (name, execution.error)
            assert execution.answer == run(name, instance.public, instance.hidden["jobs"])
