"""Solves a model whatever it is stated in: PuLP goes to HiGHS, CP-SAT to CP-SAT."""

from __future__ import annotations

from typing import Any

from .cpsat import solve_cpsat
from .mip import solve_mip
from .solved import Solved


def is_model(value: object) -> bool:
    """Whether a value is a model of PuLP or CP-SAT."""
    return type(value).__name__ in ("LpProblem", "CpModel")


def solve(model: Any, seconds: float) -> Solved:
    """Solves a model to a proven optimum, or as far as the time allows.

    Args:
        model: an `LpProblem` of PuLP or a `CpModel` of CP-SAT.
        seconds: wall seconds, > 0.

    Raises:
        ModelError: the model cannot be right.
        SolverError: the solver's process failed.
    """
    if type(model).__name__ == "CpModel":
        return solve_cpsat(model, seconds=seconds)
    return solve_mip(model, seconds=seconds, integral_objective=_whole(model))


def _whole(model: Any) -> bool:
    """Whether each term of a PuLP objective is a whole multiple of a whole variable."""
    terms = {} if model.objective is None else model.objective
    constant = getattr(terms, "constant", 0)
    whole = all(v.cat in ("Integer", "Binary") and float(c).is_integer() for v, c in terms.items())
    return whole and float(constant).is_integer()
