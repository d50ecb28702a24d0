"""Threads and processes beside each other: `python benchmarks/workers.py`.

One job is a program that burns a fixed amount of CPU time on each of some instances. All executors are
opened first; then rounds give each of them the same jobs in turn, so that the load of the machine weighs on
all alike. Figures are medians over the rounds: jobs per second of wall time, and CPU milliseconds of this
process per job.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from gapsmith.app.config import parse
from gapsmith.app.setup.executors import open_executor
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.evolve.executor import EvaluationJob, Executor
from gapsmith.sandbox.base import MAIN_FILE

PROBLEM = """
import gapsmith

class Burn:
    name, version, unit, entry_point = "burn", "1", "answers", "solve"
    sense, signature = gapsmith.Sense.MINIMISE, "solve(number: int) -> int"
    statement = "Return a number."

    def sets(self):
        return {"train": "numbers", "valid": "a number", "test": "a number"}

    def instances(self, name, seed):
        first, count = {"train": (0, EXECUTIONS), "valid": (-1, 1), "test": (-2, 1)}[name]
        numbers = range(first, first + count)
        return [gapsmith.Instance(f"{name}-{n}", name, "all", {"number": n}, 1, "count") for n in numbers]

    def start_programs(self):
        return {"start": "def solve(number):\\n    return number\\n"}

    baselines = start_programs

    def verify(self, instance, answer):
        return gapsmith.Verdict.valid(abs(answer - instance.public["number"]) + 3)

    def reference(self, instance, seconds):
        return gapsmith.Reference.optimum(2, source="by construction")
"""
PROGRAM = """
def solve(number):
    for _ in range(LOOPS):
        number = (number * 7 + 1) % 1000003
    return number
"""


def loops(milliseconds: float) -> int:
    """Rounds of the program's loop that take some CPU milliseconds here (count)."""
    scope: dict[str, object] = {}
    exec(PROGRAM.replace("LOOPS", "200_000"), scope)
    solve = scope["solve"]
    assert callable(solve)
    times = []
    for _ in range(5):
        begun = time.process_time()
        solve(1)
        times.append(time.process_time() - begun)
    return int(200_000 * milliseconds / 1000 / min(times))


def one_round(executor: Executor, job: EvaluationJob, jobs: int) -> tuple[float, float]:
    """Jobs per wall second, and CPU milliseconds of this process per job."""
    begun, cpu = time.perf_counter(), time.process_time()
    for future in [executor.submit(job) for _ in range(jobs)]:
        future.result()
    return jobs / (time.perf_counter() - begun), (time.process_time() - cpu) * 1000 / jobs


def main() -> None:
    """Opens all executors, alternates between them, and prints a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workers", nargs="*", default=["1", "2", "processes:1", "processes:2"])
    parser.add_argument("--milliseconds", type=float, default=10.0, help="CPU time of an execution")
    parser.add_argument("--executions", type=int, default=40, help="of a job (count)")
    parser.add_argument("--jobs", type=int, default=6, help="of a round (count)")
    parser.add_argument("--rounds", type=int, default=5, help="count")
    options = parser.parse_args()
    program = PROGRAM.replace("LOOPS", str(loops(options.milliseconds)))
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        os.environ["GAPSMITH_CACHE"] = place
        file = Path(place) / "burn.py"
        file.write_text(PROBLEM.replace("EXECUTIONS", str(options.executions)))
        executors: dict[str, tuple[Executor, EvaluationJob]] = {}
        for workers in options.workers:
            table = {"campaign": {"problem": str(file)}, "run": {"workers": workers}}
            setup = setup_of_problem(parse(table, "benchmark"))
            job = EvaluationJob(setup.evaluator.program({MAIN_FILE: program}), "train", whole=True)
            executor = stack.enter_context(open_executor(setup))
            assert executor.submit(job).result().fitness is not None
            executors[workers] = (executor, job)
        rows: dict[str, list[tuple[float, float]]] = {workers: [] for workers in executors}
        for _ in range(options.rounds):
            for workers, (executor, job) in executors.items():
                rows[workers].append(one_round(executor, job, options.jobs))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{options.executions} executions of {options.milliseconds:g} ms a job; load {load}")
    print("workers | jobs/s | times the first | driver CPU, ms a job")
    first = rows[options.workers[0]]
    for workers, found in rows.items():
        ratio = median(one[0] / other[0] for one, other in zip(found, first, strict=True))
        rate, cpu = (median(column) for column in zip(*found, strict=True))
        print(f"{workers} | {rate:.2f} | {ratio:.2f} | {cpu:.2f}")


if __name__ == "__main__":
    main()
