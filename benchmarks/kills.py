"""Kills workers, nodes and the campaign itself at random points, and compares with an undisturbed campaign.

    python benchmarks/kills.py --kills 12                        worker processes and the campaign
    python benchmarks/kills.py --kills 8 --workers ray           actors, nodes and the campaign

Short campaigns are run as commands, one after the other, until all kills have happened; points and victims
come from a seeded stream. A campaign that was killed is resumed. Each must come to the iterations, answers
and gaps of the same campaign with one thread that nobody disturbed: no evaluation is lost, none is there
twice. Exit code 1 says that one differs. With `ray` a cluster of two nodes is started on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from gapsmith.evolve.store.course import completed_rows
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.store.schema import StoreError

PROBLEM = Path(__file__).parent.parent / "tests" / "app" / "campaign" / "flow_time.py"
ITERATIONS = 60
COLUMNS = {
    "iterations": "iteration island parents rival candidate rejection told added",
    "scores": "program split instance status objective gap answer_digest",
}
"""What two equal campaigns have in common: all that a store says but times and lost workers."""

Kill = Callable[[random.Random, int], bool]
"""Kills something of a campaign (the number of its process); False if there was nothing to kill."""


def start(runs: Path, seed: int, workers: str) -> subprocess.Popen[bytes]:
    """Begins the campaign of a seed in a folder, or goes on with it."""
    names = [path.name for path in runs.glob("*") if (path / "archive.sqlite").is_file()]
    words = ["resume", names[0]] if names else ["run", str(PROBLEM), "--seed", str(seed)]
    words += [] if names else ["--iterations", str(ITERATIONS)]
    command = [sys.executable, "-m", "gapsmith.cli", *words, "--workers", workers, "--runs", str(runs)]
    return subprocess.Popen([*command, "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def told(runs: Path) -> list[tuple[Any, ...]]:
    """What was told so far in the only run of a folder."""
    for path in runs.glob("*/archive.sqlite"):
        with suppress(StoreError), closing(Reader.open(path.parent)) as reader:
            return [tuple(row) for row in completed_rows(reader)]
    return []


def course(runs: Path) -> dict[str, list[str]]:
    """All rows of the only run of a folder, times aside."""
    (name,) = (path.parent.name for path in runs.glob("*/archive.sqlite"))
    rows = {}
    for what, columns in COLUMNS.items():
        command = [sys.executable, "-m", "gapsmith.cli", "export", name, "--what", what, "--runs", str(runs)]
        document = json.loads(subprocess.run([*command, "--json"], capture_output=True, check=True).stdout)
        rows[what] = sorted(repr([row[key] for key in columns.split()]) for row in document["rows"])
    return rows


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started, with theirs."""
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from descendants(child)


def kill_one(rng: random.Random, pids: Iterator[int], word: str) -> bool:
    """Kills one of some processes whose command has a part that begins with a word."""
    victims = []
    for pid in pids:
        with suppress(OSError):
            parts = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
            victims += [pid] * any(part.startswith(word) for part in parts)
    with suppress(ProcessLookupError):
        if victims:
            os.kill(rng.choice(sorted(victims)), signal.SIGKILL)
            return True
    return False


def kill_process(rng: random.Random, pid: int) -> bool:
    """Kills a worker process of a campaign."""
    return kill_one(rng, descendants(pid), "worker")


@contextmanager
def cluster() -> Iterator[tuple[str, dict[str, Kill]]]:
    """A Ray cluster of two nodes: its address, and what can be killed of it."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=1)]

    def kill_actor(rng: random.Random, pid: int) -> bool:
        return kill_one(rng, descendants(os.getpid()), "ray::Actor")

    def kill_node(rng: random.Random, pid: int) -> bool:
        """The node comes back; a campaign that is under way goes on without it."""
        made.remove_node(nodes.pop(), allow_graceful=False)
        nodes.append(made.add_node(num_cpus=1))
        return True

    try:
        yield f"ray://{made.address}", {"worker": kill_actor, "node": kill_node}
    finally:
        made.shutdown()


def disturbed(
    runs: Path, seed: int, workers: str, kills: dict[str, Kill], rng: random.Random, most: int
) -> Counter[str]:
    """Runs a campaign to its end with up to `most` kills on the way; what was killed, and how often."""
    done: Counter[str] = Counter()
    process, goal = start(runs, seed, workers), 0
    while True:
        goal = min(ITERATIONS - 1, max(goal, len(told(runs))) + rng.randrange(1, 8))
        while process.poll() is None and (len(told(runs)) < goal or done.total() == most):
            time.sleep(0.05)
        if process.poll() is not None:
            if process.returncode:
                raise SystemExit(f"seed {seed}: a campaign with workers {workers} ended with an error")
            return done
        time.sleep(rng.uniform(0, 0.3))
        before, victim = told(runs), rng.choice([*kills, "campaign"])
        if victim == "campaign":
            process.kill()
            process.wait()
            process = start(runs, seed, workers)
        if victim == "campaign" or kills[victim](rng, process.pid):
            done[victim] += 1
        if told(runs)[: len(before)] != before:
            raise SystemExit(f"seed {seed}: what was told before a kill is another thing after it")


def main() -> None:
    """Kills, resumes, compares, and prints a line for each campaign."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("--kills", type=int, default=20, help="count")
    parser.add_argument("--workers", default="processes:2", help="processes:N or ray")
    parser.add_argument("--seed", type=int, default=1, help="of the points and the victims")
    options = parser.parse_args()
    rng, total, differ, seed = random.Random(options.seed), Counter[str](), 0, 0
    with tempfile.TemporaryDirectory(prefix="gapsmith-kills-") as place:
        os.environ["GAPSMITH_CACHE"] = str(Path(place) / "cache")
        with cluster() if options.workers == "ray" else _alone(options.workers) as (workers, kills):
            while total.total() < options.kills:
                seed += 1
                whole, cut = Path(place) / f"whole-{seed}", Path(place) / f"cut-{seed}"
                if start(whole, seed, "1").wait():
                    raise SystemExit("the undisturbed campaign ended with an error")
                done = disturbed(cut, seed, workers, kills, rng, options.kills - total.total())
                total += done
                alike = course(cut) == course(whole)
                differ += not alike
                words = ", ".join(f"{count} × {name}" for name, count in sorted(done.items())) or "nothing"
                print(f"seed {seed}: killed {words}; {'the same course' if alike else 'ANOTHER COURSE'}")
    words = ", ".join(f"{count} × {name}" for name, count in sorted(total.items()))
    print(f"killed {words} in {seed} campaigns of {ITERATIONS} iterations; {differ} took another course")
    sys.exit(differ > 0)


@contextmanager
def _alone(workers: str) -> Iterator[tuple[str, dict[str, Kill]]]:
    yield workers, {"worker": kill_process}


if __name__ == "__main__":
    main()
