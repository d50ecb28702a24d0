"""Own CPU of the loop per candidate: `python benchmarks/loop.py --candidates 10000 [--workers processes:1]`.

The sandbox's execution is replaced by one that answers at once, so that what is left is the tool's own work:
selection, mutation, admission, verification, scoring, archive and store, on 20 training instances. The
describe job is real and runs in its own process, whose CPU does not count. Figures are CPU milliseconds of
this process per told iteration, in windows along one campaign. With worker processes these mutate, describe,
verify and score, and their CPU does not count.
"""

from __future__ import annotations

import argparse
import cProfile
import itertools
import json
import os
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from gapsmith.app import compose
from gapsmith.app.commands.worker import worker
from gapsmith.app.config import parse
from gapsmith.app.setup import workers
from gapsmith.app.setup.setup import Setup
from gapsmith.evolve.campaign import Campaign
from gapsmith.sandbox.base import Description, Execution, ExecutionStatus, Sandbox


class Instant:
    """A slot that describes for real and executes at once."""

    def __init__(self, real: Sandbox) -> None:
        self._real = real

    def execute(self, program: Any, instance: bytes, *rest: Any) -> Execution:
        """Answers with a permutation that depends on the program, so that candidates differ."""
        dates = json.loads(instance).get("due_dates", [])  # the sandbox's own time is measured on no instance
        step = len(program.main) % 7 + 1
        order = sorted(range(len(dates)), key=lambda j: dates[j] + (j * step) % 13)
        return Execution(ExecutionStatus.OK, answer=order, cpu_seconds=0.001)

    def describe(self, text: str, entry_point: str) -> Description:
        """As the real slot does."""
        return self._real.describe(text, entry_point)

    def close(self) -> None:
        """Ends the real slot."""
        self._real.close()


def main() -> None:
    """Runs one campaign and prints a row for each window."""
    real_slot = Setup.open_slot
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=10_000, help="iterations (count)")
    parser.add_argument("--workers", default="1", help="as those of `gapsmith run`")
    parser.add_argument("--worker", action="store_true", help="be a worker process of such a campaign")
    parser.add_argument("--profile", type=Path, help="file for the profile of this process")
    options = parser.parse_args()
    if options.worker:
        with patch.object(Setup, "open_slot", lambda self: Instant(real_slot(self))):
            worker()
        return
    count = options.candidates
    marks: list[tuple[int, float]] = []

    def observe(campaign: Campaign) -> None:
        marks.append((campaign.search.tally.told, time.process_time()))

    document = {
        "campaign": {"problem": "smtt"},
        "budget": {"iterations": count},
        "run": {"workers": options.workers},
        "problem": {"train_per_stratum": 1, "valid_per_stratum": 1, "test_per_stratum": 1},
    }
    with tempfile.TemporaryDirectory() as place:
        os.environ["GAPSMITH_CACHE"] = place
        folder = Path(place) / "run"
        folder.mkdir()
        with (
            patch.object(Setup, "open_slot", lambda self: Instant(real_slot(self))),
            patch.object(workers, "COMMAND", (__file__, "--worker")),
            cProfile.Profile(time.thread_time) if options.profile else nullcontext() as profile,
        ):
            compose.run(parse(document, "benchmark"), folder, watcher=compose.Watcher(observe=observe))
    if profile is not None:
        profile.dump_stats(options.profile)
    print("told iterations | own CPU, ms per iteration")
    edges = [n for n in (0, 100, 1_000, 2_000, 5_000, count - 100, count) if n <= count]
    first = dict(reversed(marks))
    for low, high in itertools.pairwise(edges):
        start, end = first.get(max(low, 1)), first.get(high)
        if start is not None and end is not None and high > low:
            print(f"{low:>6} – {high:>6} | {(end - start) / (high - max(low, 1)) * 1000:.2f}")


if __name__ == "__main__":
    main()
