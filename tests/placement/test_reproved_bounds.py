"""Bounds that arithmetic gives are worked out once more: a false one that no optimum contradicts is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from gapsmith.app import references, verify
from gapsmith.app.plugins import load_problem
from gapsmith.evaluators.base import ProofKind, Reference
from gapsmith.evaluators.cache import Cache, ReferenceCache, encode_reference


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
