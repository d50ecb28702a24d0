"""Unrelated machines with setups against all assignments and all orders."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise, permutations, product
from typing import Any

import pytest
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.shops import unrelated_machines as references


def _all_plans(public: dict[str, Any]) -> tuple[int, list[list[int]]]:
    """The least makespan of all plans, and such a plan: each set of jobs in its best order."""
    times, setups = public["times"], public["setups"]
    best: dict[tuple[int, tuple[int, ...]], tuple[int, tuple[int, ...]]] = {}

    def shortest(i: int, jobs: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        if (i, jobs) not in best:
            best[i, jobs] = min(
                (sum(times[i][k] for k in order) + sum(setups[i][j][k] for j, k in pairwise(order)), order)
                for order in permutations(jobs)
            )
        return best[i, jobs]

    found: list[tuple[int, list[list[int]]]] = []
    for homes in product(range(len(times)), repeat=len(times[0])):
        rows = [shortest(i, tuple(k for k, home in enumerate(homes) if home == i)) for i in range(len(times))]
        found.append((max(load for load, _ in rows), [list(order) for _, order in rows]))
    return min(found)


def _drawn(stream: random.Random, machines: int = 0, jobs: int = 0) -> dict[str, Any]:
    """One to three machines, two to six jobs; setups from none to far beyond the times, zeros among both."""
    machines = machines or stream.randint(1, 3)
    jobs = jobs or stream.randint(2, 6)
    longest = stream.choice((1, 9, 99))
    return {
        "times": [[stream.randint(0, 20) for _ in range(jobs)] for _ in range(machines)],
        "setups": [
            [[stream.randint(0, longest) for _ in range(jobs)] for _ in range(jobs)] for _ in range(machines)
        ],
    }


@pytest.mark.parametrize("name", ["unrelated-machines"])
def test_makespans_of_all_plans(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """The optimum over subsets is the best of all plans; no arithmetic bound is above."""
    # Three machines and seven jobs: subsets are joined in parts.
    for public in [_drawn(stream, 3, 7), *(_drawn(stream) for _ in range(5))]:
        least, plan = _all_plans(public)
        assert objective(name, drawn(public), plan) == least
        reference = prove(name, drawn(public))
        assert (reference.kind, reference.value, reference.solver) == ("optimum", least, "subsets")
        assert references.arithmetic_bound(public) <= least


def test_circuits_and_least_setups(stream: random.Random) -> None:
    """What is solved where the subsets are too many: circuits meet the optimum, the relaxation is below."""
    from ortools.sat.python import cp_model

    for _ in range(3):
        public = _drawn(stream)
        least, plan = _all_plans(public)
        for start in (plan, [list(range(len(public["times"][0]))), *[[] for _ in public["times"][1:]]]):
            solver = cp_model.CpSolver()
            solver.parameters.num_workers = 1
            assert solver.solve(references.circuits_model(public, start, spare=1).model) == cp_model.OPTIMAL
            assert solver.objective_value == least
        assert solver.solve(references.stays_model(public)) == cp_model.OPTIMAL
        assert solver.objective_value <= least


def test_circuits_prove_what_setups_cost() -> None:
    """Where arithmetic and least setups stay below the optimum, the bound of circuits meets it."""
    from ortools.sat.python import cp_model

    public = _drawn(random.Random(10), 2, 5)
    least, _ = _all_plans(public)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(references.stays_model(public)) == cp_model.OPTIMAL
    assert max(references.arithmetic_bound(public), solver.objective_value) < least
    proved = references.searched(public, 20.0)
    assert (proved.bound, proved.value) == (least, least)


def test_the_second_proof_is_another_method(stream: random.Random, drawn: Callable[..., Any]) -> None:
    """A small instance is proved again by CP-SAT, which finds the optimum of all plans."""
    public = _drawn(stream)
    least, _ = _all_plans(public)
    found: Any = load_problem("unrelated-machines").references
    instance = drawn(public)
    again = found.reprove(instance, found.compute(instance, 10.0), 20.0)
    assert (again.kind, again.value) == ("optimum", least)
    assert again.solver in ("cp-sat", "arithmetic")
