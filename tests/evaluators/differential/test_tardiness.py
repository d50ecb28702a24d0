"""Total tardiness, with and without weights, against a programme over sets of jobs."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from gapsmith.evaluators.smtt import subsets
from gapsmith.evaluators.smtt.bounds import price_bound, sorted_bound
from gapsmith.evaluators.smtt.relaxation import prove as relax

NAMES = [("smtt", False), ("smtt-rule", False), ("smwtt", True), ("smwtt-rule", True)]


def _jobs(stream: random.Random, jobs: int, weighted: bool) -> dict[str, Any]:
    """Due dates around the middle, where the hardest instances are."""
    times = [stream.randint(1, 40) for _ in range(jobs)]
    dates = [stream.randint(round(0.15 * sum(times)), round(0.6 * sum(times))) for _ in range(jobs)]
    public: dict[str, Any] = {"processing_times": times, "due_dates": dates}
    if weighted:
        public["weights"] = [stream.randint(1, 10) for _ in range(jobs)]
    return public


def _over_sets(public: dict[str, Any]) -> tuple[int, list[int]]:
    """Least total tardiness and a sequence: the cheapest last job of each set."""
    times, dates = public["processing_times"], public["due_dates"]
    weights = public.get("weights", [1] * len(times))
    best = [(0, -1)]
    for members in range(1, 1 << len(times)):
        inside = [j for j in range(len(times)) if members >> j & 1]
        end = sum(times[j] for j in inside)
        found = [(best[members ^ (1 << j)][0] + weights[j] * max(0, end - dates[j]), j) for j in inside]
        best.append(min(found))
    order, members = list[int](), (1 << len(times)) - 1
    while members:
        order.append(best[members][1])
        members ^= 1 << order[-1]
    return best[-1][0], order[::-1]


@pytest.mark.parametrize(("name", "weighted"), NAMES)
def test_tardiness_over_sets(
    name: str, weighted: bool, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Twelve jobs: the optimum is that of the programme over sets, by each method; bounds are below."""
    instance = drawn(_jobs(stream, 12, weighted))
    public = instance.public
    least, order = _over_sets(public)
    assert objective(name, instance, order) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert subsets.subset_optimum(public) == least
    assert sorted_bound(public) <= least
    assert price_bound(public, order) <= least
    shuffled = stream.sample(order, len(order))
    proof = relax(public, shuffled, 30.0)
    assert proof.bound <= least
    assert not proof.optimal or proof.bound == least
