"""When a campaign with models stands still, and what its next prompts ask for then."""

from __future__ import annotations

from dataclasses import dataclass

from .base import Turn
from .knobs import knob

LEAST_GAIN = 0.01
"""Fall of the best loss that ends a stand-still (ratio to the loss): tuned numbers bring smaller ones."""


@dataclass(frozen=True)
class StallSettings:
    """When prompts change what they ask."""

    stall_after: int = knob(
        8,
        "with models: outcomes of their replies without a better best, and one more for each program under "
        "way, after which the next prompts ask for something else in turn (count; 0 is never)",
        ge=0,
    )


class Stall:
    """Counts outcomes without a gain; depends only on the asks and outcomes in their order.

    Each program under way may still be a gain, so a stand-still begins one outcome later for each of them.

    Asks for a faster form of the best program only once, since a second ask would bring nothing new.
    """

    def __init__(self, settings: StallSettings, fitness: float | None = None) -> None:
        """Starts without asks and outcomes, with the best fitness (ratio) of the start programs."""
        self._after = settings.stall_after
        self._level = fitness
        self._still = 0
        self._begun = False  # whether an ask since the last gain had a turn
        self._timed = False  # whether a faster form of the best program was asked for
        self._turns = 0  # asks with a turn since the last gain
        self._open: dict[int, Turn | None] = {}
        self._before: dict[int, int] = {}

    def is_gain(self, fitness: float) -> bool:
        """Whether the best fitness (ratio) is well above that of the last gain; a gain is remembered."""
        gain = self._level is None or fitness - self._level > LEAST_GAIN * abs(self._level)
        self._level = fitness if gain else self._level
        return gain

    def grow(self, fitness: float | None) -> None:
        """Takes the best fitness (ratio) on more instances."""
        self._level = fitness

    def ask(self, number: int, *, turns: bool = True) -> None:
        """Opens an ask (1-based number) of a model; whether it may have a turn."""
        self._open[number] = turn = self.turn(number) if turns else None
        self._begun = self._begun or turn is not None
        self._timed = self._timed or turn is Turn.TIME
        self._before[number] = self._turns
        self._turns += turn is not None

    def note(self, number: int, *, improved: bool) -> None:
        """Counts the outcome of an ask, or starts again at 0 after a gain; takes outcomes of models, and
        gains.
        """
        self._open.pop(number, None)
        self._before.pop(number, None)
        self._turns = 0 if improved else self._turns
        self._still = 0 if improved else self._still + 1
        self._begun = self._begun and not improved
        self._timed = self._timed and not improved

    def before(self, number: int) -> int:
        """Asks with a turn before an open ask, of the same stand-still (count)."""
        return self._before.get(number, 0)

    def turn(self, number: int) -> Turn | None:
        """The turn of an ask (1-based number): what its prompt asks for; None while the campaign makes
        progress.
        """
        if number in self._open:
            return self._open[number]
        if not self._after or not (self._begun or self._still >= self._after + len(self._open)):
            return None
        turns = [turn for turn in Turn if turn is not Turn.TIME or not self._timed]
        return turns[number % len(turns)]
