"""CP-SAT with one thread, stopped early, as a rival of heuristics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...problems.base import Verdict
from ..base import Incumbent
from .cpsat import solve_cpsat
from .solved import Solved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_SPARE = 60.0
"""Wall seconds that a stopped solver may take for one deterministic second, and once more."""


def stop_cpsat(model: cp_model.CpModel, effort: float, known_bound: int | float | None = None) -> Solved:
    """Solves a CP-SAT model until deterministic seconds are over; the outcome is repeatable.

    Args:
        model: as for `solve_cpsat`.
        effort: CP-SAT's deterministic seconds, > 0; one takes 1 to 12 CPU seconds, as the model goes.
        known_bound: a bound that the caller has proven; an answer that attains it ends the search.

    Raises:
        ModelError: the model is invalid, or its solution refutes `known_bound`.
        SolverError: the solver's process failed.
    """
    return solve_cpsat(model, seconds=_SPARE * (1 + effort), known_bound=known_bound, effort=effort)


def incumbent(solved: Solved, verdict: Verdict | None) -> Incumbent:
    """What a stopped solver had, with the verdict on its answer; None for no answer."""
    spent = solved.seconds if solved.cpu_seconds is None else solved.cpu_seconds
    return Incumbent(verdict, solved.solver, spent)
