"""What the solver's process does with a model: HiGHS, CBC or CP-SAT, each with its traps closed.

A function of the evaluators can be called here too, to be killed where a solver inside overruns.

A mixed-integer model is JSON, always minimised: `{"columns": [[cost, low, high, integer]], "offset": number,
"rows": [[low, high, [column …], [coefficient …]]]}`, `null` for an open side. A CP-SAT model is the text
form of its protocol buffer.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from .reporter import Reporter
from .tolerances import TOLERANCE

Runner = Callable[[str, dict[str, Any], Path, Reporter], None]
_CBC_LOG = "cbc.log"


def run_highs(text: str, job: dict[str, Any], folder: Path, reporter: Reporter) -> None:
    """HiGHS through highspy: gap limits 0 (its default stops at 1e-4), incumbents and bounds as they come.

    Its default tolerances of 1e-6 are a whole unit in a row with a coefficient of a million: it then takes
    2.000001 for the integer 2, finds that the rounded solution breaks the row, and calls a worse one optimal.
    """
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    for option, value in {
        "mip_rel_gap": 0.0,
        "mip_abs_gap": 0.0,
        "mip_feasibility_tolerance": TOLERANCE,
        "primal_feasibility_tolerance": TOLERANCE,
        "threads": job["workers"],
        "random_seed": job["seed"],
        "time_limit": float(job["seconds"]),
    }.items():
        solver.setOptionValue(option, value)
    integers = _fill_highs(solver, highspy, json.loads(text))

    def improved(event: Any) -> None:
        reporter.note(solution=list(event.data_out.mip_solution), **_finite(event.data_out.mip_dual_bound))

    def went_on(event: Any) -> None:
        reporter.note(**_finite(event.data_out.mip_dual_bound))

    solver.cbMipImprovingSolution.subscribe(improved)
    solver.cbMipInterrupt.subscribe(went_on)
    reporter.flush(ready=True, version=solver.version())
    solver.run()
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kUnboundedOrInfeasible:
        solver.setOptionValue("presolve", "off")
        solver.run()
        status = solver.getModelStatus()
    _end_highs(solver, highspy.HighsModelStatus, status, integers, reporter)


def _fill_highs(solver: Any, highspy: Any, model: dict[str, Any]) -> bool:
    """Adds columns and rows; True if any column is an integer."""
    infinity = highspy.kHighsInf
    for index, (cost, low, high, integer) in enumerate(model["columns"]):
        solver.addCol(cost, -infinity if low is None else low, infinity if high is None else high, 0, [], [])
        if integer:
            solver.changeColIntegrality(index, highspy.HighsVarType.kInteger)
    for low, high, columns, coefficients in model["rows"]:
        solver.addRow(
            -infinity if low is None else low,
            infinity if high is None else high,
            len(columns),
            columns,
            coefficients,
        )
    solver.changeObjectiveOffset(model["offset"])
    return any(column[3] for column in model["columns"])


def _end_highs(solver: Any, statuses: Any, status: Any, integers: bool, reporter: Reporter) -> None:
    if status == statuses.kInfeasible:
        reporter.end(ended="infeasible")
        return
    if status in (statuses.kUnbounded, statuses.kUnboundedOrInfeasible):
        reporter.end(ended="unbounded")
        return
    info = solver.getInfo()
    optimal = status == statuses.kOptimal
    facts: dict[str, Any] = {}
    if info.primal_solution_status == 2 and (integers or optimal):  # 2: a feasible point
        facts["solution"] = list(solver.getSolution().col_value)
    if integers:
        facts.update(_finite(info.mip_dual_bound))
    elif optimal:
        facts.update(_finite(info.objective_function_value))
    reporter.end(ended="optimal" if optimal else "limit", **facts)


def run_cbc(text: str, job: dict[str, Any], folder: Path, reporter: Reporter) -> None:
    """CBC through PuLP, whose "Optimal" may mean an incumbent at the limit: `sol_status` and log decide."""
    import pulp

    model = json.loads(text)
    problem, variables = _pulp_model(pulp, model)
    log = folder / _CBC_LOG
    solver = pulp.COIN_CMD(
        path=cbc_program(),
        msg=False,
        timeLimit=job["seconds"],
        gapRel=0,
        gapAbs=0,
        threads=job["workers"],
        options=[
            f"randomCbcSeed {job['seed'] + 1}",
            f"integerTolerance {TOLERANCE:g}",
            f"primalTolerance {TOLERANCE:g}",
        ],
        logPath=str(log),
    )
    if not solver.available():
        raise SystemExit("no CBC comes with this PuLP and none is on the PATH; choose solver='highs'")
    reporter.flush(ready=True, version=f"with PuLP {pulp.VERSION}")
    problem.solve(solver)
    match = re.search(r"Version:\s*(\S+)", log.read_text(errors="replace"))
    reporter.note(version=f"{match.group(1) if match else '?'} with PuLP {pulp.VERSION}")
    if problem.status == pulp.LpStatusInfeasible:
        reporter.end(ended="infeasible")
    elif problem.status == pulp.LpStatusUnbounded:
        reporter.end(ended="unbounded")
    elif problem.sol_status in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
        values = [0.0 if v.varValue is None else v.varValue for v in variables]
        optimal = problem.sol_status == pulp.LpSolutionOptimal
        cost = math.fsum(c[0] * x for c, x in zip(model["columns"], values, strict=True)) + model["offset"]
        bound = cost if optimal else cbc_log_bound(folder)
        facts = {} if bound is None else {"bound": bound}
        reporter.end(ended="optimal" if optimal else "limit", solution=values, **facts)
    else:  # the variables hold values of the relaxation, which are no solution
        bound = cbc_log_bound(folder)
        reporter.end(ended="limit", **({} if bound is None else {"bound": bound}))


def cbc_program() -> str | None:
    """The CBC that comes with PuLP 3; None with a later one, which takes the one on the PATH."""
    from pulp.apis import coin_api

    return getattr(coin_api, "pulp_cbc_path", None)


def _pulp_model(pulp: Any, model: dict[str, Any]) -> tuple[Any, list[Any]]:
    problem = pulp.LpProblem("model", pulp.LpMinimize)
    variables = [
        problem.add_variable(f"x{i}", low, high, pulp.LpInteger if integer else pulp.LpContinuous)
        for i, (_, low, high, integer) in enumerate(model["columns"])
    ]
    costs = [(variable, column[0]) for variable, column in zip(variables, model["columns"], strict=True)]
    problem.setObjective(pulp.LpAffineExpression(costs))
    for low, high, columns, coefficients in model["rows"]:
        row = pulp.LpAffineExpression([(variables[i], c) for i, c in zip(columns, coefficients, strict=True)])
        if low is not None and low == high:
            problem += row == low
        elif low is not None:
            problem += row >= low
        elif high is not None:
            problem += row <= high
    return problem, variables


def cbc_log_bound(folder: Path) -> float | None:
    """The last bound in CBC's log, for a minimised model, offset included; None if it says none.

    The final line has three decimals, so half of the last one is taken off.
    """
    log = folder / _CBC_LOG
    if not log.exists():
        return None
    offset = float(json.loads((folder / "model").read_text(encoding="utf-8"))["offset"])
    text = log.read_text(errors="replace")
    final = re.findall(r"^Lower bound:\s+(-?[\d.]+(?:e[+-]?\d+)?)\s*$", text, re.MULTILINE)
    if final:
        return float(final[-1]) - 0.001 + offset
    along = [float(x) for x in re.findall(r"best possible (-?[\d.]+(?:e[+-]?\d+)?)", text)]
    return along[-1] - 0.001 - 1e-6 * abs(along[-1]) + offset if along else None


def run_cpsat(text: str, job: dict[str, Any], folder: Path, reporter: Reporter) -> None:
    """CP-SAT: a bound counts only if it was reported as one; with status UNKNOWN the final field may be 0."""
    without_pandas()
    import ortools
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    if hasattr(model.proto, "parse_text_format"):
        model.proto.parse_text_format(text)
    else:  # OR-Tools before 9.15
        import_module("google.protobuf.text_format").Parse(text, model.proto)
    reporter.flush(version=ortools.__version__)
    if message := model.validate():
        reporter.end(ended="invalid", message=message.strip())
        return
    count = len(model.proto.variables)

    class Incumbents(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            values = [int(v) for v in list(self.Response().solution)[:count]]
            reporter.note(value=self.objective_value, solution=values)

    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = float(job["seconds"])
    solver.parameters.num_workers = job["workers"]
    solver.parameters.random_seed = job["seed"]
    if "effort" in job:
        solver.parameters.max_deterministic_time = float(job["effort"])
    solver.best_bound_callback = lambda bound: reporter.note(**_finite(bound))
    reporter.flush(ready=True)
    begun = time.process_time()
    status = solver.solve(model, Incumbents())
    facts: dict[str, Any] = {}
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        values = [int(v) for v in list(solver.response_proto.solution)[:count]]
        facts = {"value": solver.objective_value, "solution": values, **_finite(solver.best_objective_bound)}
    ended = {cp_model.OPTIMAL: "optimal", cp_model.INFEASIBLE: "infeasible"}.get(status, "limit")
    reporter.end(ended=ended, cpu_seconds=time.process_time() - begun, **facts)


def run_call(text: str, job: dict[str, Any], folder: Path, reporter: Reporter) -> None:
    """Calls a function by its name with JSON arguments; says its results as soon as they are noted."""
    module, _, name = job["function"].partition(":")
    function = getattr(import_module(module), name)
    arguments = json.loads(text)
    reporter.flush(ready=True)
    result = function(**arguments, seconds=job["seconds"], note=lambda noted: reporter.flush(result=noted))
    reporter.end(ended="returned", result=result)


def without_pandas() -> None:
    """Puts an empty module in the place of pandas, whose import takes four times as long as CP-SAT's own.

    OR-Tools imports pandas for its methods on tables, which no model here calls; for own processes only.
    """
    empty = ModuleType("pandas")
    empty.__file__ = None  # else whoever looks through all modules gets a class for a path
    empty.__getattr__ = lambda name: type(name, (), {})  # type: ignore[method-assign]
    sys.modules.setdefault("pandas", empty)


def _finite(bound: float) -> dict[str, float]:
    """`{"bound": …}` unless it is infinite or as good as."""
    return {"bound": float(bound)} if math.isfinite(bound) and abs(bound) < 1e30 else {}


RUNNERS: dict[str, Runner] = {"highs": run_highs, "cbc": run_cbc, "cp-sat": run_cpsat, "call": run_call}
