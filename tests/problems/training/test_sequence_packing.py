"""Sequence packing: verdicts, the cost model, programs, the bound, and optima by two solvers."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.training import sequence_packing as plugin
from gapsmith.evaluators.training.packing_bound import lower_bound, span_bound, suffices
from gapsmith.evaluators.training.sequence_packing import solve
from gapsmith.problems.base import Instance, Problem, VerdictStatus
from gapsmith.problems.training.packing_laws import public_part
from gapsmith.problems.training.sequence_packing import judge

FOUR_DEVICES = {
    "devices": 4,
    "capacity": 10,
    "overhead": 5,
    "degrees": [1, 2, 4],
    "lengths": [18, 9, 4, 3],
    "times": [[0, 10, 6], [9, 5, 3], [4, 3, 2], [3, 2, 1]],
}


def small(**changes: Any) -> Instance:
    """Four sequences on four devices, or another public part."""
    return Instance("small", "train", "small", {**FOUR_DEVICES, **changes}, 1, "by hand")


@pytest.mark.parametrize(
    ("answer", "objective"),
    [
        ([[[2, [0]], [1, [1]], [1, [2, 3]]]], 5 + 10),
        ([[[4, [0, 1, 2, 3]]]], 5 + 12),
        ([[[2, [0]]], [[2, [1, 2]], [2, [3]]]], 2 * 5 + 10 + 8),
    ],
)
def test_the_objective_is_overhead_and_slowest_group(answer: Any, objective: int) -> None:
    """Each microbatch costs its overhead and the time of its slowest group."""
    verdict = plugin.problem().verify(small(), answer)
    assert verdict.objective == objective, verdict.violations


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ([[[2, [0]], [1, [1]], [1, [2]]]], VerdictStatus.INFEASIBLE),  # a sequence left out
        ([[[2, [0]], [1, [1]], [1, [2, 3, 1]]]], VerdictStatus.INFEASIBLE),  # a sequence twice
        ([[[2, [0]], [2, [1]], [1, [2, 3]]]], VerdictStatus.INFEASIBLE),  # five devices
        ([[[1, [0]], [1, [1]], [1, [2, 3]]]], VerdictStatus.INFEASIBLE),  # a time of 0 is no free time
        ([[[2, [0, 2]], [1, [1]], [1, [3]]]], VerdictStatus.INFEASIBLE),  # 22 tokens on two devices
        ([[[3, [0, 1, 2, 3]]]], VerdictStatus.INVALID_ANSWER),  # no listed degree
        ([[[True, [3]], [2, [0]], [1, [1, 2]]]], VerdictStatus.INVALID_ANSWER),
        ([[[2, [False]], [1, [1]], [1, [2, 3]]]], VerdictStatus.INVALID_ANSWER),
        ([[[2.0, [0]], [1, [1]], [1, [2, 3]]]], VerdictStatus.INVALID_ANSWER),
        ([[[2, [0]], [1, []], [1, [1, 2, 3]]]], VerdictStatus.INVALID_ANSWER),  # an empty group
        ([[[4, [0, 1, 2, 3]]], []], VerdictStatus.INVALID_ANSWER),  # an empty microbatch
        ([[[4, [0, 1, 2, -1]]]], VerdictStatus.INVALID_ANSWER),
        ([[[4, [0, 1, 2, 3], 1]]], VerdictStatus.INVALID_ANSWER),
        ([[4, [0, 1, 2, 3]]], VerdictStatus.INVALID_ANSWER),
        ([], VerdictStatus.INFEASIBLE),
        ({}, VerdictStatus.INVALID_ANSWER),
        (None, VerdictStatus.INVALID_ANSWER),
    ],
)
def test_cheats_end_in_a_status(answer: Any, status: VerdictStatus) -> None:
    """Booleans, doubled and missing sequences, empty lists and too many devices get a sentence, no time."""
    verdict = plugin.problem().verify(small(), answer)
    assert verdict.status is status
    assert verdict.violations


def test_the_cost_model_is_exact_and_rounds_up() -> None:
    """Within a unit of the published constants in floats; dear beyond a node, no exchange on one device."""
    for degree, bandwidth in ((1, None), (2, 154.0), (4, 137.0), (8, 121.0), (16, 8.7), (64, 8.7)):
        for tokens in (1, 777, 8_192, 131_072):
            micro = (5.128e-3 * tokens**2 + 183.9576 * tokens) / degree
            micro += 0 if bandwidth is None else 2_000 * tokens / (degree * bandwidth)
            public = public_part(degree, tokens, 1, [tokens])
            assert 0 <= public["times"][0][-1] - micro / 10 <= 1.000001  # type: ignore[index]


def test_sequences_that_do_not_fit_have_time_zero() -> None:
    """A device holds 8192 tokens, so 8193 need two."""
    public = public_part(4, 8_192, 1, [8_192, 8_193, 32_768])
    assert [[time > 0 for time in row] for row in public["times"]] == [  # type: ignore[attr-defined]
        [True, True, True],
        [False, True, True],
        [False, False, True],
    ]


def plans(public: dict[str, Any], left: list[int]) -> Iterator[list[Any]]:
    """Every plan of the sequences left: partitions into groups, groups into microbatches."""
    for groups in partitions(left):
        for degrees in itertools.product(public["degrees"], repeat=len(groups)):
            for step in partitions(list(zip(degrees, groups, strict=True))):
                yield [[[d, list(members)] for d, members in microbatch] for microbatch in step]


def partitions(items: list[Any]) -> Iterator[list[list[Any]]]:
    """Every partition of the items into non-empty sets."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for n, part in enumerate(rest):
            yield [*rest[:n], [items[0], *part], *rest[n + 1 :]]


def random_public(stream: random.Random, sequences: int) -> dict[str, Any]:
    """A tiny step on two devices whose larger group is sometimes faster, sometimes slower per device."""
    lengths = [stream.randint(1, 16) for _ in range(sequences)]
    alone = [stream.randint(1, 30) for _ in range(sequences)]
    pair = [max(1, time * stream.randint(4, 9) // 10) for time in alone]
    times = [[a if n <= 8 else 0, p] for n, a, p in zip(lengths, alone, pair, strict=True)]
    return {
        "devices": 2,
        "capacity": 8,
        "overhead": stream.randint(0, 20),
        "degrees": [1, 2],
        "lengths": lengths,
        "times": times,
    }


@pytest.mark.slow
def test_bound_and_optimum_agree_with_brute_force() -> None:
    """On tiny steps the bound is at most the optimum of all plans, and the solver finds that optimum."""
    stream = random.Random(1)
    for number in range(6):
        public = random_public(stream, 4)
        verdicts = (judge(public, plan) for plan in plans(public, [0, 1, 2, 3]))
        optimum = min(v.objective for v in verdicts if v.objective is not None)
        assert lower_bound(public) <= optimum
        if number < 2:
            reference = solve(public, 10, "cp-sat").reference
            assert reference.value <= optimum
            assert reference.kind is not ReferenceKind.OPTIMUM or reference.value == optimum


def test_span_bound_is_the_least_that_suffices() -> None:
    """Bisection stops at the first time at which all devices could do the work; one less does not suffice."""
    stream = random.Random(2)
    for _ in range(100):
        public = random_public(stream, stream.randint(1, 9))
        span = span_bound(public)
        assert suffices(public, span)
        assert not any(suffices(public, less) for less in range(1, span))


@pytest.mark.parametrize("name", ["train", "long-tail", "small"])
def test_programs_are_feasible_and_above_the_reference(name: str, answer_of: Callable[..., Any]) -> None:
    """On every stratum each start program and baseline plans all sequences."""
    problem: Problem = plugin.problem()
    for instance in problem.instances(name, 1)[:6]:
        reference = plugin.references.reference(instance, 1)  # type: ignore[union-attr]
        for rule, source in {**problem.start_programs(), **problem.baselines()}.items():
            verdict = problem.verify(instance, answer_of(problem, source, instance))
            assert verdict.objective is not None, (rule, verdict.violations)
            assert verdict.objective >= reference.value


def test_small_steps_ship_with_proven_optima() -> None:
    """All twelve references of the set `small` are optima at once, at or above the arithmetic bound."""
    for instance in plugin.problem().instances("small", 1):
        reference = plugin.references.shipped(instance)  # type: ignore[union-attr]
        assert reference.kind is ReferenceKind.OPTIMUM
        assert reference.value >= lower_bound(instance.public)


@pytest.mark.parametrize(
    "some", [slice(7, 8), pytest.param(slice(0, 12), marks=pytest.mark.slow)], ids=["one", "all"]
)
def test_a_second_solver_proves_the_same_optima(some: slice) -> None:
    """HiGHS finds the shipped values from a model of its own wherever it finishes."""
    finished = 0
    for instance in plugin.problem().instances("small", 1)[some]:
        reference = plugin.references.reference(instance, 1)  # type: ignore[union-attr]
        again = plugin.references.reprove(instance, reference, 30)  # type: ignore[union-attr]
        assert again.value <= reference.value
        if again.kind is ReferenceKind.OPTIMUM:
            finished += 1
            assert again.value == reference.value
    assert finished >= 1


def test_default_instances_have_arithmetic_bounds() -> None:
    """Six strata; no solver is needed for the splits, and splits of one seed share no instance."""
    problem = plugin.problem()
    splits = {name: problem.instances(name, 1) for name in ("train", "valid", "test")}
    assert [len(split) for split in splits.values()] == [12, 24, 48]
    assert len({i.digest for split in splits.values() for i in split}) == 84
    reference = plugin.references.reference(splits["test"][0], 1)  # type: ignore[union-attr]
    assert (reference.kind, reference.proof) == (ReferenceKind.BOUND, ProofKind.ARITHMETIC)


def test_the_chart_fills_every_device() -> None:
    """Overhead, sequences and waiting cover all devices for the whole step."""
    problem = plugin.problem()
    drawing = problem.draw(small(), [[[2, [0]], [1, [1]]], [[1, [2, 3]]]])
    area = sum(shape.width * shape.height for shape in drawing.shapes if shape.kind == "rectangle")
    assert area == pytest.approx(4 * (2 * 5 + 10 + 7) / 100_000)
