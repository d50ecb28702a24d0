"""How many calls may be in flight at once: as configured, fewer while the provider limits the rate.

Additive increase, multiplicative decrease (Chiu and Jain 1989, doi:10.1016/0169-7552(89)90019-6).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

DECREASE = 0.7


class Place:
    """A place for one call; tells the gate how the call went."""

    def __init__(self, gate: Gate, epoch: int) -> None:
        self._gate = gate
        self._epoch = epoch

    def succeeded(self) -> None:
        """A reply arrived: after a full round of replies one more call may be in flight."""
        self._gate.widen()

    def limited(self, retry_after: float | None) -> None:
        """The provider limited the rate and perhaps asked to wait (seconds)."""
        self._gate.narrow(self._epoch, retry_after)


class Gate:
    """Places for calls in flight; `most` of them (≥ 1) when the provider has no objection."""

    def __init__(self, most: int) -> None:
        self._most = float(most)
        self._limit = float(most)
        self._taken = 0
        self._epoch = 0
        self._not_before = 0.0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def limit(self) -> int:
        """Calls that may be in flight at present (count)."""
        return max(1, int(self._limit))

    @contextmanager
    def place(self) -> Iterator[Place]:
        """Waits for a place and for the end of a pause, and gives the place back."""
        with self._changed:
            while not self._closed and (wait := self._wait()) != 0:
                self._changed.wait(wait)
            self._taken += 1
            epoch = self._epoch
        try:
            yield Place(self, epoch)
        finally:
            with self._changed:
                self._taken -= 1
                self._changed.notify_all()

    def _wait(self) -> float | None:
        """Seconds to wait for a place: 0 for none, None until something changes."""
        if self._taken >= self.limit:
            return None
        return max(0.0, self._not_before - time.monotonic())

    def widen(self) -> None:
        """One more place after as many replies as there are places."""
        with self._changed:
            self._limit = min(self._most, self._limit + 1 / self._limit)
            self._changed.notify_all()

    def narrow(self, epoch: int, retry_after: float | None) -> None:
        """Fewer places; once for all calls that set out before the last time."""
        with self._changed:
            if epoch == self._epoch:
                self._epoch += 1
                self._limit = max(1.0, self._limit * DECREASE)
            if retry_after is not None:
                self._not_before = max(self._not_before, time.monotonic() + retry_after)

    def close(self) -> None:
        """Lets everybody through; callers check for themselves that all is over."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
