"""Checks whether a solver that computes in floats can tell a model's integer points from their neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

TOLERANCE = 1e-9
"""Tolerance set in HiGHS and CBC for integers, and for rows relative to their largest coefficient."""
_ROUNDING = 1e-15
"""Rounding error relative to a row's side: floats have 53 bits."""
_UNIT_SHARE = 0.5
"""All tolerances of a row together must stay below this share of its smallest step."""


def beyond_tolerances(document: dict[str, Any]) -> str | None:
    """Why a solver's bound or claim of infeasibility proves nothing about a model; None if it is a proof.

    A row Σ aᵢxᵢ ≤ b may be off by 1e-9 (Σ|aᵢ| + max|aᵢ|). Once that reaches half the row's smallest step, the
    solver may take 1.000000001 for the integer 1, find that the rounded point breaks the row, drop the whole
    branch, and then call a worse solution optimal or the model infeasible.

    Args:
        document: columns and rows of the model, as the worker reads them.
    """
    integer = [column[3] for column in document["columns"]]
    for number, (low, high, columns, coefficients) in enumerate(document["rows"]):
        if not any(integer[i] for i in columns):
            continue
        sides = [side for side in (low, high) if side is not None]
        sizes = [abs(c) for c in coefficients]
        reach = TOLERANCE * (sum(sizes) + max(sizes)) + _ROUNDING * max(map(abs, sides), default=0)
        step = _step(sizes, sides, whole_row([integer[i] for i in columns], coefficients))
        if reach >= _UNIT_SHARE * step:
            return (
                f"row {number}: coefficients of {min(sizes):g} to {max(sizes):g} are more than tolerances of "
                f"{TOLERANCE:g} can tell apart; the solver's bound is not used (scale the row down, or state "
                "the model in CP-SAT, which counts in integers)"
            )
    return None


def whole_row(integer: Sequence[bool], coefficients: Sequence[int | float]) -> bool:
    """Whether a row's terms are integers at every integer point, so that the row can be checked exactly."""
    return all(integer) and all(c == math.floor(c) for c in coefficients)


def _step(sizes: Sequence[int | float], sides: Sequence[int | float], whole: bool) -> int | float:
    """Least violation of a row: the greatest common divisor of integers, else about the least coefficient."""
    if not whole:
        return min(sizes)
    return math.gcd(*(int(size) for size in sizes), *(math.floor(side) for side in sides))
