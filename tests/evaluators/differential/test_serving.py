"""The bound of memory prices against all rounds, a linear programme over starts, and CP-SAT's optimum."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from gapsmith.evaluators.serving.bound import UNIT, evaluate

NAMES = ["kv-scheduling", "kv-scheduling-rule"]


def _requests(stream: random.Random, count: int, workers: int) -> dict[str, Any]:
    """Requests that fill the memory several times over, so that most wait."""
    return {
        "workers": workers,
        "memory": 40,
        "arrivals": sorted(stream.randrange(6) for _ in range(count)),
        "prompts": [stream.randint(2, 16) for _ in range(count)],
        "outputs": [stream.randint(1, 6) for _ in range(count)],
    }


def _instance(name: str, whole: dict[str, Any], drawn: Callable[..., Any]) -> Any:
    if name == "kv-scheduling":
        return drawn(whole)
    hidden = {key: whole[key] for key in ("arrivals", "prompts", "outputs")}
    return drawn({key: whole[key] for key in ("workers", "memory")}, hidden)


def _least_latency(whole: dict[str, Any]) -> tuple[int, list[list[int]]]:
    """Least sum of latencies and a schedule: a Boolean for each request, worker and round of start."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    last = max(whole["arrivals"]) + sum(whole["outputs"])
    held: dict[tuple[int, int], list[Any]] = {}
    begins, total = [], 0
    for arrival, prompt, output in zip(whole["arrivals"], whole["prompts"], whole["outputs"], strict=True):
        choice = {
            (worker, start): model.new_bool_var("")
            for worker in range(whole["workers"])
            for start in range(arrival, last)
        }
        model.add_exactly_one(choice.values())
        for (worker, start), chosen in choice.items():
            total += (start + output - arrival) * chosen
            for step in range(output):
                held.setdefault((worker, start + step), []).append((prompt + step + 1) * chosen)
        begins.append(choice)
    for tokens in held.values():
        model.add(sum(tokens) <= whole["memory"])
    model.minimize(total)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    schedule = [next(list(pair) for pair, chosen in row.items() if solver.value(chosen)) for row in begins]
    return round(solver.objective_value), schedule


def _priced(whole: dict[str, Any], prices: list[int]) -> int:
    """The Lagrangian bound of prices of memory, round by round, far beyond the last priced round."""
    end = len(prices) + max(whole["arrivals"]) + 5
    price = [Fraction(p, UNIT) for p in prices] + [Fraction(0)] * (end + max(whole["outputs"]))
    total = -whole["workers"] * whole["memory"] * sum(price)
    for arrival, prompt, output in zip(whole["arrivals"], whole["prompts"], whole["outputs"], strict=True):
        total += min(
            start + output - arrival + sum(price[start + k - 1] * (prompt + k) for k in range(1, output + 1))
            for start in range(arrival, end)
        )
    return max(ceil(total), sum(whole["outputs"]))


def _relaxed(whole: dict[str, Any]) -> float:
    """Least sum of latencies of fractional starts under the memory of all workers together."""
    import highspy

    model, held = highspy.Highs(), dict[int, Any]()
    model.setOptionValue("output_flag", False)
    total = 0.0
    last = max(whole["arrivals"]) + sum(whole["outputs"])
    for arrival, prompt, output in zip(whole["arrivals"], whole["prompts"], whole["outputs"], strict=True):
        parts = {start: model.addVariable(0, 1) for start in range(arrival, last)}
        model.addConstr(sum(parts.values()) == 1)
        for start, part in parts.items():
            total = total + (start + output - arrival) * part
            for step in range(output):
                held[start + step] = held.get(start + step, 0) + (prompt + step + 1) * part
    for tokens in held.values():
        model.addConstr(tokens <= whole["workers"] * whole["memory"])
    model.minimize(total)
    return float(model.getObjectiveValue())


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_latencies_of_all_starts(
    name: str, workers: int, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Seven requests: the bound is that of the linear programme, and no schedule is below."""
    whole = _requests(stream, 7 * workers, workers)
    instance = _instance(name, whole, drawn)
    least, schedule = _least_latency(whole)
    assert objective(name, instance, schedule) == least
    reference = prove(name, instance)
    assert 0.98 * _relaxed(whole) <= reference.value <= ceil(_relaxed(whole) - 1e-6)
    assert reference.value <= least


@pytest.mark.parametrize("name", NAMES[:1])
def test_bounds_of_drawn_prices(name: str, stream: random.Random) -> None:
    """Whatever the prices, the bound is that of all rounds."""
    for _ in range(20):
        whole = _requests(stream, 6, stream.randint(1, 2))
        prices = [stream.choice((0, UNIT // 8, UNIT)) for _ in range(stream.randint(0, 12))]
        assert evaluate(whole, prices) == _priced(whole, prices)
