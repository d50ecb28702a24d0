"""Sets a model aside, so that it is not asked again, after too many unusable replies in succession."""

from __future__ import annotations

import threading
from collections.abc import Sequence


class Unusable:
    """Counts unusable replies in succession; thread-safe.

    Args:
        limits: limit of each model by its place in the ensemble (count; None or 0 for no limit).
    """

    def __init__(self, limits: Sequence[int | None]) -> None:
        self._limits = list(limits)
        self._counts = [0] * len(limits)
        self._last = [""] * len(limits)
        self._lock = threading.Lock()

    def note(self, model: int, why: str | None) -> str | None:
        """Takes the fault of a reply (None for none); returns a sentence if the fault sets the model
        aside.
        """
        with self._lock:
            if why is None:
                self._counts[model] = 0
                return None
            self._counts[model] += 1
            self._last[model] = why
            if self._counts[model] != self._limits[model]:
                return None
        return self.sentence(model)

    def aside(self, model: int) -> bool:
        """Whether a model is set aside."""
        limit = self._limits[model]
        with self._lock:
            return bool(limit) and self._counts[model] >= (limit or 0)

    def sentence(self, model: int) -> str:
        """Why a model is set aside."""
        count, last = self._counts[model], self._last[model]
        return f"set aside after {count} unusable replies in succession; the last: {last}"
