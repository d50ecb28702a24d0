"""Clusters against all fillings of each machine, CP-SAT's optimum with all known, and minutes one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from gapsmith.evaluators.cluster.references import machine_values


def _fleet(stream: random.Random, machines: int) -> dict[str, Any]:
    return {
        "cpu": 16,
        "memory": 32,
        "free_cpu": [stream.randint(4, 10) for _ in range(machines)],
        "free_memory": [stream.randint(20, 32) for _ in range(machines)],
    }


def _best_filling(public: dict[str, Any], types: list[tuple[int, int]], cpu: int, memory: int) -> int:
    """Largest weight of jobs of these types, any number of each, that one machine holds."""

    @cache
    def best(cpu: int, memory: int) -> int:
        weights = [0]
        for x, y in types:
            if x <= cpu and y <= memory:
                weights.append(x * public["memory"] + y * public["cpu"] + best(cpu - x, memory - y))
        return max(weights)

    return best(cpu, memory)


def _clairvoyant(public: dict[str, Any], jobs: list[list[int]]) -> int:
    """Largest weight of jobs that fit the machines, if all are known."""
    from ortools.sat.python import cp_model

    model, machines = cp_model.CpModel(), range(len(public["free_cpu"]))
    on = [[model.new_bool_var("") for _ in machines] for _ in jobs]
    for row in on:
        model.add_at_most_one(row)
    for m in machines:
        for place, room in enumerate(("free_cpu", "free_memory")):
            model.add(sum(job[place] * row[m] for job, row in zip(jobs, on, strict=True)) <= public[room][m])
    weights = [job[0] * public["memory"] + job[1] * public["cpu"] for job in jobs]
    model.maximize(sum(weight * x for weight, row in zip(weights, on, strict=True) for x in row))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize("name", ["cluster-scheduling"])
def test_weights_of_all_fillings(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any
) -> None:
    """Four machines: the bound is the sum of their best fillings or all jobs, the optimum at most that."""
    kinds = [[stream.randint(1, 9), stream.randint(1, 20)] for _ in range(5)]
    for jobs in ([stream.choice(kinds) for _ in range(5)], [stream.choice(kinds) for _ in range(24)]):
        public = _fleet(stream, 4)
        types = sorted({(x, y) for x, y in jobs})
        rooms = zip(public["free_cpu"], public["free_memory"], strict=True)
        fillings = [_best_filling(public, types, *room) for room in rooms]
        everything = sum(x * public["memory"] + y * public["cpu"] for x, y in jobs)
        reference = prove(name, drawn(public, {"jobs": jobs}))
        assert machine_values(public, jobs) == fillings
        assert (reference.kind, reference.value) == ("bound", min(sum(fillings), everything))
        assert _clairvoyant(public, jobs) <= reference.value


@pytest.mark.parametrize("name", ["cluster-churn"])
def test_weight_of_each_minute(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """The bound is the sum over all minutes of the offered jobs or the fleet; first fit is not above it."""
    public, jobs = _fleet(stream, 3), list[list[int]]()
    for arrival in sorted(stream.randrange(70) for _ in range(40)):
        end = arrival + stream.randint(1, 25)
        jobs.append([arrival, end, stream.randint(1, 6), stream.randint(1, 12), 10])
    total = 0
    for minute in range(60):
        alive = [job for job in jobs if job[0] <= minute < job[1]]
        cpu = min(sum(job[2] for job in alive), sum(public["free_cpu"]))
        memory = min(sum(job[3] for job in alive), sum(public["free_memory"]))
        total += cpu * public["memory"] + memory * public["cpu"]
    instance = drawn(public, {"horizon": 60, "jobs": jobs})
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("bound", total)
    placed = list[tuple[list[int], int]]()
    for job in jobs:
        for machine in range(3):
            there = [other for other, m in placed if m == machine and other[1] > job[0]]
            rooms = ((2, "free_cpu"), (3, "free_memory"))
            if all(sum(o[k] for o in there) + job[k] <= public[room][machine] for k, room in rooms):
                placed.append((job, machine))
                break
    worth = sum(
        (job[2] * public["memory"] + job[3] * public["cpu"]) * max(0, min(job[1], 60) - job[0])
        for job, _ in placed
    )
    assert objective(name, instance, [machine for _, machine in placed]) == worth <= total
