"""The exact methods against brute force and against each other."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from unittest.mock import ANY

import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.smtt import smtt, smwtt
from gapsmith.evaluators.smtt.bounds import price_bound, sorted_bound
from gapsmith.evaluators.smtt.decomposition import Decomposition, DecompositionLimit
from gapsmith.evaluators.smtt.precedence import precedence
from gapsmith.evaluators.smtt.relaxation import Proof, prove
from gapsmith.evaluators.smtt.search import cost_of, search
from gapsmith.evaluators.smtt.subsets import subset_optimum
from gapsmith.problems.base import Instance
from gapsmith.problems.smtt.verification import total_tardiness

Public = dict[str, list[int]]
Draw = Callable[..., Iterator[Public]]
Brute = Callable[[Public], int]


def decomposition_agrees(public: Public, optimum: int) -> None:
    """The decomposition's value and its sequence both attain the optimum."""
    method = Decomposition(public["processing_times"], public["due_dates"])
    order = method.sequence()
    assert method.value() == optimum
    assert sorted(order) == list(range(len(order)))
    assert total_tardiness(public, order) == optimum


def test_decomposition_equals_brute_force(draw: Draw, brute: Brute) -> None:
    """On 400 tie-heavy instances of up to 7 jobs."""
    for public in draw(400, 7, seed=1):
        decomposition_agrees(public, brute(public))


@pytest.mark.slow
def test_decomposition_equals_brute_force_on_many(draw: Draw, brute: Brute) -> None:
    """On 3,000 tie-heavy instances of up to 9 jobs; the dynamic programme stands for brute force above 7."""
    for public in draw(3_000, 9, seed=2):
        small = len(public["due_dates"]) <= 7
        decomposition_agrees(public, brute(public) if small else subset_optimum(public))


@pytest.mark.parametrize("weighted", [False, True])
def test_set_programme_and_relaxation_equal_brute_force(draw: Draw, brute: Brute, weighted: bool) -> None:
    """Both give the optimum; the relaxation from any sequence, and also from one that is optimal."""
    improved = 0
    for public in draw(80, 6, seed=3, weighted=weighted):
        optimum = brute(public)
        assert subset_optimum(public) == optimum
        start = range(len(public["due_dates"]))
        loose = prove(public, start, 30)
        best = loose.sequence or start
        assert (loose.bound, loose.optimal, cost_of(public, best)) == (optimum, True, optimum)
        assert prove(public, best, 30) == replace(loose, sequence=None, seconds=ANY, labels=ANY)
        improved += loose.sequence is not None
    assert improved > 40


@pytest.mark.slow
def test_the_first_bound_is_near_the_optimum_of_two_hundred_jobs() -> None:
    """Prices of an optimal sequence come within one percent at the first step; multipliers of 0 do not."""
    instance = next(i for i in smtt.problem().instances("n=200", 0) if i.stratum == "rdd=0.6 tf=0.8")
    method = Decomposition(**instance.public)
    optimum, sequence = method.value(), method.sequence()
    proof = prove(instance.public, sequence, 0.0)
    assert 0.99 * optimum <= proof.bound <= optimum


@pytest.mark.parametrize("weighted", [False, True])
def test_some_optimal_sequence_keeps_every_precedence(draw: Draw, brute: Brute, weighted: bool) -> None:
    """The pairs of Emmons' rules hold together in one optimal sequence, and there are some."""
    from itertools import permutations

    found = 0
    for public in draw(120, 6, seed=4, weighted=weighted):
        before = precedence(public).before
        jobs = range(len(public["due_dates"]))
        kept = [
            order
            for order in permutations(jobs)
            if not any(before[later, first] for k, first in enumerate(order) for later in order[k + 1 :])
        ]
        assert min(total_tardiness(public, order) for order in kept) == brute(public)
        found += int(before.sum())
    assert found > 300


@pytest.mark.slow
def test_the_two_exact_methods_agree_on_forty_jobs() -> None:
    """Decomposition and relaxation, which share no code, prove the same optimum on ten strata."""
    for instance in smtt.problem(jobs=30).instances("train", 7)[:10]:
        value = Decomposition(**instance.public).value()
        _, sequence = search(instance.public, 100, time.monotonic() + 5)
        proof = prove(instance.public, sequence, 60)
        assert (proof.bound, proof.optimal) == (value, True)


@pytest.mark.slow
def test_the_two_exact_methods_agree_on_a_hundred_jobs() -> None:
    """On one instance of each of the 20 strata; a bound where the relaxation does not finish."""
    finished = 0
    for instance in smtt.problem().instances("n=100", 0)[:20]:
        method = Decomposition(**instance.public)
        value = method.value()
        proof = prove(instance.public, method.sequence(), 15)
        assert proof.bound == value if proof.optimal else proof.bound <= value
        finished += proof.optimal
    assert finished >= 8


def test_a_time_limit_never_gives_an_unproven_optimum() -> None:
    """The decomposition gives up with an exception, the relaxation with a lower bound."""
    hard = next(i for i in smtt.problem().instances("n=200", 0) if i.stratum == "rdd=0.2 tf=0.6")
    with pytest.raises(DecompositionLimit):
        Decomposition(**hard.public, seconds=0.0).value()
    weighted = next(i for i in smwtt.problem(jobs=50).instances("train", 1) if i.stratum == "rdd=0.2 tf=0.6")
    upper, sequence = search(weighted.public, 50, time.monotonic() + 5)
    proof = prove(weighted.public, sequence, 0.0)
    assert not proof.optimal
    assert proof.bound <= upper
    assert proof.sequence is None


def test_the_sorted_bound_is_below_every_sequence(draw: Draw, brute: Brute) -> None:
    """With and without weights, and not always 0."""
    positive = 0
    for weighted in (False, True):
        for public in draw(100, 6, seed=6, weighted=weighted):
            bound = sorted_bound(public)
            assert 0 <= bound <= brute(public)
            positive += bound > 0
    assert positive > 50


@pytest.mark.parametrize("stretch", [1, 10**15])
def test_the_price_bound_is_below_every_sequence(draw: Draw, brute: Brute, stretch: int) -> None:
    """From any sequence, with and without weights, also beyond machine integers; near it from a good one."""
    near = 0
    for weighted in (False, True):
        for public in draw(60, 6, seed=9, weighted=weighted):
            stretched = {k: [x * stretch for x in v] if k != "weights" else v for k, v in public.items()}
            optimum, jobs = brute(public) * stretch, range(len(public["due_dates"]))
            for sequence in (jobs, jobs[::-1], prove(public, jobs, 30).sequence or jobs):
                bound = price_bound(stretched, sequence)
                assert 0 <= bound <= optimum
            near += bound >= 0.8 * optimum
    assert near > 60


@pytest.mark.parametrize("heavier", [10**6, 10**12])
def test_heavy_weights_stretch_the_price_bound_and_do_not_wrap(draw: Draw, heavier: int) -> None:
    """With lengths of up to 10^12 too, a bound grows as the weights do, also beyond machine integers."""
    for public in draw(40, 6, seed=9, weighted=True):
        long = {k: [x * 10**11 for x in v] if k != "weights" else v for k, v in public.items()}
        heavy = long | {"weights": [w * heavier for w in long["weights"]]}
        jobs = range(len(public["due_dates"]))
        assert price_bound(heavy, jobs) == price_bound(long, jobs) * heavier


@pytest.mark.slow
def test_a_large_instance_gets_a_bound_near_a_good_sequence() -> None:
    """In a second, where no exact method finishes, the bound is above 0.85 of a sequence found by search."""
    instance = next(i for i in smtt.problem().instances("n=500", 0) if i.stratum == "rdd=0.4 tf=0.6")
    reference = smtt.references.compute(instance, 1.0)
    cost, _ = search(instance.public, 20, time.monotonic() + 5)
    assert reference.kind is ReferenceKind.BOUND
    assert reference.value > 1.05 * sorted_bound(instance.public)
    assert 0.85 * cost < reference.value <= cost


def test_a_huge_instance_gets_its_bound_at_once() -> None:
    """Where a search would take memory by the square of the jobs, the sorted bound needs none."""
    public = {"processing_times": [3] * 20_000, "due_dates": list(range(20_000)), "weights": [2] * 20_000}
    instance = Instance("huge", "own", "all", public, 1, "test")
    tracemalloc.start()
    reference = smwtt.references.compute(instance, 0.05)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reference.value == sorted_bound(public) > 0
    assert most < 100e6


@pytest.mark.slow
def test_what_the_decomposition_leaves_of_the_time_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """After half of the time without an optimum the relaxation gets what search leaves of the other half."""
    hard = next(i for i in smtt.problem().instances("n=500", 0) if i.stratum == "rdd=0.4 tf=0.6")
    given = []

    def noted(public: Public, sequence: object, seconds: float, *more: object) -> Proof:
        given.append(seconds)
        return Proof(0, False, None, 0.0, 0)

    monkeypatch.setattr("gapsmith.evaluators.smtt.relaxation.prove", noted)
    monkeypatch.setattr("gapsmith.evaluators.smtt.references._PACE", 10**9)
    smtt.references.compute(hard, 2.0)
    assert given[0] > 0.2


def test_search_reports_the_cost_of_its_sequence(draw: Draw) -> None:
    """The returned cost is that of the returned permutation, and never above the start's."""
    for public in draw(60, 9, seed=8, weighted=True):
        cost, order = search(public, 30, time.monotonic() + 5)
        assert sorted(order) == list(range(len(order)))
        assert cost == total_tardiness(public, order)
