"""Why the bounds of some references hold, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...evaluators.base import Reference


def proofs(references: Iterable[Reference]) -> dict[str, int]:
    """Kind of proof → number of references; a reference without a bound has no proof and is left out."""
    return dict(sorted(Counter(one.proof.value for one in references if one.proof is not None).items()))
