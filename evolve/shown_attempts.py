"""What a prompt says of a candidate that was tried, in one line."""

from __future__ import annotations

from collections.abc import Mapping

from ..prompts.parts import Tried
from ..prompts.text import cut
from .base import Attempt, End

IDEA = 400
"""Characters of a candidate's own sentence."""


def line_of(attempt: Attempt, labels: Mapping[str, str]) -> Tried:
    """A told candidate as a line."""
    shown = f" ({labels[attempt.id]})" if attempt.id in labels else ""
    twin = labels.get(attempt.twin, "an earlier program")
    why = f"where it answers as {twin} does" if attempt.twin else _beside_rival(attempt)
    endings = {
        End.KEPT: "kept",
        End.BEHIND: "valid, but another program is better where it is good",
        End.TWIN: f"answers every instance as {twin} does",
        End.STOPPED: f"stopped after {attempt.executed} of {attempt.instances} instances, {why}",
        End.FAILED: f"failed: {attempt.reason}",
    }
    return Tried(
        operator=attempt.operator.split(" ")[0],
        gap_percent=None if attempt.loss is None else 100 * attempt.loss,
        ending=" ".join(f"{cut(endings[attempt.end], IDEA // 2)}{shown}".split()),
        idea=" ".join(cut(attempt.idea, IDEA).split()),
    )


def _beside_rival(attempt: Attempt) -> str:
    """Why a race was lost: mean gaps on the instances that were executed."""
    if attempt.means is None:
        return "clearly worse"
    mine, rival = (100 * mean for mean in attempt.means)
    return f"clearly worse: {mine:.2f} % there, where its rival has {rival:.2f} %"
