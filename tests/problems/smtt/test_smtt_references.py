"""References: shipped and computed, their proof, and that nothing beats them."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.smtt import smtt, smwtt
from gapsmith.evaluators.smtt.relaxation import prove
from gapsmith.evaluators.smtt.search import cost_of, search
from gapsmith.evaluators.smtt.subsets import MOST_JOBS
from gapsmith.problems.base import SPLITS, Instance

REFERENCES: Any = smtt.references
Load = Callable[[Any, str], Callable[..., list[int]]]


def all_shipped() -> list[Instance]:
    """Every instance of an unweighted fixed set, and of the weighted splits of the default seed."""
    plain, weighted = smtt.problem(), smwtt.problem()
    found: list[Instance] = []
    for name in plain.sets():
        if name not in SPLITS:
            found.extend(plain.instances(name, 0))
    for name in SPLITS:
        found.extend(weighted.instances(name, 1))
    return found


def test_references_ship_for_the_fixed_sets() -> None:
    """All optima up to 200 jobs, most of 500 jobs and of the weighted splits; no value is a citation."""
    kinds: dict[str, Counter[ReferenceKind]] = {}
    for instance in all_shipped():
        reference = REFERENCES.shipped(instance)
        if reference is not None:
            assert reference.source == "computed by the project"
            assert reference.proof not in (None, ProofKind.LITERATURE)
            kinds.setdefault(instance.split, Counter())[reference.kind] += 1
    for name, count in {"n=20": 400, "n=50": 400, "n=100": 400, "n=200": 100}.items():
        assert kinds[name] == {ReferenceKind.OPTIMUM: count}
    for name, count in {"train": 25, "valid": 50, "test": 100}.items():
        assert kinds[name].total() == count
        assert kinds[name][ReferenceKind.OPTIMUM] >= 0.8 * count
    assert kinds["n=500"][ReferenceKind.OPTIMUM] >= 50


def test_shipped_sequences_attain_their_references() -> None:
    """Each is a permutation whose cost is the optimum, or not below the bound."""
    checked = 0
    for instance in all_shipped():
        certificate = REFERENCES.certificate(instance)
        if certificate is None or certificate.answer is None:
            continue
        sequence: Any = certificate.answer
        reference = certificate.reference
        checked += 1
        assert sorted(sequence) == list(range(len(instance.public["due_dates"])))
        cost = cost_of(instance.public, sequence)
        if reference.kind is ReferenceKind.BOUND:
            assert cost >= reference.value
        else:
            assert cost == reference.value
    assert checked == 1575


@pytest.mark.slow
def test_a_sample_of_the_shipped_optima_is_proved_again() -> None:
    """By the set programme up to 20 jobs, by the relaxation above, never by the method that made them."""
    small, large = smtt.problem().instances("n=20", 0)[:3], smtt.problem().instances("n=50", 0)[23:25]
    references: Any = smtt.references
    for instance in (*small, *large):
        stored = references.reference(instance, 1.0)
        again = references.reprove(instance, stored, 30.0)
        assert again.solver != stored.solver
        assert again.kind is ReferenceKind.OPTIMUM
        assert again.value == stored.value
        assert (len(instance.public["due_dates"]) <= MOST_JOBS) == ("subset" in again.solver)


@pytest.mark.slow
def test_a_larger_sample_is_proved_again() -> None:
    """Optima of 100 jobs where the relaxation finishes in 15 s, a bound not above them elsewhere."""
    references: Any = smtt.references
    proofs = Counter()  # type: ignore[var-annotated]
    for instance in smtt.problem().instances("n=100", 0)[40:52]:
        stored = references.reference(instance, 1.0)
        again = references.reprove(instance, stored, 15.0)
        assert (
            again.value == stored.value
            if again.kind is ReferenceKind.OPTIMUM
            else again.value <= stored.value
        )
        proofs[again.kind] += 1
    assert proofs[ReferenceKind.OPTIMUM] >= 5


def test_a_wrong_reference_is_found_out() -> None:
    """A value that the stored sequence does not attain is an error, not a reference."""
    instance = smtt.problem().instances("n=50", 0)[1]
    references: Any = smtt.references
    right = references.reference(instance, 1.0)
    wrong = type(right).optimum(right.value - 1, right.proof, right.solver, right.version, None, "forged")
    with pytest.raises(ValueError, match="stored sequence"):
        references.reprove(instance, wrong, 5.0)


def test_references_of_new_instances_are_optima() -> None:
    """Computed by decomposition, with its proof and time."""
    for instance in smtt.problem(jobs=30).instances("train", 99)[:10]:
        reference = smtt.references.reference(instance, 10.0)  # type: ignore[union-attr]
        assert reference.kind is ReferenceKind.OPTIMUM
        assert reference.proof is ProofKind.CONSTRUCTION
        assert reference.seconds is not None


@pytest.mark.slow
def test_weighted_references_are_proven(brute: Callable[[Any], int]) -> None:
    """On small weighted instances the reference is the least cost of all sequences."""
    for instance in smwtt.problem(jobs=6).instances("train", 1):
        reference = smwtt.references.reference(instance, 10.0)  # type: ignore[union-attr]
        assert reference.kind is ReferenceKind.OPTIMUM
        assert reference.value == brute(dict(instance.public))


@pytest.mark.parametrize("longest", [5, 10**6, 10**12])
@pytest.mark.parametrize("heaviest", [None, 1, 10**9, 10**12])
@pytest.mark.parametrize("latest", [10, 10**12])
def test_numbers_of_any_size_that_files_may_hold(
    brute: Callable[[Any], int], longest: int, heaviest: int | None, latest: int
) -> None:
    """Products beyond 64 bits make neither a wrong optimum nor too high a bound, computed or proved again."""
    stream = random.Random(f"{longest}/{heaviest}/{latest}")
    for _ in range(4):
        jobs = range(stream.randint(1, 5))
        public = {
            "processing_times": [stream.randint(1, longest) for _ in jobs],
            "due_dates": [stream.randint(-latest, latest) for _ in jobs],
        }
        if heaviest is not None:
            public["weights"] = [stream.randint(1, heaviest) for _ in jobs]
        instance = Instance("drawn", "file", "all", public, Fraction(1), "drawn")
        least = brute(public)
        port = smtt.references
        assert port is not None
        computed = port.reference(instance, 5.0)
        assert computed.kind is ReferenceKind.OPTIMUM
        hurried = port.reference(instance, 0.01)
        for found in (computed, hurried, port.reprove(instance, computed, 5.0)):  # type: ignore[attr-defined]
            assert found.value == least if found.kind is ReferenceKind.OPTIMUM else 0 <= found.value <= least


def test_a_poor_sequence_to_start_from_makes_no_wrong_proof(brute: Callable[[Any], int]) -> None:
    """Steps that grow without end, from sequences far from the optimum, leave the bound a bound."""
    stream = random.Random(7)
    for _ in range(250):
        jobs = range(stream.choice([4, 5, 6]))
        times = [stream.choice([1, 3]) for _ in jobs]
        latest = sorted(stream.randint(0, sum(times)) for _ in range(2))
        weights = [stream.choice([1, stream.randint(1, 10**9), 10**9]) for _ in jobs]
        dates = [stream.randint(*latest) for _ in jobs]
        public = {"processing_times": times, "due_dates": dates, "weights": weights}
        least = brute(public)
        proof = prove(public, list(jobs), 5.0)
        assert proof.bound == least if proof.optimal else proof.bound <= least


def test_proofs_of_a_reference_keep_to_their_time() -> None:
    """One long job, many heavy ones and many long ones take little more than the time they are given."""
    heavy = {"due_dates": [0] * 1500, "weights": [10**12] * 1500, "processing_times": list(range(1, 1501))}
    long = {"due_dates": [5], "weights": [2], "processing_times": [1_900_000]}
    for public in (heavy, long):
        instance = Instance("drawn", "file", "all", public, Fraction(1), "drawn")
        port, began = smwtt.references, time.process_time()
        assert port is not None
        assert port.reference(instance, 1.0).value > 0
        assert time.process_time() - began < 10


def test_no_time_gives_a_bound_and_says_so() -> None:
    """With hardly any time the reference of a hard instance is a bound, not an optimum."""
    hard = next(i for i in smtt.problem(jobs=400).instances("train", 3) if i.stratum == "rdd=0.2 tf=0.6")
    reference = smtt.references.reference(hard, 0.05)  # type: ignore[union-attr]
    assert reference.kind is ReferenceKind.BOUND
    assert reference.proof is ProofKind.DUAL
    assert 0 < reference.value < cost_of(hard.public, range(400))


def test_neither_baseline_nor_search_beats_a_weighted_reference(function: Load) -> None:
    """On the default seed's test split; the search reaches most of the optima that it is tried on."""
    program = function(smwtt.problem(), "atc-insertion")
    tried = reached = 0
    for number, instance in enumerate(smwtt.problem().instances("test", 1)):
        reference = REFERENCES.shipped(instance)
        assert reference is not None
        assert cost_of(instance.public, program(**instance.public)) >= reference.value
        if number % 8 == 0 and reference.kind is ReferenceKind.OPTIMUM:
            found, _ = search(instance.public, 150, time.monotonic() + 5)
            assert found >= reference.value
            tried += 1
            reached += found == reference.value
    assert reached > tried / 2


@pytest.mark.slow
def test_a_long_search_beats_no_weighted_reference() -> None:
    """On all splits of the default seed; it reaches most values."""
    tried = reached = 0
    for name in SPLITS:
        for instance in smwtt.problem().instances(name, 1):
            found, _ = search(instance.public, 250, time.monotonic() + 5)
            reference = REFERENCES.shipped(instance)
            assert reference is not None
            assert found >= reference.value
            tried += reference.kind is ReferenceKind.OPTIMUM
            reached += found == reference.value
    assert reached > tried / 2
