"""The solver's process: reads a model from a folder, solves it, and says on stdout what it finds on the way.

Run as `python -m gapsmith.evaluators.toolbox.worker FOLDER`. One JSON object a line: `{"ready": true}`, then
incumbents and bounds as they come, then `{"ended": …}`. Standard input is a life line: when it ends, so does
this process with all that it started.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

MEMORY_BYTES = 6 * 1024**3
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


def main(folder: Path) -> None:
    """Solves the model of a folder."""
    stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a solver prints itself must not mix with the report
    _limit_memory()
    threading.Thread(target=_watch_parent, daemon=True).start()
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    from . import runners

    runner = runners.RUNNERS[job["solver"]]
    text = (folder / "model").read_text(encoding="utf-8")
    runner(text, job, folder, Reporter(stream))


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (ImportError, OSError, ValueError):  # no such limit on this system; the time limit remains
        return


def _watch_parent() -> None:
    while os.read(0, 1):
        pass
    os.killpg(os.getpgid(0), signal.SIGKILL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
