"""What a run says of scores that a foreign evaluator reported: no gap, and always *unverified*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...evolve.store.progress import is_reported
from ...evolve.store.reader import Reader
from ..numbers import signed

REPORTED = "reported"
VERIFIED = "verified"
"""Who stands behind the objectives of a run: its task's own evaluator, or Gapsmith's verification."""


def trust(reader: Reader) -> str:
    """`reported` if the run's references are scores that were only reported, else `verified`."""
    return REPORTED if is_reported(reader) else VERIFIED


LOSS = (
    "loss: minus the change over the start program, percent of its reported score (of 1 where that is "
    "smaller); below 0 is better, and nothing is verified"
)
"""What a loss is where scores are only reported."""


def training_score(reader: Reader, fitness: float | None) -> float | None:
    """The reported score that a training fitness stands for."""
    start = next((r.value for name, r in reader.references().items() if name.startswith("train")), None)
    if fitness is None or start is None:
        return None
    return float(start) + fitness * max(1.0, abs(float(start)))


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
    return (
        f"reported score {score:.5g} on {name}, {signed(change, '.3g')} over the start program (unverified)"
    )
