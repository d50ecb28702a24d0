"""What is made of a solver's report on a mixed-integer model; the report is written by the test."""

from __future__ import annotations

from typing import Any

import pulp
import pytest
from gapsmith.evaluators.toolbox import Solved, SolverModelError, SolveStatus, cpsat, mip
from gapsmith.evaluators.toolbox.process import WorkerReport


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Solves a model with a report in place of a solver's run."""

    def run(model: pulp.LpProblem, integral: bool = True, known: Any = None, **report: Any) -> Solved:
        given = WorkerReport(**({"ended": "optimal", "version": "1"} | report))
        monkeypatch.setattr(mip, "run_worker", lambda *_: given)
        return mip.solve_mip(model, seconds=1, integral_objective=integral, known_bound=known)

    return run


def _model(sense: int, kind: str = "Integer", factor: float = 1) -> pulp.LpProblem:
    """Two variables, 2a + b between 3 and 5, objective 3a + 2b + 4."""
    model = pulp.LpProblem("small", sense)
    a = model.add_variable("a", 0, 9, "Integer")
    b = model.add_variable("b", 0, 9, kind)
    model += 3 * a + 2 * b + 4
    model += 2 * a + factor * b >= 3
    model += 2 * a + factor * b <= 5
    return model


@pytest.mark.parametrize(("sense", "bounds"), [(pulp.LpMinimize, (9.4, 10)), (pulp.LpMaximize, (-10.6, 10))])
def test_values_and_bounds_in_the_models_sense(reported: Any, sense: int, bounds: Any) -> None:
    """The objective is computed again from rounded integers, the bound is rounded to the safe side."""
    solved = reported(_model(sense), value=99.0, bound=bounds[0], solution=[2.0000001, 0.0])
    assert (solved.value, solved.bound, solved.solution) == (10, bounds[1], [2, 0])
    assert solved.status is SolveStatus.OPTIMUM
    assert solved.command == "1 s, 1 worker, seed 0"


@pytest.mark.parametrize(
    ("solution", "used"), [([1, 1], True), ([2, 1], True), ([1, 0], False), ([2, 2], False), ([3, 0], False)]
)
def test_rows_hold_for_whole_solutions(reported: Any, solution: list[int], used: bool) -> None:
    """A row that a whole solution breaks by one is broken; at its limits it holds."""
    solved = reported(_model(pulp.LpMinimize), bound=4.0, solution=solution)
    assert (solved.solution is not None) == used
    assert ("breaks a row" in solved.note) == (not used)
    if used:
        assert solved.value == 3 * solution[0] + 2 * solution[1] + 4


@pytest.mark.parametrize(
    ("third", "used"), [(0.0, True), (-2e-5, True), (-9e-5, False), (4.00002, True), (4.00009, False)]
)
def test_rows_hold_within_a_tolerance_of_fractions(reported: Any, third: float, used: bool) -> None:
    """With a fractional variable a hundred-thousandth of the largest term is allowed."""
    model = _model(pulp.LpMinimize, "Continuous", 0.5)
    solved = reported(model, integral=False, bound=0.0, solution=[1, 2.0 + third])
    assert (solved.solution is not None) == used
    assert solved.value is None or isinstance(solved.value, float)


def test_only_whole_solutions_refute_a_bound(reported: Any) -> None:
    """A better solution in integers makes the caller's bound an error, one with fractions is dropped."""
    with pytest.raises(SolverModelError, match="known_bound 11"):
        reported(_model(pulp.LpMinimize), known=11, solution=[2, 0])
    solved = reported(_model(pulp.LpMinimize, "Continuous"), known=11, solution=[2, 0.0])
    assert (solved.value, solved.bound) == (None, 11)
    assert reported(_model(pulp.LpMinimize), known=10, solution=[2, 0]).status is SolveStatus.OPTIMUM


def test_an_objective_that_is_no_integer(reported: Any) -> None:
    """Where the caller says integer, a half is an error, and noise is rounded."""
    model = _model(pulp.LpMinimize, "Continuous")
    with pytest.raises(SolverModelError, match="expected an integer"):
        reported(model, solution=[1, 1.25])
    assert reported(model, solution=[1, 1.00001]).value == 9
    assert reported(model, integral=False, solution=[1, 1.25]).value == 9.5
    model.setObjective(10**6 * model.variables()[1] + 4)
    assert reported(model, solution=[1, 1.0000000005]).value == 10**6 + 4
    with pytest.raises(SolverModelError, match="expected an integer"):
        reported(model, solution=[1, 1.0000000015])


def test_models_that_are_refused(reported: Any) -> None:
    """No optimum, and two variables with one name."""
    with pytest.raises(SolverModelError, match="unbounded"):
        reported(_model(pulp.LpMinimize), ended="unbounded")
    model = _model(pulp.LpMinimize)
    model.variables()[0].name = "b"
    with pytest.raises(SolverModelError, match="same name"):
        reported(model)


def test_rows_beyond_tolerances_prove_nothing(reported: Any) -> None:
    """The solver's bound is dropped, the caller's stays."""
    model = _model(pulp.LpMinimize)
    a, b = model.variables()
    model += 10**9 * a + b >= 3
    assert not mip.floats_suffice(model)
    assert mip.floats_suffice(_model(pulp.LpMinimize))
    solved = reported(model, bound=10.0, known=8, solution=[2, 0])
    assert (solved.value, solved.bound, solved.status) == (10, 8, SolveStatus.FEASIBLE)


def test_one_thread_is_the_default_of_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of CP-SAT are repeatable unless a caller asks for more threads."""
    from ortools.sat.python import cp_model

    asked: list[Any] = []

    def run(solver: str, text: str, options: Any, seconds: float) -> WorkerReport:
        asked.append(dict(options))
        return WorkerReport(ended="optimal", value=3.0, bound=3.0, solution=[3], version="1")

    monkeypatch.setattr(cpsat, "run_worker", run)
    model = cp_model.CpModel()
    model.minimize(model.new_int_var(3, 9, "a"))
    solved = cpsat.solve_cpsat(model, seconds=1)
    assert asked == [{"workers": 1, "seed": 0}]
    assert (solved.value, solved.bound, solved.status) == (3, 3, SolveStatus.OPTIMUM)
    assert solved.command == "1 s, 1 worker, seed 0"
