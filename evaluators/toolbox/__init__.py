"""Solves models stated in PuLP or CP-SAT in limited time; returns value, proven bound, status and proof.

`solve_mip` and `solve_cpsat` pass the model as text to a fresh process, kill the process when its time is
over, and return a `Solved`; `Solved.as_reference` turns the result into the reference of an instance. `call`
does the same for a whole method, which notes what holds on its way.
"""

from __future__ import annotations

from .called import Note, call
from .cpsat import solve_cpsat
from .mip import floats_suffice, solve_mip
from .process import SolverError
from .solved import Solved, SolverModelError, SolveStatus, safe_bound
from .stopped import incumbent, stop_cpsat

__all__ = [
    "Note",
    "SolveStatus",
    "Solved",
    "SolverError",
    "SolverModelError",
    "call",
    "floats_suffice",
    "incumbent",
    "safe_bound",
    "solve_cpsat",
    "solve_mip",
    "stop_cpsat",
]
