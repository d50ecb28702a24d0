"""How long looking at a run takes: `list`, `show`, `best`, `report`, and what `watch` costs.

    python benchmarks/synthetic_run.py build/runs/big --candidates 50000 --model
    python benchmarks/inspection.py build/runs

Seconds are CPU seconds (user and system) of the whole command, the least of three; wall seconds beside.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def measure(words: list[str], runs: Path, times: int = 3) -> tuple[float, float]:
    """Least CPU and wall seconds of a command."""
    best = (float("inf"), float("inf"))
    environment = {**os.environ, "GAPSMITH_RUNS": str(runs)}
    for _ in range(times):
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "gapsmith.cli", *words],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, (cpu, time.monotonic() - begun))
    return best


def watch_share(run: Path) -> float:
    """Share of a core that watching takes: CPU seconds of a look over the pause that follows it."""
    from gapsmith.app.views.watching import _look

    _look(run, None)  # the first look imports what later ones find in memory
    begun = time.process_time()
    *_, pause = _look(run, None)
    spent = time.process_time() - begun
    return spent / (spent + pause)


def main() -> None:
    """Measures on the last run of a folder and prints one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=Path)
    runs = parser.parse_args().runs
    last = sorted(path.parent for path in runs.glob("*/archive.sqlite"))[-1]
    result: dict[str, object] = {
        "run": last.name,
        "megabytes": round((last / "archive.sqlite").stat().st_size / 1e6),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, words in {
            "help": ["--help"],
            "list": ["list"],
            "show": ["show", "latest"],
            "show best": ["show", "latest", "best"],
            "best": ["best", "latest"],
            "lineage": ["lineage", "latest"],
            "report": ["report", "latest", "-o", folder, "--force"],
        }.items():
            cpu, wall = measure(words, runs, 1 if name == "report" else 3)
            result[name] = {"cpu_seconds": round(cpu, 2), "wall_seconds": round(wall, 2)}
        result["report_kilobytes"] = round((Path(folder) / "report.html").stat().st_size / 1000)
    result["watch_core_share_percent"] = round(100 * watch_share(last), 2)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
