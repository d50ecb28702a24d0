"""Parent side of an online execution: reveals the next item after each decision and keeps the transcript."""

from __future__ import annotations

from collections.abc import Sequence

from ..base import Json
from .verification import decision_error


class ItemArrivals:
    """Steps through a sequence of items; believes nothing that the child says of its state."""

    def __init__(self, sizes: Sequence[int], capacity: int) -> None:
        """Takes the items in order of arrival and the capacity (units of size)."""
        self._sizes = sizes
        self._capacity = capacity
        self._residuals: list[int] = []
        self._decisions: list[int] = []
        self._revealed = 0

    def next(self, line: bytes) -> bytes | None:
        """Records the decision on the last item revealed and reveals the next one; None at the end.

        A bin that overflows ends the sequence: the verdict on the transcript says which.

        Raises:
            ValueError: the line is no index of an open bin or of the next new one.
        """
        if self._revealed and not self._record(line):
            return None
        if self._revealed == len(self._sizes):
            return None
        self._revealed += 1
        return b"%d" % self._sizes[self._revealed - 1]

    def answer(self) -> Json:
        """The bin of each item decided so far, in order of arrival."""
        return list(self._decisions)

    def _record(self, line: bytes) -> bool:
        """Takes a decision; whether the item fits."""
        residuals = self._residuals
        size = self._sizes[self._revealed - 1]
        decision = int(line) if line.isdigit() and len(line) < 10 else -1
        if not 0 <= decision <= len(residuals):
            got = line.decode("ascii", "replace")
            raise ValueError(decision_error(self._revealed - 1, size, len(residuals), got))
        if decision == len(residuals):
            residuals.append(self._capacity)
        residuals[decision] -= size
        self._decisions.append(decision)
        return residuals[decision] >= 0
