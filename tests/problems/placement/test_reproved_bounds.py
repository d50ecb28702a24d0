"""Bounds that arithmetic gives are worked out once more: a false one that no optimum contradicts is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.analysis import verify
from gapsmith.app.plugins.loader import LoadedProblem, load_problem
from gapsmith.app.setup import references
from gapsmith.evaluators.base import ProofKind, Reference, encode_reference
from gapsmith.evaluators.cache import Cache, ReferenceCache
from gapsmith.evaluators.toolbox import SolverError
from gapsmith.problems.base import Instance


def higher(reference: Reference) -> Reference:
    """The same reference with a bound ten times as high."""
    assert reference.bound is not None
    return replace(reference, value=reference.value * 10, bound=reference.bound * 10)


@pytest.mark.parametrize("factor", [1, 10])
def test_a_kept_bound_that_is_too_high_is_a_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: int
) -> None:
    """`references verify` and `verify RUN` compare bounds of the same arithmetic, not only optima."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path))
    loaded = load_problem("expert-placement")
    assert loaded.references is not None
    instance = loaded.instances("nine-slots", 1)[0]
    true = loaded.references.reference(instance, 0.1)
    assert true.proof is ProofKind.ARITHMETIC
    kept = true if factor == 1 else higher(true)
    book = ReferenceCache(Cache(), loaded.problem, loaded.references, loaded.fingerprint)
    document = {"limit": 60.0, "reference": encode_reference(kept)}
    Cache().put("reference", book._key(instance), document)
    found = references.verify(loaded, [instance], 0.1, workers=1)
    assert found["agree"] == (factor == 1)
    assert len(found["differences"]) == (factor != 1)
    assert verify._agrees(kept, true, loaded.problem) == (factor == 1)


class Proofs:
    """References that look up what is stored, and whose proofs end as a test says."""

    version = "1"

    def __init__(self, stored: Reference, proof: Reference | Exception) -> None:
        self.stored, self.proof = stored, proof

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """What is stored, whatever it is."""
        return self.stored

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The proof of the test."""
        if isinstance(self.proof, Exception):
            raise self.proof
        return self.proof


def proven(stored: Reference, proof: Reference | Exception) -> tuple[LoadedProblem, Instance]:
    """A problem with such references, and one of its instances."""
    loaded = load_problem("gpu-fleet-aggregate")
    return replace(loaded, references=Proofs(stored, proof)), loaded.instances("tiny-rate", 1)[0]


def optimum(value: int) -> Reference:
    """A proven optimum."""
    return Reference.optimum(value, ProofKind.SOLVER, "solver", "1", 0.1, "test")


def bound(value: int) -> Reference:
    """A bound of a solver."""
    return Reference.proven_bound(value, ProofKind.SOLVER, "solver", "1", 0.1, "test")


@pytest.mark.parametrize(
    ("stored", "proof", "agree", "missed"),
    [
        (optimum(7), optimum(7), True, 0),
        (optimum(7), optimum(6), False, 0),
        (optimum(7), bound(6), True, 1),
        (bound(7), bound(7), True, 0),
        (bound(7), bound(3), True, 1),
        (bound(7), optimum(8), True, 0),
        (optimum(7), ValueError("the shipped sequence costs 8"), False, 0),
        (optimum(7), SolverError("cbc: not installed"), True, 1),
    ],
)
def test_a_run_is_verified_by_proofs_and_not_by_looking_up(
    stored: Reference, proof: Reference | Exception, agree: bool, missed: int
) -> None:
    """`verify RUN` asks for a proof, counts what met a weaker bound or no solver, tells a false proof."""
    loaded, instance = proven(stored, proof)
    reader = SimpleNamespace(references=lambda: {instance.id: stored})
    record: Any = SimpleNamespace(reader=reader, instances={instance.id: instance})
    config: Any = SimpleNamespace(evaluation=SimpleNamespace(reference_seconds=1.0))
    findings = verify.Findings()
    setup: Any = SimpleNamespace(loaded=loaded, config=config)
    verify._references(record, setup, (1, 0), findings, lambda what, done, total: None)
    assert (not findings.differences, findings.not_proved) == (agree, missed)


@pytest.mark.parametrize(
    ("stored", "proof", "optima", "bounds"),
    [(optimum(7), bound(6), 1, 0), (bound(7), bound(3), 0, 1), (bound(7), bound(8), 0, 0)],
)
def test_weaker_bounds_are_counted_as_optima_are(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stored: Reference,
    proof: Reference,
    optima: int,
    bounds: int,
) -> None:
    """Two bounds never contradict each other; how many were not reached again is told."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path))
    loaded, instance = proven(stored, proof)
    found = references.verify(loaded, [instance], 0.1, workers=1)
    assert found["agree"] == 1
    assert (found["optima_not_proved_again"], found["bounds_not_reached_again"]) == (optima, bounds)
