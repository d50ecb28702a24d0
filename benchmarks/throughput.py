"""Iterations a second of default campaigns, threads and processes in turns.

    python benchmarks/throughput.py smtt --iterations 60 --rounds 5
    python benchmarks/throughput.py smtt --python /path/to/another/checkout/.venv/bin/python

Each round runs the same campaign once with each kind of workers (and, with `--python`, with the threads of
another installation) by its command; references are in the cache after a first campaign that does not count.
The search's time is that from its first question to its last outcome.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median


def campaign(python: str, workers: str, options: argparse.Namespace, cache: Path) -> tuple[float, float]:
    """Seconds of a campaign's search, and of its whole command."""
    with tempfile.TemporaryDirectory() as place:
        command = [python, "-m", "gapsmith.cli", "run", options.problem, "--workers", workers]
        command += ["--iterations", str(options.iterations), "--seed", "1", "--runs", place, "--json"]
        environment = os.environ | {"GAPSMITH_CACHE": str(cache)}
        begun = time.monotonic()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        seconds = time.monotonic() - begun
        (run,) = Path(place).glob("*/archive.sqlite")
        with sqlite3.connect(run) as store:
            row = store.execute("SELECT min(asked_at), max(told_at) FROM iterations").fetchone()
    return row[1] - row[0], seconds


def main() -> None:
    """Runs the campaigns in turns and prints a row for each kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problem", nargs="?", default="smtt")
    parser.add_argument("--iterations", type=int, default=60, help="of a campaign (count)")
    parser.add_argument("--rounds", type=int, default=5, help="count")
    parser.add_argument("--slots", type=int, default=os.cpu_count() or 1, help="threads or processes (count)")
    parser.add_argument("--python", help="of another installation, whose threads are measured too")
    options = parser.parse_args()
    kinds = {"threads": (sys.executable, str(options.slots))}
    kinds["processes"] = (sys.executable, f"processes:{options.slots}")
    if options.python:
        kinds["threads there"] = (options.python, str(options.slots))
    rounds: list[dict[str, tuple[float, float]]] = []
    with tempfile.TemporaryDirectory() as place:
        for number in range(options.rounds + 1):
            order = list(kinds)[:: 1 if number % 2 else -1]
            rounds.append({kind: campaign(*kinds[kind], options, Path(place)) for kind in order})
    rounds = rounds[1:]
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{options.problem}, {options.iterations} iterations, {options.rounds} rounds; load {load}")
    print("kind | iterations/s | times threads | whole command, s")
    for kind in kinds:
        search, whole = (median(one[kind][n] for one in rounds) for n in (0, 1))
        ratio = median(one["threads"][0] / one[kind][0] for one in rounds)
        print(f"{kind} | {options.iterations / search:.2f} | {ratio:.2f} | {whole:.1f}")


if __name__ == "__main__":
    main()
