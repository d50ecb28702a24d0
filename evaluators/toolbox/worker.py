"""The solver's process: reads a model from a folder, solves it, and reports progress on standard output.

Run as `python -m gapsmith.evaluators.toolbox.worker FOLDER`. Each line of output is a JSON object: first
`{"ready": true}`, then incumbents and bounds as they come, then `{"ended": …}`. When standard input closes,
this process ends together with its children.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from pathlib import Path

from . import runners
from .reporter import Reporter

MEMORY_BYTES = 6 * 1024**3


def main(folder: Path) -> None:
    """Solves the model in a folder."""
    stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a solver's own output must not mix with the report
    _limit_memory()
    threading.Thread(target=_watch_parent, daemon=True).start()
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
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
