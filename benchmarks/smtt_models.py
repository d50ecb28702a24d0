"""Total tardiness as mixed-integer and constraint models for the toolbox."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from gapsmith.evaluators.toolbox import safe_bound, solve_mip
from gapsmith.problems.base import Sense

if TYPE_CHECKING:
    import pulp
    from ortools.sat.python import cp_model


def positional_model(public: Mapping[str, Any], relaxed: bool = False) -> pulp.LpProblem:
    """A model that assigns jobs to places and measures tardiness by place, without big M; unweighted only.

    T(k) ≥ sum over places up to k of the lengths there − due date of the job at k; T(k) ≥ 0.

    Args:
        public: processing times and due dates.
        relaxed: whether the assignment may be fractional, which makes the model a linear programme.
    """
    import pulp

    p, d = public["processing_times"], public["due_dates"]
    n = len(p)
    model = pulp.LpProblem("positional", pulp.LpMinimize)
    at = _assignment(model, n, "Continuous" if relaxed else "Binary")
    late = [model.add_variable(f"late{k}", lowBound=0) for k in range(n)]
    model += pulp.lpSum(late)
    end = pulp.LpAffineExpression()
    for k in range(n):
        end = end + pulp.lpSum(p[j] * at[j][k] for j in range(n))
        model += late[k] >= end - pulp.lpSum(d[j] * at[j][k] for j in range(n))
    return model


def big_m_model(public: Mapping[str, Any], cut: bool = True) -> pulp.LpProblem:
    """The published model (arXiv 2510.24013; Keha et al. 2009, doi:10.1016/j.cie.2008.06.008), with weights.

    Completion times of jobs are tied to those of places by C(j) ≥ c(k) − M (1 − u(j, k)).

    Args:
        public: processing times, due dates, and weights if there are any.
        cut: whether to add the valid inequality C(j) ≥ p(j) + sum over places k ≥ 2 of π(j, k) u(j, k), where
            π is the least work that can stand before j at place k: with jobs numbered from the shortest, the
            first k − 1 of them if k ≤ j, the first k without j if k > j.
    """
    import pulp

    weights = public.get("weights") or [1] * len(public["due_dates"])
    jobs = sorted(zip(public["processing_times"], public["due_dates"], weights, strict=True))
    n = len(jobs)
    total = sum(p for p, _, _ in jobs)
    shortest = [0, *accumulate(p for p, _, _ in jobs)]
    model = pulp.LpProblem("big_m", pulp.LpMinimize)
    at = _assignment(model, n, "Binary")
    late = [model.add_variable(f"late{j}", lowBound=0) for j in range(n)]
    done = [model.add_variable(f"done{j}", lowBound=0) for j in range(n)]
    ends = [model.add_variable(f"end{k}", lowBound=0) for k in range(n)]
    model += pulp.lpSum(w * late[j] for j, (_, _, w) in enumerate(jobs))
    for k in range(n):
        before = ends[k - 1] if k else 0
        model += ends[k] >= before + pulp.lpSum(p * at[j][k] for j, (p, _, _) in enumerate(jobs))
    for j, (p, d, _) in enumerate(jobs):
        model += late[j] >= done[j] - d
        for k in range(n):
            model += done[j] >= ends[k] - total * (1 - at[j][k])
        if cut:
            # Places and jobs count from 0 here: before place k stand k jobs.
            least = [shortest[k] if k <= j else shortest[k + 1] - p for k in range(n)]
            model += done[j] >= p + pulp.lpSum(least[k] * at[j][k] for k in range(1, n))
    return model


def interval_model(public: Mapping[str, Any]) -> cp_model.CpModel:
    """A CP-SAT model with one interval for each job and no overlap; minimises total (weighted) tardiness."""
    from ortools.sat.python import cp_model

    p, d = public["processing_times"], public["due_dates"]
    weights = public.get("weights") or [1] * len(p)
    total = sum(p)
    model = cp_model.CpModel()
    intervals, costs = [], []
    for j, length in enumerate(p):
        start = model.new_int_var(0, total - length, f"start{j}")
        intervals.append(model.new_fixed_size_interval_var(start, length, f"job{j}"))
        late = model.new_int_var(0, max(0, total - d[j]), f"late{j}")
        model.add(late >= start + length - d[j])
        costs.append(weights[j] * late)
    model.add_no_overlap(intervals)
    model.minimize(sum(costs))
    return model


def linear_bound(public: Mapping[str, Any], seconds: float) -> int | None:
    """Lower bound (time units) from the linear relaxation of the positional model; None if time ran out."""
    solved = solve_mip(positional_model(public, relaxed=True), seconds=seconds, integral_objective=False)
    if solved.bound is None:
        return None
    return max(0, int(safe_bound(float(solved.bound), Sense.MINIMISE, integral=True)))


def _assignment(model: Any, n: int, category: str) -> list[list[Any]]:
    """Variables u(job, place) in [0, 1], each job at one place and each place with one job."""
    import pulp

    at = [[model.add_variable(f"at_{j}_{k}", 0, 1, category) for k in range(n)] for j in range(n)]
    for k in range(n):
        model += pulp.lpSum(at[k]) == 1
        model += pulp.lpSum(at[j][k] for j in range(n)) == 1
    return at
