"""What the solver's process says on its way: incumbents and bounds as JSON lines."""

from __future__ import annotations

import json
import threading
from typing import Any, BinaryIO

_FLUSH_SECONDS = 0.1


class Reporter:
    """Says the latest incumbent and bound, at most ten times a second, from a thread of its own."""

    def __init__(self, stream: BinaryIO) -> None:
        """Writes JSON lines to a binary stream."""
        self._stream = stream
        self._lock = threading.Lock()
        self._pending: dict[str, Any] = {}
        self._ended = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def note(self, **facts: Any) -> None:
        """Takes facts (`value`, `solution`, `bound`, `version`); later ones replace earlier ones."""
        with self._lock:
            self._pending.update(facts)

    def flush(self, **facts: Any) -> None:
        """Says everything now."""
        with self._lock:
            self._pending.update(facts)
            if self._pending:
                self._stream.write(json.dumps(self._pending, allow_nan=False).encode() + b"\n")
                self._stream.flush()
            self._pending = {}

    def end(self, **facts: Any) -> None:
        """Says the last word."""
        self._ended.set()
        self.flush(**facts)

    def _run(self) -> None:
        while not self._ended.wait(_FLUSH_SECONDS):
            self.flush()
