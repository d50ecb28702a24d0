"""The opening of a campaign with models: every second question asks for a new design; each is improved once.

Replies that begin with the program that is shown keep its principle: they add terms to it, and a weak
principle then holds a whole campaign. A design from the task alone meets other principles, and its first form
is rarely its best: one question improves it before it is judged beside programs that were improved often.
"""

from __future__ import annotations

from dataclasses import dataclass

from .base import Elite, Origin
from .knobs import knob

SHARE = 0.4
"""Questions of a campaign that its opening takes (ratio), at most `MOST`."""
MOST = 24
UNKNOWN = 10
"""Questions of the opening where the budget does not say how many there will be (count)."""
PROMISING = 1.5
"""Loss beside the best program's up to which a design is improved (ratio)."""
_ORIGINS = (Origin.DESIGN, Origin.EXPLORE)


@dataclass(frozen=True)
class DesignSettings:
    """How a campaign with models begins."""

    opening: int | None = knob(
        None,
        "with models: first questions, of which every second one asks for a new design (count; 0 is none); "
        f"default two fifths of the budget's questions, at most {MOST}",
        ge=0,
    )


def opening_of(iterations: int | None, programs: int) -> int:
    """Questions of the opening (count).

    Args:
        iterations: of models in the budget (count); None where that is not known.
        programs: of a reply (count).
    """
    return UNKNOWN if iterations is None else min(MOST, int(SHARE * iterations / programs))


class Designs:
    """Which questions ask for a design, and which improve one; a function of asks and outcomes in order."""

    def __init__(self, settings: DesignSettings) -> None:
        """Starts without questions."""
        self._opening = settings.opening or 0
        self._asked = 0
        self._waiting: list[Elite] = []
        self._open: dict[int, tuple[bool, bool]] = {}

    def ask(self, number: int, parent: str) -> None:
        """Opens a question to a model (ask, 1-based number) about a parent (id)."""
        wanted = self.wanted(number)
        improved = not wanted and any(elite.candidate.id == parent for elite in self._waiting)
        self._open[number] = wanted, improved
        if not wanted:
            self._waiting = [elite for elite in self._waiting if elite.candidate.id != parent]
        self._asked += 1

    def note(self, number: int, elite: Elite | None) -> None:
        """Closes a model's ask; takes the elite that its candidate would be, None if it is no new program."""
        self._open.pop(number, None)
        if elite is not None and elite.candidate.origin in _ORIGINS:
            self._waiting.append(elite)

    def grow(self) -> None:
        """Forgets the designs that were evaluated on fewer instances."""
        self._waiting.clear()

    def wanted(self, number: int) -> bool:
        """Whether an ask wants a new design."""
        if number in self._open:
            return self._open[number][0]
        return self._asked < self._opening and self._asked % 2 == 0

    def improved(self, number: int) -> bool:
        """Whether an open ask improves a design for the first time."""
        return self._open.get(number, (False, False))[1]

    def to_improve(self, best: float) -> Elite | None:
        """The best design that no question improved yet and that is promising beside the best fitness."""
        if self._asked >= self._opening:
            return None
        promising = [elite for elite in self._waiting if elite.fitness >= PROMISING * min(best, 0.0)]
        return max(promising, key=lambda elite: (elite.fitness, elite.candidate.id), default=None)
