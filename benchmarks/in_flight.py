"""What iterations under way cost in quality: 2, 8, 32 and 128 of them at equal evaluations, resumable.

    python benchmarks/in_flight.py run --seeds 1-10 --folder in-flight
    python benchmarks/in_flight.py table --folder in-flight

Parents are as old as the window of iterations under way, so a wide window learns later. Each seed and
window is one campaign from start programs alone on few training instances, in a process of its own, until a
number of evaluations; seeds differ in the search's random streams and share their instances. A campaign that
has ended is not run again; one that was cut short is gone on with. Seeds are run one after the other with all
windows, so that pairs are complete at any time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from search import Outcome, interval, outcome

WINDOWS = (2, 8, 32, 128)
USUAL = 8
"""The default of `campaign.in_flight`, which the others are compared with."""


def place(folder: Path, problem: str, window: int, seed: int) -> Path:
    """Folder that holds the one run of a window and seed."""
    return folder / f"{problem}-{window}-{seed}"


def campaign(folder: Path, problem: str, window: int, seed: int, evaluations: int) -> str:
    """Runs or goes on with one campaign; says in a line how it ended."""
    runs, begun = place(folder, problem, window, seed), time.monotonic()
    if (done := outcome(runs)) is not None:
        return f"seed {seed}, {window} in flight: there already, test loss {done.test}"
    settings = (
        f"campaign.in_flight={window}",
        'search.founders="start"',
        f"budget.evaluations={evaluations}",
        "problem.train_per_stratum=1",
        "problem.valid_per_stratum=1",
    )
    words = [word for text in settings for word in ("--set", text)]
    names = [path.name for path in runs.glob("*") if path.is_dir()]
    begin = ["resume", names[0]] if names else ["run", problem, "--seed", str(seed), *words]
    runs.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "gapsmith.cli", *begin, "--workers", "2", "--runs", str(runs), "--json"]
    process = subprocess.run(command, capture_output=True, text=True)
    done = outcome(runs)
    if process.returncode or done is None:
        return f"seed {seed}, {window} in flight: exit code {process.returncode}: {process.stderr[-300:]}"
    seconds = time.monotonic() - begun
    return f"seed {seed}, {window} in flight: test loss {done.test}, {seconds:.0f} s"


def outcomes(folder: Path, problem: str) -> dict[int, dict[int, Outcome]]:
    """Window → seed → outcome, of the seeds that have ended with every window."""
    seeds = {int(path.name.rpartition("-")[2]) for path in folder.glob(f"{problem}-*-*")}
    every = {w: {s: one for s in seeds if (one := outcome(place(folder, problem, w, s)))} for w in WINDOWS}
    whole = set.intersection(*(set(by) for by in every.values()))
    return {window: {seed: by[seed] for seed in sorted(whole)} for window, by in every.items()}


def table(folder: Path, problem: str) -> Iterator[str]:
    """Lines of a Markdown table: losses on the test split, and the paired differences to the usual window."""
    every = outcomes(folder, problem)
    if not every[USUAL]:
        yield "no seed has ended with every window"
        return
    yield "| in flight | seeds | test loss %, mean [95 %] | against 8, mean [95 %] | better, worse (seeds) |"
    yield "|---|---|---|---|---|"
    for window, by in every.items():
        tested = {seed: one.test for seed, one in by.items() if one.test is not None}
        usual = {seed: one.test for seed, one in every[USUAL].items() if one.test is not None}
        losses = list(tested.values())
        pairs = [loss - usual[seed] for seed, loss in tested.items() if seed in usual]
        low, high = interval(losses)
        row = f"| {window} | {len(losses)} | {fmean(losses):.3f} [{low:.3f}, {high:.3f}] |"
        if window == USUAL:
            yield f"{row} | |"
            continue
        low, high = interval(pairs)
        worse, better = sum(pair > 0 for pair in pairs), sum(pair < 0 for pair in pairs)
        yield f"{row} {fmean(pairs):+.3f} [{low:+.3f}, {high:+.3f}] | {better}, {worse} |"


def main() -> None:
    """Reads the arguments and does what they say."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--problem", default="smtt-rule")
    parser.add_argument("--folder", type=Path, default=Path("in-flight"))
    parser.add_argument("--seeds", default="1-10", help="first-last")
    parser.add_argument("--evaluations", type=int, default=300, help="in training, of a campaign (count)")
    options = parser.parse_args()
    if options.what == "table":
        print("\n".join(table(options.folder, options.problem)))
        return
    first, _, last = options.seeds.partition("-")
    for seed in range(int(first), int(last or first) + 1):
        for window in WINDOWS:
            print(campaign(options.folder, options.problem, window, seed, options.evaluations), flush=True)


if __name__ == "__main__":
    main()
