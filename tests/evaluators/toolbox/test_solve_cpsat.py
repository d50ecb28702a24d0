"""Constraint models through the toolbox."""

from __future__ import annotations

import random

import pytest
from gapsmith import ReferenceKind, solve_cpsat
from gapsmith.evaluators.toolbox import SolverModelError, SolveStatus
from ortools.sat.python import cp_model


def hard_model(low: int = 0) -> cp_model.CpModel:
    """Market split with slack, shifted by `low`: solutions at once, no proof in seconds."""
    stream, model = random.Random(1), cp_model.CpModel()
    taken = [model.new_bool_var(f"x{i}") for i in range(60)]
    deviations = []
    for _ in range(6):
        shares = [stream.randint(0, 99) for _ in taken]
        total = sum(a * x for a, x in zip(shares, taken, strict=True))
        deviation = model.new_int_var(0, 10_000, "")
        model.add(deviation >= total - sum(shares) // 2)
        model.add(deviation >= sum(shares) // 2 - total)
        deviations.append(deviation)
    model.minimize(sum(deviations) + low)
    return model


def test_optimum_by_variable_name_and_position() -> None:
    """A solved model answers for variables, their negations, names and positions alike."""
    model = cp_model.CpModel()
    a, b = model.new_int_var(0, 5, "a"), model.new_bool_var("")
    model.add(a + b <= 4)
    model.maximize(a + 2 * b)
    solved = solve_cpsat(model, seconds=20)
    assert (solved.status, solved.value, solved.bound) == (SolveStatus.OPTIMUM, 5, 5)
    assert (solved[a], solved["a"], solved[0], solved[b], solved[b.negated()]) == (3, 3, 3, 1, 0)
    assert solved.by_name() == {"a": 3}
    assert solved.as_reference(verified=5).kind is ReferenceKind.OPTIMUM


def test_unknown_carries_no_bound_of_its_own() -> None:
    """A run that ends before it finds anything may say bound 0; for an objective near −1000 that is false."""
    solved = solve_cpsat(hard_model(low=-1000), seconds=0.001)
    assert solved.bound is None or solved.bound <= -1000 + 60
    known = solve_cpsat(hard_model(low=-1000), seconds=0.001, known_bound=-1000)
    assert known.bound >= -1000
    assert known.as_reference().bound == known.bound


@pytest.mark.slow
def test_a_time_limit_gives_a_bound_and_a_solution() -> None:
    """What is not proven is a bound, never an optimum."""
    solved = solve_cpsat(hard_model(), seconds=1)
    assert solved.status is SolveStatus.FEASIBLE
    assert solved.bound < solved.value
    assert solved.as_reference().kind is ReferenceKind.BOUND


def test_feasibility_models_have_value_zero() -> None:
    """Without an objective there is nothing to be better at; infeasible ones say so."""
    model = cp_model.CpModel()
    a = model.new_int_var(0, 5, "a")
    assert solve_cpsat(model, seconds=10).value == 0
    model.add(a >= 7)
    assert solve_cpsat(model, seconds=10).status is SolveStatus.INFEASIBLE


@pytest.mark.slow
def test_a_real_objective_is_never_an_optimum() -> None:
    """CP-SAT scales real objectives; the bound is loosened to the safe side."""
    model = cp_model.CpModel()
    a = model.new_int_var(0, 3, "a")
    model.maximize(0.5 * a)
    solved = solve_cpsat(model, seconds=10)
    assert solved.value == 1.5
    assert solved.bound > 1.5
    assert solved.status is SolveStatus.FEASIBLE


@pytest.mark.slow
def test_an_invalid_model_is_the_authors_error() -> None:
    """Coefficients that overflow are named before anything runs."""
    model = cp_model.CpModel()
    a, b = model.new_int_var(0, 2**40, "a"), model.new_int_var(0, 2**40, "b")
    model.add(a * 2**30 + b * 2**40 <= 5)
    with pytest.raises(SolverModelError, match=r"invalid.*overflow"):
        solve_cpsat(model, seconds=5)


def test_an_integer_optimum_beyond_the_precision_of_floats_is_exact() -> None:
    """CP-SAT reports its objective as a float; value and bound come from the solution's integers."""
    model = cp_model.CpModel()
    x = model.new_int_var(0, 9, "x")
    model.add(2 * x >= 3)
    model.minimize((2**55 + 1) * x + 1)
    solved = solve_cpsat(model, seconds=10)
    assert (solved.status, solved.value) == (SolveStatus.OPTIMUM, 2 * (2**55 + 1) + 1)
