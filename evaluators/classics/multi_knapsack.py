"""Multidimensional knapsacks by CP-SAT: one Boolean for each item, one sum for each row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...problems.base import Json
from ...problems.classics.multi_knapsack import judge
from ...problems.classics.programs.multi_knapsack.toyoda import choose
from ..toolbox import solve_cpsat
from .certificates import Certificate
from .references import CertifiedReferences


def solve(public: Mapping[str, Any], seconds: float, answer: Json) -> Certificate:
    """CP-SAT's bound and the best choice, one worker; repeatable where the time suffices."""
    from ortools.sat.python import cp_model

    profits, weights, capacities = public["profits"], public["weights"], public["capacities"]
    known: Any = choose(profits, weights, capacities) if answer is None else answer
    model = cp_model.CpModel()
    chosen = [model.new_bool_var(f"item {item}") for item in range(len(profits))]
    for row, capacity in zip(weights, capacities, strict=True):
        model.add(sum(w * x for w, x in zip(row, chosen, strict=True)) <= capacity)
    model.maximize(sum(p * x for p, x in zip(profits, chosen, strict=True)))
    for item, one in enumerate(chosen):
        model.add_hint(one, item in known)
    solved = solve_cpsat(model, seconds=seconds, known_bound=sum(profits))
    best = known
    if solved.solution is not None:
        made = [item for item, one in enumerate(chosen) if solved[one]]
        best = max(known, made, key=lambda items: sum(profits[item] for item in items))
    value = sum(profits[item] for item in best)
    assert solved.bound is not None
    return Certificate(int(solved.bound), value, list(best), solved.solver, solved.version, solved.seconds)


MULTI_KNAPSACK = CertifiedReferences("multi-knapsack", "item booleans 1", solve, judge)
