"""A problem's explanations of candidates' answers, recorded so that later prompts and replays repeat them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .base import Elite

KIND = "explained"
"""Kind of the events that record explanations."""

Key = tuple[str, str]
"""A candidate and a training instance, by their ids."""


class Explanations:
    """Explanations by candidate and instance; each is made once. Thread-safe."""

    def __init__(
        self,
        recorded: Iterable[Mapping[str, Any]],
        make: Callable[[Elite, str], str] | None = None,
        record: Callable[[Mapping[str, Any]], None] = lambda data: None,
    ) -> None:
        """Takes what is in the record.

        Args:
            recorded: `candidate`, `instance` and `text` of each explanation.
            make: makes an explanation that the record lacks; None to use the record alone.
            record: stores a new explanation.
        """
        self._texts: dict[Key, str] = {(d["candidate"], d["instance"]): str(d["text"]) for d in recorded}
        self._make = make
        self._record = record
        self._lock = threading.Lock()

    def __call__(self, elite: Elite, instance: str) -> str:
        """The explanation of an elite's answer; empty if there is none."""
        key = elite.candidate.id, instance
        with self._lock:
            if key not in self._texts and self._make is not None:
                self._texts[key] = self._make(elite, instance)
                self._record({"candidate": key[0], "instance": instance, "text": self._texts[key]})
            return self._texts.get(key, "")
