"""What steering by time costs and brings: campaigns with and without `--fronts time` at equal CPU time.

    python benchmarks/time_fronts.py run smtt-rule --cpu 300 --seeds 3 --runs runs/fronts
    python benchmarks/time_fronts.py show --runs runs/fronts

`run` makes one group of runs for each arm, one seed after the other. `show` compares the groups by CPU
seconds: the best within each time class with corrected p values, and the hypervolume of each front on
validation.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ARMS: dict[str, list[str]] = {"loss alone": [], "time and loss": ["--fronts", "time"]}
COMMAND = [sys.executable, "-m", "gapsmith.cli"]


def run(problem: str, cpu: float, seeds: int, workers: int, runs: Path) -> None:
    """Runs both arms, each as a group of runs in a folder of its own."""
    for number, options in enumerate(ARMS.values()):
        budget = ["--cpu-seconds", str(cpu), "--repeat", str(seeds), "--workers", str(workers)]
        place = ["--runs", str(runs / f"arm{number}")]
        subprocess.run([*COMMAND, "run", problem, *options, *budget, *place], check=True)


def show(runs: Path) -> None:
    """Compares the newest group of each arm."""
    groups = []
    for number, name in enumerate(ARMS):
        newest = max(path for path in (runs / f"arm{number}").iterdir() if path.is_dir())
        groups.append(str(newest.with_name(re.sub(r"-s\d+$", "", newest.name))))
        print(f"{'AB'[number]}: {name}", flush=True)
    subprocess.run([*COMMAND, "compare", *groups, "--by", "cpu"], check=True)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    new = verbs.add_parser("run")
    new.add_argument("problem")
    new.add_argument("--cpu", type=float, default=300.0, help="CPU seconds of each run [default: 300]")
    new.add_argument("--seeds", type=int, default=3, help="runs of each arm [default: 3]")
    new.add_argument("--workers", type=int, default=2, help="sandbox slots at work [default: 2]")
    for one in (new, verbs.add_parser("show")):
        one.add_argument(
            "--runs", type=Path, default=Path("runs/fronts"), help="folder [default: runs/fronts]"
        )
    asked = parser.parse_args()
    if asked.verb == "run":
        run(asked.problem, asked.cpu, asked.seeds, asked.workers, asked.runs)
    else:
        show(asked.runs)


if __name__ == "__main__":
    main()
