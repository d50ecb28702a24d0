"""Expert placement: instances, verdicts, published rules and bounds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.placement import expert_placement as plugin
from gapsmith.evaluators.placement.expert_placement import lower_bound, smallest_largest_copy
from gapsmith.problems.base import Instance, Problem, VerdictStatus
from gapsmith.problems.strata import stream

SMALL = {"loads": [90, 30, 20], "gpus": 2, "slots": 2, "groups": 1, "nodes": 1}


def small(**changes: Any) -> Instance:
    """Three experts on two GPUs with two slots, or another public part."""
    return Instance("small", "train", "small", {**SMALL, **changes}, 1, "by hand")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ([[0, 1], [0, 2]], VerdictStatus.VALID),
        ([[0], [1, 2]], VerdictStatus.VALID),
        ([[0, 1], [0, 0]], VerdictStatus.INFEASIBLE),  # an expert dropped
        ([[0, 1, 2], [0]], VerdictStatus.INFEASIBLE),  # more experts than slots
        ([[0, 1], [0, 2], [1]], VerdictStatus.INVALID_ANSWER),  # more GPUs than given
        ([[0, 1, 2]], VerdictStatus.INVALID_ANSWER),
        ([[0, 1], [True, 2]], VerdictStatus.INVALID_ANSWER),
        ([[0, 1], [0, 2.0]], VerdictStatus.INVALID_ANSWER),
        ([[0, 1], [-1, 2]], VerdictStatus.INVALID_ANSWER),
        ([[0, 1], [3, 2]], VerdictStatus.INVALID_ANSWER),
        ([0, 1], VerdictStatus.INVALID_ANSWER),
        ({}, VerdictStatus.INVALID_ANSWER),
        (None, VerdictStatus.INVALID_ANSWER),
    ],
)
def test_plans_are_judged(answer: Any, status: VerdictStatus) -> None:
    """Missing experts, too many GPUs or slots, booleans and floats get no load."""
    assert plugin.problem().verify(small(), answer).status is status


def test_tokens_are_split_evenly_over_copies() -> None:
    """Three copies of 100 tokens carry 100/3 each, exactly; two copies on one GPU count twice."""
    problem = plugin.problem()
    instance = small(loads=[100, 30, 20], slots=3)
    assert problem.verify(instance, [[0, 0, 1], [0, 2]]).objective == Fraction(200, 3) + 30
    assert problem.verify(instance, [[0, 1], [0, 0, 2]]).objective == Fraction(200, 3) + 20


def test_the_next_step_is_judged_on_loads_that_stay_hidden(answer_of: Callable[..., Any]) -> None:
    """The set next-step shows the test set's loads and judges by others."""
    problem: Problem = plugin.problem()
    now, later = problem.instances("test", 1)[0], problem.instances("next-step", 1)[0]
    assert dict(now.public) == dict(later.public)
    assert now.digest != later.digest
    plan = answer_of(problem, problem.baselines()["eplb-global"], now)
    first, second = problem.verify(now, plan).objective, problem.verify(later, plan).objective
    assert first is not None
    assert second is not None
    assert first < second


def test_published_rules_fill_every_slot_and_keep_groups_on_a_node(answer_of: Callable[..., Any]) -> None:
    """EPLB uses all slots; its hierarchical form keeps each group of experts on one node."""
    problem: Problem = plugin.problem()
    for instance in problem.instances("train", 1)[:6]:
        public = instance.public
        for name in ("eplb-global", "eplb-hierarchical", "eplb-swaps"):
            plan = answer_of(problem, problem.baselines()[name], instance)
            assert [len(held) for held in plan] == [public["slots"]] * public["gpus"]
        size, per_node = len(public["loads"]) // public["groups"], public["gpus"] // public["nodes"]
        plan = answer_of(problem, problem.baselines()["eplb-hierarchical"], instance)
        homes: dict[int, set[int]] = {}
        for gpu, held in enumerate(plan):
            for expert in held:
                homes.setdefault(expert // size, set()).add(gpu // per_node)
        assert all(len(nodes) == 1 for nodes in homes.values())


def test_every_program_stays_above_the_bound(answer_of: Callable[..., Any]) -> None:
    """No rule beats the reference, and swaps do not harm."""
    problem: Problem = plugin.problem()
    for instance in [*problem.instances("train", 1)[:6], problem.instances("nine-slots", 1)[0]]:
        reference = plugin.references.reference(instance, 5)  # type: ignore[union-attr]
        found = {}
        for name, source in {**problem.start_programs(), **problem.baselines()}.items():
            verdict = problem.verify(instance, answer_of(problem, source, instance))
            assert verdict.objective is not None
            assert verdict.objective >= reference.value
            found[name] = verdict.objective
        assert found["eplb-swaps"] <= found["eplb-global"]


def test_bounds_are_below_brute_force_and_two_roads_agree() -> None:
    """On tiny layers the bound is at most the optimum over all plans, and an optimum is the optimum."""
    problem = plugin.problem()
    for number in range(12):
        source = stream(f"experts {number}")
        loads = [source.randint(1, 40) for _ in range(3)]
        instance = small(loads=loads)
        plans = itertools.product(itertools.product(range(3), repeat=2), repeat=2)
        verdicts = [problem.verify(instance, [list(held) for held in plan]) for plan in plans]
        optimum = min(v.objective for v in verdicts if v.objective is not None)
        reference = plugin.references.reference(instance, 5)  # type: ignore[union-attr]
        again = plugin.references.reprove(instance, reference, 5)  # type: ignore[union-attr]
        assert reference.value <= optimum
        assert again.value == reference.value
        assert reference.kind is again.kind
        assert reference.proof is ProofKind.ARITHMETIC
        if reference.kind is ReferenceKind.OPTIMUM:
            assert reference.value == optimum


def test_the_largest_copy_by_greedy_and_by_bisection() -> None:
    """Giving copies greedily and searching the value agree on skewed loads."""
    for number in range(20):
        source = stream(f"copies {number}")
        loads = [int(source.lognormvariate(3, 2)) + 1 for _ in range(source.randint(2, 12))]
        slots = len(loads) + source.randint(0, 10)
        assert lower_bound(loads, slots, 1) == smallest_largest_copy(loads, slots)


def test_a_plan_can_be_drawn() -> None:
    """One rectangle per copy and a line at the mean load."""
    drawing = plugin.problem().draw(small(), [[0, 1], [0, 2]])
    assert sum(shape.kind == "rectangle" for shape in drawing.shapes) == 4
    assert [shape.y for shape in drawing.shapes if shape.kind == "line"] == [70]
