"""What a run says of scores that a foreign evaluator reported: no gap, and always *unverified*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...evaluators.base import ReferenceKind
from ...evolve.store.reader import Reader

REPORTED = "reported"
VERIFIED = "verified"
"""Who stands behind the objectives of a run: its task's own evaluator, or Gapsmith's verification."""


def trust(reader: Reader) -> str:
    """`reported` if the run's references are scores that were only reported, else `verified`."""
    kinds = {reference.kind for reference in reader.references().values()}
    return REPORTED if ReferenceKind.REPORTED in kinds else VERIFIED


def change_words(best: Mapping[str, Any], split: str, name: str) -> str:
    """The best candidate's score beside the start program's, in words.

    Args:
        best: summary of the best candidate.
        split: whose figures are named.
        name: the split in words.
    """
    figures = best["splits"].get(split)
    if figures is None or figures["reported_score"] is None:
        return f"no reported score on {name}"
    score, change = figures["reported_score"], figures["change"]
    return f"reported score {score:.5g} on {name}, {change:+.3g} over the start program (unverified)"
