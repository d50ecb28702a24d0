"""How long looking at a run takes: `list`, `show`, `best`, `report`, `watch` and a poll of `watch --web`.

    python benchmarks/synthetic_run.py build/runs/big --candidates 50000 --model
    python benchmarks/inspection.py build/runs

Seconds are CPU seconds (user and system) of the whole command, the least of three; wall seconds beside.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from gapsmith.evolve.store.store import Store
from gapsmith.evolve.types import Origin, Rejection, RejectionReason


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
    from gapsmith.app.views.watch import _look
    from gapsmith.evolve.store.tally import Tally

    tally = Tally()
    first, *_ = _look(run, None, tally)  # imports, and reads what later looks find summed up
    begun = time.process_time()
    *_, pause = _look(run, first, tally)
    spent = time.process_time() - begun
    return spent / (spent + pause)


def poll_seconds(run: Path, polls: int = 20) -> list[float]:
    """CPU seconds of the server of `watch --web` for each poll, the first and costly one in front.

    Before each poll the campaign, a copy of the run, tells another rejected proposal.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(run, Path(folder) / run.name))
        words = [sys.executable, "-m", "gapsmith.cli", "watch", str(copy), "--web"]
        with closing(Store(copy)) as store:
            server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
            try:
                host, path = _address(server)
                with closing(HTTPConnection(host, timeout=60)) as connection:
                    return [_poll(store, server, connection, path) for _ in range(polls + 1)]
            finally:
                server.terminate()
                server.wait()


def _address(server: subprocess.Popen[str]) -> tuple[str, str]:
    """Host and path where a server that has just been started answers polls."""
    assert server.stdout is not None
    parts = urlsplit(server.stdout.readline().strip())
    return parts.netloc, f"{parts.path}live.json"


def _poll(store: Store, server: subprocess.Popen[str], connection: HTTPConnection, path: str) -> float:
    """CPU seconds of the server for one poll of a campaign that told more."""
    _tell(store)
    clock = (~server.pid << 3) | 2  # CPU time of a process, threads that ended included
    before = time.clock_gettime(clock)
    connection.request("GET", path)
    connection.getresponse().read()
    seconds = time.clock_gettime(clock) - before
    time.sleep(1.2)  # until then the server gives the same answer again
    return seconds


def _tell(store: Store) -> None:
    """Appends an iteration whose proposal was rejected."""
    number = 1 + (store.read.value("SELECT max(iteration) FROM iterations") or 0)
    store.asked(number, 0, (), (), None)
    store.admitted(number, Rejection(RejectionReason.NO_CODE, "no code", Origin.MUTATE, "number"))
    store.told(number, None, "", None)


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
    first, *polls = poll_seconds(last)
    result["poll_milliseconds"] = {
        "first": round(1000 * first, 1),
        "median": round(1000 * median(polls), 2),
        "largest": round(1000 * max(polls), 2),
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
