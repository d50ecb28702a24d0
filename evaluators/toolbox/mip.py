"""Mixed-integer models stated in PuLP, solved by HiGHS or CBC."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...problems.base import Sense
from .process import Report, run_worker
from .solved import ModelError, Solved, conclude, safe_bound
from .tolerances import beyond_tolerances, whole_row

if TYPE_CHECKING:
    import pulp

_TOLERANCE = 1e-5
"""How far a rounded solution may break a row that is not of integers alone, relative to the row's size."""


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
    """Solves a PuLP model in a process of its own, to a proven optimum or as far as the time allows.

    Args:
        model: minimise or maximise, linear, without special ordered sets; left as it is.
        seconds: wall seconds of solving, > 0; a solver that overruns is killed 2 s later, and what it had
            found by then is returned (incumbent and bound with HiGHS, a bound from the log with CBC).
        integral_objective: whether every feasible objective is an integer, so that a bound may be rounded.
            Scale money to integer cents first; a real objective never gets the status `OPTIMUM`.
        solver: HiGHS is faster and reports bounds; CBC is a second opinion. Both count in floats: a model
            with a row beyond their tolerances (coefficients from about 1e8 beside 1) gets no bound but
            `known_bound`, and the note says why; `solve_cpsat` counts in integers.
        workers: threads, ≥ 1; more than one need not repeat.
        seed: of the solver's own random choices, ≥ 0.
        known_bound: a bound that the caller has proven (model's unit), used where it is the stronger.

    Raises:
        ModelError: not linear or not finite, unbounded, an objective at odds with `integral_objective`, or a
            `known_bound` that a solution in integers refutes.
        SolverError: the solver is not installed, or its process failed.
    """
    variables = model.variables()
    sense = Sense.MAXIMISE if model.sense == -1 else Sense.MINIMISE
    document = _document(model, variables, sense)
    try:
        text = json.dumps(document, allow_nan=False)
    except ValueError:
        raise ModelError(
            "model: a coefficient or bound is NaN or infinite, expected finite numbers"
        ) from None
    report = run_worker(solver, text, {"workers": workers, "seed": seed}, seconds)
    if report.ended != "unbounded" and (blur := beyond_tolerances(document)):
        report.ended, report.bound, report.note = "limit", None, blur
    if report.ended == "unbounded":
        raise ModelError(f"{solver}: the model is unbounded; expected an objective that has an optimum")
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
    """Whether `solve_mip` can prove anything about a model, or its coefficients are beyond its tolerances."""
    return beyond_tolerances(_document(model, model.variables(), Sense.MINIMISE)) is None


def _document(model: Any, variables: Sequence[Any], sense: Sense) -> dict[str, Any]:
    """The model in the worker's form, minimised."""
    if getattr(model, "sos1", None) or getattr(model, "sos2", None):
        raise ModelError("model: special ordered sets are not supported; state them with binaries")
    if len({v.name for v in variables}) != len(variables):
        raise ModelError("model: two variables have the same name, expected distinct names")
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
    """Whether every row is one of integers, so that an accepted solution is feasible beyond doubt."""
    columns = document["columns"]
    rows = (whole_row([columns[i][3] for i in row[2]], row[3]) for row in document["rows"])
    return all(column[3] for column in columns) and all(rows)


def _side(bound: float | None) -> float | None:
    """A variable's bound; an infinite one is none."""
    return None if bound is None or math.isinf(bound) else bound


def _rows(model: Any) -> Sequence[Any]:
    """Constraints of a model; PuLP 3.3 warns about the attribute that earlier releases have."""
    own = getattr(model, "_constraints", None)
    return list((own if own is not None else model.constraints).values())


def _accept(report: Report, document: dict[str, Any]) -> list[int | float] | None:
    """The incumbent with its integers made exact, or None if it is none or no longer fits the rows."""
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
            total, slack = math.fsum(terms), _TOLERANCE * max(1.0, *(abs(t) for t in terms), 1.0)
        if (low is not None and total < low - slack) or (high is not None and total > high + slack):
            report.note = f"the solution breaks a row once its integers are rounded ({total:g}); not used"
            return None
    return solution


def _value(
    solution: Sequence[int | float], document: dict[str, Any], sense: Sense, integral: bool
) -> int | float:
    """Objective of a solution (model's unit and sense), recomputed from it."""
    costs = [column[0] for column in document["columns"]]
    terms = [c * x for c, x in zip(costs, solution, strict=True) if c] + [document["offset"]]
    total: int | float = sum(terms) if all(isinstance(t, int) for t in terms) else math.fsum(terms)
    if sense is Sense.MAXIMISE:
        total = -total
    if not integral or isinstance(total, int):
        return total if integral else float(total)
    if abs(total - round(total)) > max(1e-4, 1e-9 * abs(total)):
        raise ModelError(f"objective: got {total!r} with integral_objective=True, expected an integer")
    return round(total)
