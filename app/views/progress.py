"""How far a piece of work is, and how long it may still take."""

from __future__ import annotations

import time

from ..numbers import duration

_BAR = 24


class Pace:
    """Tells how long a step takes from how fast it went so far."""

    def __init__(self) -> None:
        """Begins with no step."""
        self._what = ""
        self._began = 0.0
        self._first = 0

    def text(self, what: str, done: int, total: int) -> str:
        """`references 12/44, about 2 min 05 s left`; without a time before anything is done."""
        left = self.left(what, done, total)
        return f"{what} {done}/{total}" + ("" if left is None else f", about {duration(left)} left")

    def left(self, what: str, done: int, total: int) -> float | None:
        """Wall seconds that the step may still take; None as long as nothing was done since it began."""
        if what != self._what or done < self._first:
            self._what, self._began, self._first = what, time.monotonic(), done
        if done == self._first:
            return None
        return (time.monotonic() - self._began) / (done - self._first) * (total - done)


def bar(done: int, total: int) -> str:
    """A bar of text for a row of the live table."""
    full = _BAR * done // max(1, total)
    return "█" * full + "░" * (_BAR - full)
