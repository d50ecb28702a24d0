"""State a model once, in PuLP or CP-SAT, and get back value, proven bound, status and proof in limited time.

`solve_mip` and `solve_cpsat` hand the model over as text to a fresh process that is killed when its time is
over, and return a `Solved`; `Solved.as_reference` makes the reference of an instance from it.
"""

from __future__ import annotations

from .cpsat import solve_cpsat
from .mip import floats_suffice, solve_mip
from .process import SolverError
from .solved import ModelError, Solved, SolveStatus, safe_bound

__all__ = [
    "ModelError",
    "SolveStatus",
    "Solved",
    "SolverError",
    "floats_suffice",
    "safe_bound",
    "solve_cpsat",
    "solve_mip",
]
