"""The bound of memory prices: below brute force, valid for any prices, and exact."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.serving import bound, kv_scheduling, kv_scheduling_rule
from gapsmith.evaluators.serving.references import KvSchedulingReferences
from gapsmith.problems.serving.verification import horizon, judge


def least_latency(whole: Any) -> int:
    """The least sum of latencies of all workers and starts."""
    spans = [range(arrival, horizon(whole) + 1) for arrival in whole["arrivals"]]
    best = None
    for starts in product(*spans):
        total = sum(starts) + sum(whole["outputs"]) - sum(whole["arrivals"])
        if best is not None and total >= best:
            continue
        for workers in product(range(whole["workers"]), repeat=len(starts)):
            answer = [list(place) for place in zip(workers, starts, strict=True)]
            if judge(whole, answer).objective is not None:  # type: ignore[arg-type]
                best = total
                break
    assert best is not None
    return best


@pytest.mark.parametrize("workers", [1, 2])
def test_the_bound_is_below_brute_force(workers: int, requests_of: Any) -> None:
    """Of three requests, also with prices drawn at random; the programme's are the better ones."""
    stream = random.Random(workers)
    tight = 0
    for whole in requests_of(8, 3, workers, 6, seed=20 + workers):
        optimum = least_latency(whole)
        priced = bound.best_prices(whole, 10)
        assert sum(whole["outputs"]) <= bound.evaluate(whole, priced) <= optimum
        tight += bound.evaluate(whole, priced) == optimum
        for _ in range(20):
            other = [stream.randrange(bound.UNIT // 4) for _ in range(stream.randrange(12))]
            assert bound.evaluate(whole, other) <= optimum
    assert tight


def test_the_evaluation_is_the_formula(requests_of: Any) -> None:
    """Sums by prefix agree with the formula written out in fractions, far behind the last price too."""
    stream = random.Random(3)
    for whole in requests_of(10, 5, 2, 12, seed=30):
        priced = [stream.randrange(bound.UNIT // 50) for _ in range(stream.randrange(15))]
        prices = [Fraction(price, bound.UNIT) for price in priced] + [Fraction(0)] * 100
        total = -whole["workers"] * whole["memory"] * sum(prices)
        for arrival, prompt, output in zip(
            whole["arrivals"], whole["prompts"], whole["outputs"], strict=True
        ):
            total += min(
                start
                + output
                - arrival
                + sum(prices[start + k - 1] * (prompt + k) for k in range(1, output + 1))
                for start in range(arrival, 60)
            )
        assert bound.evaluate(whole, priced) == max(-(-total // 1), sum(whole["outputs"]))


def test_without_prices_the_bound_is_the_service() -> None:
    """Nothing of the solver is needed for a valid bound; time that is over leaves this one."""
    whole: Any = kv_scheduling.problem().instances("train", 1)[0].public
    assert bound.evaluate(whole, []) == sum(whole["outputs"])


def test_prices_of_several_rounds_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is weaker by a few percent, and remains if the fine programme is not solved in time."""
    whole: Any = kv_scheduling.problem().instances("train", 1)[3].public
    step = bound.width(whole)
    coarse, fine = (bound.prices(whole, 60, rounds) for rounds in (4 * step, step))
    assert sum(whole["outputs"]) < bound.evaluate(whole, coarse) <= bound.evaluate(whole, fine)
    assert bound.evaluate(whole, coarse) > 0.97 * bound.evaluate(whole, fine)
    assert bound.best_prices(whole, 60) == fine
    monkeypatch.setattr(bound, "prices", lambda whole, seconds, step: coarse if step > 2 else [])
    assert bound.best_prices(whole, 60) == coarse


@pytest.mark.parametrize("step", [1, 2, 3, 8])
def test_columns_add_up_the_tokens_of_each_span(step: int) -> None:
    """Of all starts of a request, counted round by round."""
    starts = np.arange(5, 40, step)
    for prompt, output in ((3, 1), (1, 7), (4, 8), (2, 17)):
        rows, sums = bound._columns(starts, prompt, output, step)
        for start, numbers, tokens in zip(starts, rows, sums, strict=True):
            counted: Counter[int] = Counter()
            for k in range(1, output + 1):
                counted[int(start + k - 1) // step] += prompt + k
            pairs = [pair for pair in zip(numbers, tokens, strict=True) if pair[0] < 10**9]
            assert pairs == sorted(counted.items())
            assert sum(tokens) == sum(counted.values())


def test_bounds_of_the_splits_ship() -> None:
    """All 80; what a secret keys has none."""
    for split in ("train", "valid", "test"):
        for instance in kv_scheduling.problem().instances(split, 1):
            reference = KvSchedulingReferences().shipped(instance)
            assert reference is not None, instance.id
            assert (reference.kind, reference.proof) == (ReferenceKind.BOUND, ProofKind.DUAL)
    for instance in kv_scheduling_rule.problem().instances("train", 1):
        assert KvSchedulingReferences().shipped(instance) is None


def test_large_instances_have_coarse_prices() -> None:
    """The programme keeps to its size whatever a file holds."""
    small: Any = kv_scheduling.problem().instances("train", 1)[0].public
    large = {**small, "arrivals": [0] * 1000, "prompts": [9] * 1000, "outputs": [90] * 1000}
    assert bound.width(small) == 1
    assert bound.width(large) > 8


def test_no_program_beats_the_bound(run: Any) -> None:
    """Two workers with a mixture; both forms have the same bound, with a proof by duals."""
    problem = kv_scheduling.problem()
    hidden = kv_scheduling_rule.problem().instances("valid", 1)
    for instance, other in list(zip(problem.instances("valid", 1), hidden, strict=True))[3:4]:
        assert kv_scheduling.references is not None
        reference = kv_scheduling.references.reference(instance, 60)
        assert (reference.kind, reference.proof) == (ReferenceKind.BOUND, ProofKind.DUAL)
        assert kv_scheduling.references.reference(other, 60).value == reference.value
        for name, source in problem.baselines().items():
            value = problem.verify(instance, run(problem, source, dict(instance.public))).objective
            assert value is not None
            assert value >= reference.value, name
