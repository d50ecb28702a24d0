"""Multidimensional knapsacks by CP-SAT: one Boolean for each item, one sum for each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...problems.base import Json, Sense
from ...problems.classics.multi_knapsack import judge
from ...problems.classics.programs.multi_knapsack.toyoda import choose
from ..toolbox import Solved, solve_cpsat, stop_cpsat
from .references import BoundedAnswer, StoppableReferences

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True, slots=True)
class KnapsackModel:
    """A model and a Boolean for each item."""

    model: cp_model.CpModel
    chosen: list[cp_model.IntVar]

    def items(self, solved: Solved) -> list[int]:
        """The items that a solution takes."""
        return [item for item, one in enumerate(self.chosen) if solved[one]]


def knapsack_model(public: Mapping[str, Any], known: Sequence[int]) -> KnapsackModel:
    """The choices that fit every row, the profit to be maximised; `known` starts the search."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    variables = [model.new_bool_var(f"item {item}") for item in range(len(public["profits"]))]
    for row, capacity in zip(public["weights"], public["capacities"], strict=True):
        model.add(sum(w * x for w, x in zip(row, variables, strict=True)) <= capacity)
    model.maximize(sum(p * x for p, x in zip(public["profits"], variables, strict=True)))
    for item, one in enumerate(variables):
        model.add_hint(one, item in known)
    return KnapsackModel(model, variables)


def greedy(public: Mapping[str, Any]) -> Any:
    """Toyoda's choice, to start from."""
    return choose(public["profits"], public["weights"], public["capacities"])


def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int = 0) -> BoundedAnswer:
    """CP-SAT's bound and the best choice, one worker; repeatable where the time suffices.

    The answer is a hint that limits no bound, so a spare changes nothing.
    """
    profits = public["profits"]
    start: Any = greedy(public) if answer is None else answer
    knapsack = knapsack_model(public, start)
    solved = solve_cpsat(knapsack.model, seconds=seconds, known_bound=sum(profits))
    best = start
    if solved.solution is not None:
        best = max(start, knapsack.items(solved), key=lambda items: sum(profits[item] for item in items))
    value = sum(profits[item] for item in best)
    assert solved.bound is not None
    return BoundedAnswer(int(solved.bound), value, list(best), solved.solver, solved.version, solved.seconds)


def stop(public: Mapping[str, Any], effort: float) -> tuple[Solved, Json]:
    """CP-SAT's best choice after deterministic seconds; it starts from Toyoda's."""
    knapsack = knapsack_model(public, greedy(public))
    solved = stop_cpsat(knapsack.model, effort, sum(public["profits"]))
    items: Any = None if solved.solution is None else knapsack.items(solved)
    return solved, items


MULTI_KNAPSACK = StoppableReferences(
    "multi-knapsack", "item booleans 1", solve, judge, sense=Sense.MAXIMISE, stop=stop
)
