"""The models for the solvers: brute force = decomposition = positional MIP = CP-SAT."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.smtt.decomposition import Decomposition
from gapsmith.evaluators.toolbox import SolveStatus, solve_cpsat, solve_mip
from gapsmith.evaluators.toolbox.runners import cbc_program

MODELS = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "smtt_models.py"))
big_m_model, interval_model = MODELS["big_m_model"], MODELS["interval_model"]
linear_bound, positional_model = MODELS["linear_bound"], MODELS["positional_model"]

Public = dict[str, list[int]]
Draw = Callable[..., Iterator[Public]]
Brute = Callable[[Public], int]


def by_highs(model: Any) -> int:
    """Optimum of a PuLP model by HiGHS, in this process: thousands of tiny models need no process each."""
    import pulp

    model.solve(pulp.HiGHS(msg=False, gapRel=0, threads=1))
    assert pulp.LpStatus[model.status] == "Optimal"
    return round(pulp.value(model.objective))


def by_cpsat(model: Any) -> int:
    """Optimum of a CP-SAT model, in this process."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


def all_agree(public: Public, optimum: int) -> None:
    """The four methods give the same value."""
    assert Decomposition(public["processing_times"], public["due_dates"]).value() == optimum
    assert by_highs(positional_model(public)) == optimum
    assert by_cpsat(interval_model(public)) == optimum


def test_four_methods_agree(draw: Draw, brute: Brute) -> None:
    """On 60 seeded instances with ties, zero and negative slack."""
    for public in draw(60, 6, seed=11):
        all_agree(public, brute(public))


@pytest.mark.slow
def test_four_methods_agree_on_many(draw: Draw, brute: Brute) -> None:
    """On 500 seeded instances of up to 7 jobs."""
    for public in draw(500, 7, seed=12):
        all_agree(public, brute(public))


def test_weighted_models_agree(draw: Draw, brute: Brute) -> None:
    """CP-SAT takes weights; so does the published model."""
    for public in draw(15, 5, seed=13, weighted=True):
        assert by_cpsat(interval_model(public)) == brute(public)


def test_the_published_model_and_its_cut_lose_no_optimum(draw: Draw, brute: Brute) -> None:
    """With the cut correctly indexed the optimum stays; CBC, because HiGHS 1.14.0 errs on such models."""
    import pulp

    for public in draw(8, 4, seed=14, weighted=True):
        for cut in (False, True):
            model = big_m_model(public, cut)
            model.solve(pulp.COIN_CMD(path=cbc_program(), msg=False))
            assert round(pulp.value(model.objective)) == brute(public)


@pytest.mark.slow
def test_through_the_toolbox(draw: Draw, brute: Brute) -> None:
    """The toolbox proves the same optimum with each solver, and the linear bound is below it."""
    public = next(p for p in draw(50, 6, seed=15) if len(p["due_dates"]) == 6)
    optimum = brute(public)
    for solved in (
        solve_mip(positional_model(public), seconds=20, integral_objective=True),
        solve_mip(positional_model(public), seconds=20, integral_objective=True, solver="cbc"),
        solve_cpsat(interval_model(public), seconds=20),
    ):
        assert (solved.status, solved.value) == (SolveStatus.OPTIMUM, optimum)
    bound = linear_bound(public, seconds=20)
    assert bound is not None
    assert 0 <= bound <= optimum
