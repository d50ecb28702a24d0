"""When a campaign with models stands still, and what its next prompts ask for then."""

from __future__ import annotations

from dataclasses import dataclass

from .base import Turn
from .knobs import knob


@dataclass(frozen=True)
class StallSettings:
    """When prompts change what they ask."""

    stall_after: int = knob(
        8,
        "with models: outcomes of their replies without a better best after which the next prompts ask for "
        "something else in turn (count; 0 is never)",
        ge=0,
    )


class Stall:
    """Counts outcomes without a gain; a function of the outcomes in their order."""

    def __init__(self, settings: StallSettings) -> None:
        """Nothing was told yet."""
        self._after = settings.stall_after
        self._still = 0

    def note(self, *, improved: bool) -> None:
        """Takes the outcome of a model's reply: whether it is a new best."""
        self._still = 0 if improved else self._still + 1

    def turn(self, number: int) -> Turn | None:
        """What an ask (1-based number) asks for in its turn; None while the campaign makes progress."""
        if not self._after or self._still < self._after:
            return None
        turns = tuple(Turn)
        return turns[number % len(turns)]
