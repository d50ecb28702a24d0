"""What a workbench's feedback costs beyond the executions: `python benchmarks/workbench.py [PROBLEM …]`.

One process holds the bench open and hands program after program to `probe` and `submit`, each one new. Within
each operation the wall time of its executions is taken where they are made and judged; the extra is the rest
of the same operation: the turn at the run, the examination of the text, the search, the record, the answer.
The figures are milliseconds over all rounds. Beside them stand operations from the command line, each a
process of its own, without their executions too.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from gapsmith.app.bench.creation import open_bench
from gapsmith.app.bench.workbench import Workbench
from gapsmith.app.config import parse
from gapsmith.evaluators.evaluator import GapEvaluator

PROBLEMS = ("smtt-rule", "online-bin-packing", "kv-scheduling-rule")


@contextmanager
def executions() -> Iterator[list[float]]:
    """Wall seconds of all executions of the block, each with its judgement; one worker makes them."""
    spent: list[float] = []

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return work(*words, **named)
            finally:
                spent.append(time.perf_counter() - began)

        return call

    with (
        patch.object(GapEvaluator, "evaluate", timed(GapEvaluator.evaluate)),
        patch.object(GapEvaluator, "probe", timed(GapEvaluator.probe)),
    ):
        yield spent


def extra(operation: Callable[[], Any]) -> tuple[float, float]:
    """Milliseconds of an operation, and those of them beyond its executions."""
    with executions() as spent:
        began = time.perf_counter()
        operation()
        whole = time.perf_counter() - began
    return 1000 * whole, 1000 * (whole - sum(spent))


def opened(problem: str, place: str) -> Workbench:
    """A workbench in a folder, with a session that is open."""
    folder = Path(place) / "20260101-000000-bench-aaaa"
    folder.mkdir()
    tables: dict[str, Any] = {"campaign": {"problem": problem}, "run": {"workers": 1}}
    open_bench(parse({**tables, "budget": {"iterations": 10_000}}, "benchmark"), folder, fresh=False)
    return Workbench(folder)


def measured(bench: Workbench, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Operation → milliseconds and extra milliseconds of each round."""
    text = bench.read("start")["files"]["heuristic.py"]
    bench.probe(text)
    found: dict[str, list[tuple[float, float]]] = {"probe": [], "submit": []}
    for number in range(rounds):
        changed = f"{text}\nROUND = {number}\n"
        found["probe"].append(extra(lambda changed=changed: bench.probe(changed)))
        found["submit"].append(extra(lambda changed=changed: bench.submit(changed)))
    return found


def processes(bench: Workbench, rounds: int) -> list[float]:
    """Milliseconds of `gapsmith bench probe` without its execution's CPU time, each a process of its own."""
    file = bench.folder.parent / "probed.py"
    file.write_text(bench.read("start")["files"]["heuristic.py"], "utf-8")
    words = [sys.executable, "-m", "gapsmith.cli", "bench", "probe", str(bench.folder), str(file), "--json"]
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        subprocess.run(words, check=True, capture_output=True)
        found.append(1000 * (time.perf_counter() - began))
    return found


def main() -> None:
    """Prints a line for each problem and operation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=PROBLEMS)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds; milliseconds")
    for problem in arguments.problems:
        with tempfile.TemporaryDirectory(prefix="gapsmith-bench-") as place:
            bench = opened(problem, place)
            for name, rows in measured(bench, arguments.rounds).items():
                beyond = [row[1] for row in rows]
                print(
                    f"{problem:20} {name:8} whole {median(row[0] for row in rows):8.1f}"
                    f"   beyond executions {median(beyond):6.1f} (most {max(beyond):6.1f})"
                )
            bench.close()
            alone = processes(bench, 5)
            print(f"{problem:20} a process whole {median(alone):8.1f}")


if __name__ == "__main__":
    main()
