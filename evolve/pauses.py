"""An ask of a model waits for an evaluation that is about to end: its prompt then knows the outcome.

Replies take seconds and evaluations often less. Without a pause the next question leaves as soon as a reply
is there, before its candidate has taught anything. With many iterations under way, evaluations end all the
time and one more outcome adds little, so no ask waits. The course of asks and
outcomes is recorded, so a replay need not measure anything.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from statistics import median

SHARE = 0.2
"""Longest pause, as a share of the model's median latency (ratio)."""
MOST = 16
"""Iterations under way up to which asks wait (count)."""
_REMEMBERED = 25


class Pauses:
    """Decides on pauses by the latencies of replies and the durations of evaluations so far."""

    def __init__(self, in_flight: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Takes the number of iterations under way and a clock (seconds)."""
        self._many = in_flight > MOST
        self._clock = clock
        self._replies: deque[float] = deque(maxlen=_REMEMBERED)
        self._evaluations: deque[float] = deque(maxlen=_REMEMBERED)
        self._since: float | None = None

    def now(self) -> float:
        """The clock's time (seconds)."""
        return self._clock()

    def replied(self, asked: float) -> None:
        """Takes the reply to a question that was asked at a time (seconds)."""
        self._replies.append(self._clock() - asked)

    def evaluated(self, began: float) -> None:
        """Takes the end of an evaluation that began at a time (seconds)."""
        self._evaluations.append(self._clock() - began)

    def holds(self, began: Iterable[float]) -> bool:
        """Whether the next ask waits, given when the evaluations under way began (seconds)."""
        if self._many or not self._replies or not self._evaluations:
            return False
        longest, usual, now = SHARE * median(self._replies), median(self._evaluations), self._clock()
        if not any(usual - (now - start) < longest for start in began):
            self._since = None
            return False
        self._since = now if self._since is None else self._since
        return now - self._since < longest

    def opened(self) -> None:
        """Takes the opening of an ask: the next one may pause anew."""
        self._since = None
