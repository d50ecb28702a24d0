"""References: bounds and certificates against brute force, tampering, and independent solvers."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.bin_packing import bin_packing as offline_plugin
from gapsmith.evaluators.bin_packing import online_bin_packing as online_plugin
from gapsmith.evaluators.bin_packing.bounds import martello_toth_bound, volume_bound, weight_bound
from gapsmith.evaluators.bin_packing.certify import certify
from gapsmith.evaluators.bin_packing.heuristics import best_fit_decreasing, first_fit_decreasing
from gapsmith.evaluators.bin_packing.proof import PackingCertificate, check
from gapsmith.evaluators.bin_packing.references import items
from gapsmith.evaluators.certified import Certificate
from gapsmith.problems.base import Instance


def small_cases(number: int) -> list[tuple[list[int], int]]:
    """Seeded instances of at most 9 items, among them equal, tiny and capacity-sized ones."""
    stream = random.Random(6)
    cases = []
    for _ in range(number):
        capacity = stream.choice([7, 10, 30, 100])
        low = stream.choice([1, capacity // 4 + 1])
        high = stream.choice([capacity, capacity // 2])
        cases.append(([stream.randint(low, max(low, high)) for _ in range(stream.randint(1, 9))], capacity))
    return cases


def test_certificates_prove_the_brute_force_optimum(brute_force: Callable[[Sequence[int], int], int]) -> None:
    """On 150 tiny instances the certificate is closed, holds, and its value is the true optimum."""
    for sizes, capacity in small_cases(150):
        certificate = certify(sizes, capacity, 5.0)
        assert check(certificate, Counter(sizes), capacity) is None
        optimum = brute_force(sizes, capacity)
        assert certificate.bound <= optimum <= len(certificate.bins), (sizes, capacity)
        assert not certificate.closed or certificate.bound == optimum


def test_bounds_never_exceed_the_optimum(brute_force: Callable[[Sequence[int], int], int]) -> None:
    """L1 ≤ L2 ≤ optimum, and arbitrary weights give a valid dual bound."""
    stream = random.Random(7)
    for sizes, capacity in small_cases(150):
        counts, optimum = Counter(sizes), brute_force(sizes, capacity)
        assert volume_bound(counts, capacity) <= martello_toth_bound(counts, capacity) <= optimum
        weights = {size: stream.randint(0, 9) for size in counts}
        weights[min(counts)] += 1
        assert weight_bound(counts, capacity, weights) <= optimum, (sizes, capacity, weights)


def test_l2_sees_what_volume_does_not() -> None:
    """Five items just over half a bin need five bins, of which L1 sees three."""
    counts = {51: 5}
    assert (volume_bound(counts, 100), martello_toth_bound(counts, 100)) == (3, 5)


def test_decreasing_rules_pack_as_the_textbook_says() -> None:
    """The item of size 2 goes to the bin opened first, or to the one that it fills exactly."""
    counts = Counter([7, 6, 2, 2])
    assert first_fit_decreasing(counts, 10) == [(7, 2), (6, 2)]
    assert best_fit_decreasing(Counter([6, 8, 2]), 10) == [(8, 2), (6,)]
    assert first_fit_decreasing(Counter([7, 8, 3, 2]), 11) == [(8, 3), (7, 2)]


def shipped(instance: Any) -> PackingCertificate:
    """What ships for an instance."""
    references: Any = offline_plugin.references
    return PackingCertificate.of(references.certificate(instance).evidence)


@pytest.fixture(scope="module")
def dual_case() -> tuple[PackingCertificate, Counter[int], int]:
    """A closed certificate whose bound needs weights, with its items."""
    for instance in offline_plugin.problem().instances("beta", 1):
        sizes, capacity = items(instance)
        certificate = shipped(instance)
        if certificate.rule == "dual":
            return certificate, Counter(sizes), capacity
    pytest.fail("no shipped certificate of the set `beta` has dual weights")


def test_tampered_certificates_are_rejected(dual_case: tuple[PackingCertificate, Counter[int], int]) -> None:
    """A bin less, a changed item, an overfull bin, another bound, bent weights: each is found."""
    good, counts, capacity = dual_case
    assert check(good, counts, capacity) is None
    first, second, *rest = good.bins
    bent = [
        replace(good, bins=good.bins[1:]),
        replace(good, bins=((first[0] - 1, *first[1:]), second, *rest)),
        replace(good, bins=((*first, *second), *rest)),
        replace(good, bins=(*good.bins, ())),
        replace(good, bound=good.bound - 1),
        replace(good, bound=good.bound + 1),
        replace(good, rule="L1"),
        replace(good, rule="faith"),
        replace(good, weights=None),
        replace(good, weights=dict.fromkeys(counts, 1)),
    ]
    assert [check(c, counts, capacity) is not None for c in bent] == [True] * len(bent)


def test_negative_weights_prove_nothing() -> None:
    """The dual bound is valid only for weights ≥ 0; others are refused, not used."""
    with pytest.raises(ValueError, match="negative"):
        weight_bound({5: 2}, 10, {5: -1})


def test_certificate_survives_its_file_form(dual_case: tuple[PackingCertificate, Counter[int], int]) -> None:
    """Encoding keeps bound, rule, weights and the multiset of bins."""
    good = dual_case[0]
    again = PackingCertificate.of(json.loads(json.dumps(good.document())))
    assert (again.bound, again.rule, again.weights) == (good.bound, good.rule, good.weights)
    assert sorted(again.bins) == sorted(good.bins)


@pytest.mark.parametrize("plugin", [offline_plugin, online_plugin])
def test_every_set_is_certified_without_a_solver(plugin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every instance of every set at the default seed has a proven optimum from a shipped certificate."""

    def no_solver(*arguments: Any) -> None:
        pytest.fail(f"a solver was asked: {arguments[1:]}")

    monkeypatch.setattr("gapsmith.evaluators.bin_packing.references.certify", no_solver)
    problem = plugin.problem()
    proofs: Counter[ProofKind | None] = Counter()
    for name in problem.sets():
        for instance in problem.instances(name, 1):
            reference = plugin.references.reference(instance, 1.0)
            assert reference.kind is ReferenceKind.OPTIMUM, instance.id
            proofs[reference.proof] += 1
    assert set(proofs) == {ProofKind.ARITHMETIC, ProofKind.DUAL, ProofKind.CONSTRUCTION}


def test_a_bent_shipped_certificate_is_not_used(offline: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that does not hold is ignored: the optimum is proven anew, and agrees."""
    instance = offline.instances("u120", 1)[0]
    references = offline_plugin.references
    assert references is not None
    honest = references.reference(instance, 10.0)
    good = shipped(instance)
    lie = replace(good, bins=good.bins[1:], bound=good.bound - 1)
    stored = Certificate(honest, evidence=lie.document())
    monkeypatch.setattr(type(references), "certificate", lambda self, instance: stored)
    again = references.reference(instance, 10.0)
    assert (again.value, again.solver) == (honest.value, "column generation")


def test_a_wrong_witness_is_not_believed(offline: Any) -> None:
    """A hidden packing that overfills a bin proves nothing; the optimum is found another way."""
    public = {"sizes": [6, 6, 4], "capacity": 10}
    instance = Instance("x", "test", "x", public, 1, "test", {"packing": [0, 0, 0]})
    references = offline_plugin.references
    assert references is not None
    assert references.reference(instance, 5.0).value == 2


def test_no_time_gives_a_bound_not_an_optimum() -> None:
    """Where the decreasing rules do not meet L2 and there is no time, the reference is a proven bound."""
    sizes = [s for a in range(380, 400) for s in (a, 250 + a % 7, 750 - a - a % 7)]
    instance = Instance("x", "test", "x", {"sizes": sizes, "capacity": 1000}, 1, "test")
    references = offline_plugin.references
    assert references is not None
    bound, optimum = references.reference(instance, 0.0), references.reference(instance, 20.0)
    assert (bound.kind, bound.value) == (ReferenceKind.BOUND, 20)
    assert (optimum.kind, optimum.value) == (ReferenceKind.OPTIMUM, 20)


def test_online_reference_says_what_it_is(online: Any) -> None:
    """Wherever it is printed, the offline optimum is called a lower bound for any online rule."""
    references = online_plugin.references
    assert references is not None
    source = references.reference(online.instances("u120", 1)[0], 1.0).source
    assert "a lower bound for any online rule" in source


def test_reprove_repeats_the_reference(offline: Any) -> None:
    """Re-proving uses nothing of the stored reference: a forged one comes back corrected."""
    references = offline_plugin.references
    instance = offline.instances("quarter-half", 1)[0]
    stored = references.reference(instance, 5.0)
    forged = replace(stored, value=stored.value - 1, bound=stored.value - 1)
    assert references.reprove(instance, forged, 5.0).value == stored.value


@pytest.mark.slow
def test_fresh_seeds_are_certified_in_seconds(offline: Any) -> None:
    """Instances that no shipped certificate covers are closed within 5 s each (generous: 20 s)."""
    for name in (
        "u120",
        "u250",
        "u500",
        "u1000",
        "weibull-1k",
        "weibull-5k",
        "uniform",
        "beta",
        "quarter-half",
    ):
        for instance in offline.instances(name, 77)[:4]:
            sizes, capacity = items(instance)
            certificate = certify(sizes, capacity, 20.0)
            assert certificate.closed, instance.id
            assert check(certificate, Counter(sizes), capacity) is None


@pytest.mark.slow
def test_arc_flow_and_cpsat_agree(brute_force: Callable[[Sequence[int], int], int]) -> None:
    """Two solvers with two other models find the certified optimum on twelve instances of up to 30 items."""
    stream = random.Random(8)
    for _ in range(12):
        capacity = stream.choice([20, 50])
        sizes = [stream.randint(capacity // 6, capacity // 2 + 2) for _ in range(stream.randint(12, 30))]
        certificate = certify(sizes, capacity, 20.0)
        assert certificate.closed
        assert arc_flow(sizes, capacity) == certificate.bound
        assert (
            cp_sat(sizes, capacity, len(best_fit_decreasing(Counter(sizes), capacity))) == certificate.bound
        )


def arc_flow(sizes: Sequence[int], capacity: int) -> int:
    """Optimum by arc flow (Valério de Carvalho 1999), solved by HiGHS through PuLP."""
    import pulp
    from gapsmith.evaluators.toolbox import solve_mip

    counts = Counter(sizes)
    model = pulp.LpProblem("arc_flow", pulp.LpMinimize)
    bins = model.add_variable("bins", 0, len(sizes), cat="Integer")
    flow = {
        (start, size): model.add_variable(f"f_{start}_{size}", 0, count, cat="Integer")
        for size, count in counts.items()
        for start in range(capacity - size + 1)
    }
    waste = [model.add_variable(f"w_{v}", 0, cat="Integer") for v in range(capacity)]
    model += bins
    for node in range(capacity + 1):
        incoming = [f for (start, size), f in flow.items() if start + size == node]
        outgoing = [f for (start, _), f in flow.items() if start == node]
        if node:
            incoming.append(waste[node - 1])
        if node < capacity:
            outgoing.append(waste[node])
        balance = pulp.lpSum(outgoing) - pulp.lpSum(incoming)
        model += balance == (bins if node == 0 else -bins if node == capacity else 0)
    for size, count in counts.items():
        model += pulp.lpSum(f for (_, s), f in flow.items() if s == size) >= count
    solved = solve_mip(model, seconds=60, integral_objective=True)
    assert solved.value is not None
    assert solved.value == solved.bound
    return int(solved.value)


def cp_sat(sizes: Sequence[int], capacity: int, most: int) -> int:
    """Optimum by assignment of items to at most `most` bins, solved by CP-SAT."""
    from gapsmith.evaluators.toolbox import solve_cpsat
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    order = sorted(sizes, reverse=True)
    used = [model.new_bool_var(f"u{b}") for b in range(most)]
    inside = [[model.new_bool_var(f"x{j}_{b}") for b in range(most)] for j in range(len(order))]
    for row in inside:
        model.add_exactly_one(row)
    for b in range(most):
        model.add(sum(size * inside[j][b] for j, size in enumerate(order)) <= capacity * used[b])
        if b:
            model.add_implication(used[b], used[b - 1])
    model.minimize(sum(used))
    solved = solve_cpsat(model, seconds=60, known_bound=-(-sum(sizes) // capacity))
    assert solved.value is not None
    assert solved.value == solved.bound
    return int(solved.value)
