"""Solves mixed-integer models stated in PuLP with HiGHS or CBC."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...problems.base import Sense
from .process import WorkerReport, run_worker
from .solved import Solved, SolverModelError, conclude, safe_bound
from .tolerances import beyond_tolerances, whole_row

if TYPE_CHECKING:
    import pulp

_TOLERANCE = 1e-5
"""Violation allowed to a rounded solution in a row with fractional terms, relative to the largest term."""


def solve_mip(
    model: pulp.LpProblem,
    *,
    seconds: float,
    integral_objective: bool,
    solver: Literal["highs", "cbc"] = "highs",
    workers: int = 1,
    seed: int = 0,
    known_bound: int | float | None = None,
) -> Solved:
    """Solves a PuLP model in a separate process, to a proven optimum or as far as the time allows.

    Args:
        model: a linear model without special ordered sets, to minimise or maximise; not changed.
        seconds: wall seconds of solving, > 0; a solver that overruns is killed 2 s later, and its report so
            far is returned (incumbent and bound with HiGHS, a bound from the log with CBC).
        integral_objective: whether every feasible objective is an integer, so that a bound may be rounded.
            Scale money to integer cents first; a real objective never gets the status `OPTIMUM`.
        solver: HiGHS is faster and reports bounds; CBC is a second opinion. Both compute in floats: if a row
            is beyond their tolerances (coefficients from about 1e8 beside 1), only `known_bound` counts as a
            bound, and the note says why; `solve_cpsat` computes in integers.
        workers: threads, ≥ 1; runs with several threads may not be repeatable.
        seed: seed of the solver's random choices, ≥ 0.
        known_bound: a bound that the caller has proven (model's unit); used if it is at least as strong as
            the solver's.

    Raises:
        ModelError: the model has special ordered sets, repeated names or numbers that are not finite, is
            unbounded, contradicts `integral_objective`, or has an exact solution that refutes `known_bound`.
        SolverError: the solver is not installed, or its process failed.
    """
    variables = model.variables()
    sense = Sense.MAXIMISE if model.sense == -1 else Sense.MINIMISE
    document = _document(model, variables, sense)
    try:
        text = json.dumps(document, allow_nan=False)
    except ValueError:
        raise SolverModelError(
            "model: a coefficient or bound is NaN or infinite, expected finite numbers"
        ) from None
    report = run_worker(solver, text, {"workers": workers, "seed": seed}, seconds)
    if report.ended != "unbounded" and (blur := beyond_tolerances(document)):
        report.ended = "limit"
        report.bound = None
        report.note = blur
    if report.ended == "unbounded":
        raise SolverModelError(f"{solver}: the model is unbounded; expected an objective that has an optimum")
    solution = _accept(report, document)
    value = None if solution is None else _value(solution, document, sense, integral_objective)
    sign = 1 if sense is Sense.MINIMISE else -1
    bound = None
    if report.bound is not None:
        bound = safe_bound(sign * report.bound, sense, integral=integral_objective)
    return conclude(
        ended=report.ended,
        value=value,
        bound=bound,
        solution=solution,
        names=[v.name for v in variables],
        sense=sense,
        known_bound=known_bound,
        exact=isinstance(value, int) and _whole(document),
        solver=solver,
        version=report.version,
        seconds=report.seconds,
        command=f"{seconds:g} s, {workers} worker{'s' * (workers > 1)}, seed {seed}",
        note=report.note,
    )


def floats_suffice(model: pulp.LpProblem) -> bool:
    """Whether `solve_mip` can prove bounds for a model; False if coefficients exceed its tolerances."""
    return beyond_tolerances(_document(model, model.variables(), Sense.MINIMISE)) is None


def _document(model: Any, variables: Sequence[Any], sense: Sense) -> dict[str, Any]:
    """The model as a document for the worker, with an objective to minimise."""
    if getattr(model, "sos1", None) or getattr(model, "sos2", None):
        raise SolverModelError("model: special ordered sets are not supported; state them with binaries")
    if len({v.name for v in variables}) != len(variables):
        raise SolverModelError("model: two variables have the same name, expected distinct names")
    sign = -1 if sense is Sense.MAXIMISE else 1
    position = {id(v): i for i, v in enumerate(variables)}
    costs = {id(v): sign * c for v, c in model.objective.items()} if model.objective is not None else {}
    offset = sign * model.objective.constant if model.objective is not None else 0
    columns = [
        [costs.get(id(v), 0), _side(v.lowBound), _side(v.upBound), v.cat == "Integer"] for v in variables
    ]
    rows = []
    for row in _rows(model):
        side = -row.constant
        rows.append(
            [
                None if row.sense == -1 else side,
                None if row.sense == 1 else side,
                [position[id(v)] for v, c in row.items() if c],
                [c for _, c in row.items() if c],
            ]
        )
    return {"columns": columns, "offset": offset, "rows": rows}


def _whole(document: dict[str, Any]) -> bool:
    """Whether all columns and rows are integer, so that an accepted solution is certainly feasible."""
    columns = document["columns"]
    rows = (whole_row([columns[i][3] for i in row[2]], row[3]) for row in document["rows"])
    return all(column[3] for column in columns) and all(rows)


def _side(bound: float | None) -> float | None:
    """A variable's bound; None if infinite."""
    return None if bound is None or math.isinf(bound) else bound


def _rows(model: Any) -> Sequence[Any]:
    """Constraints of a model; a method of its mapping, since PuLP 3.3 warns about the mapping itself."""
    return list(model.constraints())


def _accept(report: WorkerReport, document: dict[str, Any]) -> list[int | float] | None:
    """The incumbent with rounded integers; None without an incumbent or if rounding breaks a row."""
    if report.solution is None:
        return None
    solution = [
        round(x) if column[3] else x for x, column in zip(report.solution, document["columns"], strict=True)
    ]
    for low, high, columns, coefficients in document["rows"]:
        if whole_row([document["columns"][i][3] for i in columns], coefficients):
            total: int | float = sum(int(c) * solution[i] for i, c in zip(columns, coefficients, strict=True))
            slack = 0.0
        else:
            terms = [c * solution[i] for i, c in zip(columns, coefficients, strict=True)]
            total = math.fsum(terms)
            slack = _TOLERANCE * max(1.0, *(abs(t) for t in terms), 1.0)
        if (low is not None and total < low - slack) or (high is not None and total > high + slack):
            report.note = f"the solution breaks a row once its integers are rounded ({total:g}); not used"
            return None
    return solution


def _value(
    solution: Sequence[int | float], document: dict[str, Any], sense: Sense, integral: bool
) -> int | float:
    """Objective recomputed from a solution (model's unit and sense)."""
    costs = [column[0] for column in document["columns"]]
    terms = [c * x for c, x in zip(costs, solution, strict=True) if c] + [document["offset"]]
    total: int | float = sum(terms) if all(isinstance(t, int) for t in terms) else math.fsum(terms)
    if sense is Sense.MAXIMISE:
        total = -total
    if not integral or isinstance(total, int):
        return total if integral else float(total)
    if abs(total - round(total)) > max(1e-4, 1e-9 * abs(total)):
        raise SolverModelError(f"objective: got {total!r} with integral_objective=True, expected an integer")
    return round(total)
