"""Solves constraint models stated in OR-Tools' CP-SAT."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...problems.base import Sense
from .process import WorkerReport, run_worker
from .solved import Solved, SolverModelError, conclude, safe_bound

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


def solve_cpsat(
    model: cp_model.CpModel,
    *,
    seconds: float,
    workers: int = 1,
    seed: int = 0,
    known_bound: int | float | None = None,
    effort: float | None = None,
) -> Solved:
    """Solves a CP-SAT model in a separate process, to a proven optimum or as far as the time allows.

    Args:
        model: a model with an integer objective, a real objective (the solver's bound is then never tight
            enough for `OPTIMUM`), or no objective (value and bound are then 0); its hints and names are kept.
        seconds: wall seconds of solving, > 0; a solver that overruns is killed 2 s later, and the last
            incumbent and bound that it had reported are returned.
        workers: threads, ≥ 1. Runs with several threads are not repeatable, and runs that reach their time
            limit may not be either: store the reference, and never let a score depend on such a run.
        seed: seed of the solver's random choices, ≥ 0.
        known_bound: a bound that the caller has proven; used if it is at least as strong as the solver's.
        effort: limit in CP-SAT's deterministic seconds, > 0; a run with one worker that this limit ends is
            repeatable. None for no such limit.

    Raises:
        ModelError: the model is invalid, or its solution refutes `known_bound`.
        SolverError: the solver's process failed.
    """
    proto = model.proto
    options = {"workers": workers, "seed": seed, **({} if effort is None else {"effort": effort})}
    report = run_worker("cp-sat", _text(model), options, seconds)
    if report.ended == "invalid":
        raise SolverModelError(f"cp-sat: the model is invalid: {report.message}")
    real = _has(proto, "floating_point_objective")
    sense = _sense(proto, real)
    value, bound = _figures(proto, report, sense, real)
    solution = None if report.solution is None else [int(x) for x in report.solution]
    return conclude(
        ended=report.ended,
        value=value,
        bound=bound,
        solution=solution,
        names=[v.name for v in proto.variables],
        sense=sense,
        known_bound=known_bound,
        exact=not real,
        solver="cp-sat",
        version=report.version,
        seconds=report.seconds,
        command=("" if effort is None else f"{effort:g} deterministic s, ")
        + f"{seconds:g} s, {workers} worker{'s' * (workers > 1)}, seed {seed}",
        note=report.note,
        cpu_seconds=report.cpu_seconds,
    )


def _text(model: Any) -> str:
    """The model's protocol buffer in text form: exact integers, no pickle."""
    with tempfile.TemporaryDirectory(prefix="gapsmith-model-") as folder:
        path = Path(folder) / "model.txt"
        if not model.export_to_file(str(path)):
            raise SolverModelError("cp-sat: the model cannot be written as text")
        return path.read_text(encoding="utf-8")


def _has(proto: Any, name: str) -> bool:
    """Whether a field is set; the name of the method depends on the release of OR-Tools."""
    return bool(proto.HasField(name) if hasattr(proto, "HasField") else getattr(proto, f"has_{name}")())


def _sense(proto: Any, real: bool) -> Sense:
    """Sense of a model; CP-SAT marks a maximised integer objective by a negative scaling factor."""
    down = proto.floating_point_objective.maximize if real else proto.objective.scaling_factor < 0
    return Sense.MAXIMISE if down else Sense.MINIMISE


def _figures(
    proto: Any, report: WorkerReport, sense: Sense, real: bool
) -> tuple[int | float | None, int | float | None]:
    """Value and safely rounded bound; at an integer optimum, the exact value replaces the float bound."""
    if not real and not _has(proto, "objective"):
        return (None, None) if report.solution is None else (0, 0)
    bound = None if report.bound is None else safe_bound(report.bound, sense, integral=not real)
    if report.value is None or report.solution is None:
        return None, bound
    if real:
        return report.value, bound
    value = _objective(proto.objective, report.solution)
    return value, value if report.ended == "optimal" else bound


def _objective(objective: Any, solution: Sequence[float]) -> int:
    """Integer objective of a solution; CP-SAT stores a maximised objective with all signs inverted."""
    total: int = sum(c * int(solution[v]) for v, c in zip(objective.vars, objective.coeffs, strict=True))
    total += round(objective.offset)
    return -total if objective.scaling_factor < 0 else total
