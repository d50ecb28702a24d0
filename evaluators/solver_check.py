"""Tries each solver on a tiny model, because an installed solver may still not work."""

from __future__ import annotations

from typing import Any


def solvers() -> dict[str, str]:
    """Solver → `works`, or why the solver fails on a tiny model."""
    states: dict[str, str] = {}
    for name, trial in (("highs", _try_highs), ("cbc", _try_cbc), ("cp-sat", _try_cp_sat)):
        try:
            states[name] = "works" if trial() == 3 else "gives a wrong answer on max x, x <= 3"
        except Exception as error:  # a broken solver is a result of this check, not an error
            states[name] = f"{type(error).__name__}: {error}"
    return states


def _try_highs() -> float:
    from .toolbox import solve_mip

    return _tiny_mip(solve_mip, "highs")


def _try_cbc() -> float:
    from .toolbox import solve_mip

    return _tiny_mip(solve_mip, "cbc")


def _tiny_mip(solve: Any, solver: str) -> float:
    import pulp

    model = pulp.LpProblem("tiny", pulp.LpMaximize)
    x = model.add_variable("x", 0, 3, "Integer")
    model += x
    return float(solve(model, seconds=10, solver=solver, integral_objective=True).value)


def _try_cp_sat() -> float:
    from ortools.sat.python import cp_model

    from .toolbox import solve_cpsat

    model = cp_model.CpModel()
    x = model.new_int_var(0, 3, "x")
    model.maximize(x)
    return float(solve_cpsat(model, seconds=10).value or 0)
