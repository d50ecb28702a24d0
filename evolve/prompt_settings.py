"""How models are asked: the knobs of the proposer that fills prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .knobs import knob


@dataclass(frozen=True)
class PromptSettings:
    """What prompts hold, and who is asked."""

    tokens: int = knob(16_000, "size of one prompt (estimated tokens, >= 1)", ge=1)
    folder: str | None = knob(None, "folder whose templates replace the built-in ones")
    notes: int = knob(
        10,
        "outcomes of models' programs after which one more call writes the page of notes anew that later "
        "prompts show (count; 0 is no notes)",
        ge=0,
    )
    ledger: bool = knob(True, "whether prompts list what was tried, each line with its reply's own sentence")
    programs: int = knob(
        1,
        "programs that a reply is asked for; each is an iteration of its own, and the prompt is paid once "
        "(1 to 5)",
        ge=1,
        le=5,
    )
    choice: Literal["weights", "bandit"] = knob(
        "weights",
        "how model and operator are chosen: by weight, or by improvement per cost",
        strict=None,
    )
