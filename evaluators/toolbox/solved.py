"""The result of a solver run (status, value, proven bound) and the reference that follows from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from ...problems.base import Number, Sense
from ..base import ProofKind, Reference, ReferenceKind
from ..numbers import better_than

_NOISE = 1e-6
"""Relative difference of two floats that rounding may cause."""


class SolverModelError(ValueError):
    """A model that cannot be right: invalid, infeasible, unbounded, or at odds with the verification."""


class SolveStatus(StrEnum):
    """What is known about a model after the end of the solver."""

    OPTIMUM = "optimum"
    FEASIBLE = "feasible"
    BOUND_ONLY = "bound_only"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Solved:
    """Outcome of one solver run, in the model's own unit and sense.

    Attributes:
        status: `OPTIMUM` only if the safely rounded proven bound equals the value; the solver's claim
            "optimal" alone is not enough.
        value: objective of `solution`, recomputed from it; set iff there is a solution.
        bound: proven bound (lower when minimising, upper when maximising), rounded to the safe side.
        solution: value of every variable, by position in the model; integers are `int`.
        names: name of every variable, by position (CP-SAT allows empty and repeated ones).
        sense: of the model.
        proof: `SOLVER`, or `ARITHMETIC` if the caller's bound is at least as strong; None without a bound.
        solver: `highs`, `cbc` or `cp-sat`.
        version: version of the solver.
        seconds: wall seconds of the worker, its start included.
        command: limits and seed of the run, for repeating it.
        cpu_seconds: CPU seconds of solving, without the start of the process and the reading of the model;
            None if the solver gave none.
        note: why the run did not end by itself, or why part of its report is not used; else empty.
    """

    status: SolveStatus
    value: int | float | None
    bound: int | float | None
    solution: Sequence[int | float] | None
    names: Sequence[str]
    sense: Sense
    proof: ProofKind | None
    solver: str
    version: str
    seconds: float
    command: str
    note: str = ""
    cpu_seconds: float | None = None

    def __post_init__(self) -> None:
        solved = self.status in (SolveStatus.OPTIMUM, SolveStatus.FEASIBLE)
        if solved != (self.value is not None) or solved != (self.solution is not None):
            raise ValueError(f"Solved: value and solution must be set iff one was found ({self.status})")
        if self.status is SolveStatus.OPTIMUM and self.value != self.bound:
            raise ValueError(f"Solved: optimum needs value = bound, got {self.value} and {self.bound}")
        if (self.bound is None) != (self.proof is None):
            raise ValueError("Solved: proof must be given iff there is a bound")
        if self.bound is None and self.status is SolveStatus.BOUND_ONLY:
            raise ValueError("Solved: bound_only needs a bound")

    def __getitem__(self, variable: Any) -> int | float:
        """Value of a variable of the model, given as the variable itself, its name or its position.

        Raises:
            KeyError: the run has no solution, or the model has no such variable.
        """
        if self.solution is None:
            raise KeyError(f"{variable}: no solution was found ({self.status})")
        if isinstance(variable, int):
            return self.solution[variable]
        if isinstance(variable, str) or hasattr(variable, "cat"):  # PuLP knows variables by name
            name = variable if isinstance(variable, str) else variable.name
            if name not in self.names:
                raise KeyError(f"{name}: not in the model")
            return self.solution[self.names.index(name)]
        index: int = variable.index  # CP-SAT: a position, or a negative number for a negation
        return self.solution[index] if index >= 0 else 1 - self.solution[-index - 1]

    def by_name(self) -> Mapping[str, int | float]:
        """Name → value of all variables with a name; empty without a solution."""
        return {n: v for n, v in zip(self.names, self.solution or (), strict=False) if n}

    def as_reference(self, *, unit: int | Fraction = 1, verified: Number | None = None) -> Reference:
        """The reference that this run proves: an `OPTIMUM` if value and bound are equal, else a `BOUND`.

        Args:
            unit: one unit of the model's objective in the problem's unit, > 0 (`Fraction(1, 100)` for a model
                in cents).
            verified: objective of this solution according to the problem's own `verify` (problem's unit). It
                may be better than the model's value, as rows like `end >= …` have slack until the solver
                has closed it, but not better than the bound; a worse one is an error.

        Returns:
            The reference; of kind `BEST_KNOWN` for a solution without a bound.

        Raises:
            ModelError: the model is infeasible, `verified` is worse than the model's value or better than
                the bound, or the run gave neither bound nor solution.
        """
        if self.status is SolveStatus.INFEASIBLE:
            raise SolverModelError(f"{self.solver}: the model of this instance is infeasible")
        value = None if self.value is None else _scaled(self.value, unit)
        bound = None if self.bound is None else _scaled(self.bound, unit)
        if verified is not None and value is not None and not _agree(value, verified):
            self._refuse_contradiction(value, bound, verified)
            value = verified
        known = bound if bound is not None else verified if verified is not None else value
        if known is None:
            raise SolverModelError(
                f"{self.solver}: no bound and no solution ({self.command}; {self.note or 'limit reached'}); "
                "give more seconds, or pass known_bound"
            )
        kind = ReferenceKind.BEST_KNOWN if bound is None else ReferenceKind.BOUND
        if self.status is SolveStatus.OPTIMUM or (value is not None and value == bound):
            kind = ReferenceKind.OPTIMUM
        source = f"solved: {self.command}" + (f"; {self.note}" if self.note else "")
        return Reference(known, kind, bound, self.proof, self.solver, self.version, self.seconds, source)

    def _refuse_contradiction(self, value: Number, bound: Number | None, verified: Number) -> None:
        """Raises if the verified objective is worse than the model's, or better than the bound."""
        minimise = self.sense is Sense.MINIMISE
        if better_than(value, verified, minimise, _NOISE):
            raise SolverModelError(
                f"{self.solver}: the model says {value}, the verification of its solution {verified}, which "
                "is worse; expected a model that counts all that verification counts"
            )
        if bound is not None and better_than(verified, bound, minimise, _NOISE):
            raise SolverModelError(
                f"{self.solver}: the verification of the solution says {verified}, which is better than the "
                f"model's proven bound {bound}; expected a model that allows all that verification allows"
            )


def safe_bound(bound: float, sense: Sense, *, integral: bool) -> int | float:
    """A solver's floating-point bound, rounded so that it stays a bound (same unit).

    An integral objective allows ⌈bound − ε⌉ with ε = max(1e-4, 1e-9·|bound|), which removes the noise of
    411.99999999956; otherwise the bound is loosened by 1e-6 of its size.

    Args:
        bound: lower bound when minimising, upper bound when maximising; finite.
        sense: of the model.
        integral: whether every feasible objective is an integer.
    """
    sign = 1 if sense is Sense.MINIMISE else -1
    low = sign * bound
    if integral:
        return sign * math.ceil(low - max(1e-4, 1e-9 * abs(low)))
    return sign * (low - 1e-6 * max(1.0, abs(low)))


def stronger(left: int | float, right: int | float, sense: Sense) -> bool:
    """Whether one bound is at least as tight as another."""
    return left >= right if sense is Sense.MINIMISE else left <= right


def conclude(
    *,
    ended: str,
    value: int | float | None,
    bound: int | float | None,
    solution: Sequence[int | float] | None,
    names: Sequence[str],
    sense: Sense,
    known_bound: int | float | None,
    exact: bool,
    solver: str,
    version: str,
    seconds: float,
    command: str,
    note: str,
    cpu_seconds: float | None = None,
) -> Solved:
    """Turns a worker's report into a result.

    Args:
        bound: the solver's bound, already safely rounded.
        exact: whether the solution was checked in integers and is therefore certainly feasible. An exact
            solution refutes every bound that it beats: the solver's bound is dropped, and a refuted bound of
            the caller's is an error. A float solution that beats a bound may be infeasible and is dropped.

    Raises:
        ModelError: an exact solution is better than `known_bound`.
    """
    beaten = [
        claim
        for claim in (known_bound, bound)
        if value is not None and claim is not None and _beats(value, claim, sense, exact)
    ]
    if beaten:
        if exact and known_bound in beaten:
            raise SolverModelError(
                f"{solver}: the solution's objective {value} is better than the known_bound {known_bound}, "
                "and its rows hold exactly; expected a bound that is proven for this very model"
            )
        what = "its bound is not used" if exact else "the solution is not used"
        note = f"the solution's objective {value} is better than the bound {beaten[0]}; {what}"
        bound = None if bound in beaten else bound
        value, solution = (value, solution) if exact else (None, None)
        ended = "limit"
    proof = None if bound is None else ProofKind.SOLVER
    if known_bound is not None and (bound is None or stronger(known_bound, bound, sense)):
        bound = known_bound
        proof = ProofKind.ARITHMETIC
    if ended == "infeasible" and value is None:
        status = SolveStatus.INFEASIBLE
        bound = None
        proof = None
    elif value is not None:
        status = SolveStatus.OPTIMUM if value == bound else SolveStatus.FEASIBLE
    else:
        status = SolveStatus.UNKNOWN if bound is None else SolveStatus.BOUND_ONLY
    return Solved(
        status,
        value,
        bound,
        solution,
        names,
        sense,
        proof,
        solver,
        version,
        seconds,
        command,
        note,
        cpu_seconds,
    )


def _beats(value: int | float, bound: int | float, sense: Sense, exact: bool) -> bool:
    """Whether a solution is better than a bound, for floats by more than their rounding noise."""
    whole = isinstance(value, int) and isinstance(bound, int)
    noise = 0.0 if exact or whole else 1e-6 * max(1.0, abs(bound))
    return value < bound - noise if sense is Sense.MINIMISE else value > bound + noise


def _scaled(number: int | float, unit: int | Fraction) -> Number:
    if isinstance(number, float):
        return number if unit == 1 else number * float(unit)
    product = Fraction(number) * unit
    return product.numerator if product.denominator == 1 else product


def _agree(value: Number, verified: Number) -> bool:
    if isinstance(value, float) or isinstance(verified, float):
        return math.isclose(float(value), float(verified), rel_tol=_NOISE, abs_tol=1e-9)
    return value == verified
