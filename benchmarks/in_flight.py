"""What iterations under way cost in quality: 2, 8, 32 and 128 of them at equal evaluations, resumable.

    python benchmarks/in_flight.py run --seeds 1-10 --folder in-flight
    python benchmarks/in_flight.py table --folder in-flight

Parents are as old as the window of iterations under way, so a wide window learns later. Each seed and
window is one campaign from start programs alone on few training instances, in a process of its own, until a
number of evaluations; seeds differ in the search's random streams and share their instances. A campaign that
has ended is not run again; one that was cut short begins anew. Seeds are run one after the other with all
windows, so that pairs are complete at any time.

No machine is simulated: outcomes are told in the order of the questions, so the course depends on the window
and not on how many workers there are or which of them ends first. Programs, all of them made by the offline
proposer, therefore run and are verified in the campaign's own process, without a sandbox, which takes a
fraction of the time. Models' programs must never be run like this.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from types import CodeType
from typing import Any
from unittest.mock import patch

from gapsmith.app import compose
from gapsmith.app.config import parse
from gapsmith.app.setup.setup import Setup
from gapsmith.evaluators.base import Evaluation
from gapsmith.evaluators.judging import Judges, judge
from gapsmith.evolve.executor import EvaluationJob, Executor, evaluate
from gapsmith.sandbox import descriptions
from gapsmith.sandbox.base import (
    MAIN_FILE,
    Description,
    Execution,
    ExecutionStatus,
    Limits,
    Program,
)
from gapsmith.sandbox.sealed import text as texts
from search import Outcome, interval, outcome

WINDOWS = (2, 8, 32, 128)
JOBS = 30
"""Of an instance (count)."""
CPU_SECONDS = 2.0
"""Limit of an execution, so far above its usual time that the course does not depend on the machine."""
USUAL = 8
"""The default of `campaign.in_flight`, which the others are compared with."""


def place(folder: Path, problem: str, window: int, seed: int) -> Path:
    """Folder that holds the one run of a window and seed."""
    return folder / f"{problem}-{window}-{seed}"


class Late(BaseException):
    """A program has used up its CPU time; no program catches this by its usual handlers."""


def _late(*_: Any) -> None:
    raise Late


@lru_cache(maxsize=256)
def _code(text: str) -> CodeType:
    return compile(text, MAIN_FILE, "exec")


def _answer(program: Program, instance: Any) -> Any:
    """The answer of a program, or of its driver with the program's entry point, as plain data."""
    scope: dict[str, Any] = {"__name__": MAIN_FILE}
    exec(_code(program.main), scope)
    answer = scope[program.entry_point]
    if program.driver is None:
        answer = answer(**instance)
    else:
        driver: dict[str, Any] = {}
        exec(_code(program.driver), driver)
        answer = driver["drive"](answer, instance)
    return json.loads(json.dumps(answer, allow_nan=False))


class Here:
    """A slot and an executor in this process, on its main thread: for programs that are trusted.

    A rule is not asked again in fresh processes whether it is a function of its arguments.
    """

    def __init__(self, setup: Setup) -> None:
        self._evaluator = setup.evaluator
        self._evaluator._auditor = None

    def execute(self, program: Program, instance: bytes, limits: Limits, seed: int, *_: Any) -> Execution:
        """Runs a program with a CPU limit and nothing else around it."""
        random.seed(seed)
        begun = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, limits.cpu_seconds)
            try:
                answer = _answer(program, json.loads(instance))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
        except Late:
            return Execution(ExecutionStatus.TIMEOUT, error="too much CPU time")
        except Exception as error:
            return Execution(ExecutionStatus.RAISED, error=type(error).__name__)
        return Execution(ExecutionStatus.OK, answer, cpu_seconds=time.process_time() - begun)

    def describe(self, text: str, entry_point: str) -> Description:
        """The description that a sealed child makes."""
        raw: Any = texts.describe(text, entry_point)
        return descriptions.read(Execution(ExecutionStatus.OK, raw))

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """Does a job at once."""
        future: Future[Evaluation] = Future()
        future.set_result(evaluate(self._evaluator, self, job))
        return future

    def close(self) -> None:
        """Ends nothing."""


@contextmanager
def _executor(setup: Setup, store: object = None) -> Iterator[Executor]:
    yield Here(setup)


def one(folder: Path, problem: str, window: int, seed: int, evaluations: int) -> None:
    """Runs one campaign in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.signal(signal.SIGPROF, _late)
    runs = place(folder, problem, window, seed) / "run"
    runs.mkdir(parents=True, exist_ok=True)
    document = {
        "campaign": {"problem": problem, "in_flight": window, "seed": seed},
        "search": {"founders": "start"},
        "budget": {"evaluations": evaluations},
        "problem": {"jobs": JOBS, "train_per_stratum": 1, "valid_per_stratum": 1, "test_per_stratum": 2},
        "run": {"workers": 1},
        "sandbox": {"cpu_seconds": CPU_SECONDS},
    }
    with (
        patch.object(Setup, "open_slot", lambda self: Here(self)),
        patch.object(compose, "open_executor", _executor),
        patch.object(
            Judges, "judge", lambda self, instance, answer, *_: judge(self._problem, instance, answer)
        ),
    ):
        compose.run(parse(document, "benchmark"), runs)


def campaign(folder: Path, problem: str, window: int, seed: int, evaluations: int) -> str:
    """Runs one campaign in a process of its own, unless it has ended; says in a line how it ended."""
    runs, begun = place(folder, problem, window, seed), time.monotonic()
    if (done := outcome(runs)) is not None:
        return f"seed {seed}, {window} in flight: there already, test loss {done.test}"
    shutil.rmtree(runs, ignore_errors=True)  # what a stop has left
    words = ["--folder", str(folder), "--problem", problem, "--evaluations", str(evaluations)]
    words += ["--seeds", str(seed), "--window", str(window)]
    cache = {"GAPSMITH_CACHE": str(folder.resolve() / "cache")}
    command = [sys.executable, __file__, "one", *words]
    process = subprocess.run(command, capture_output=True, text=True, env=os.environ | cache)
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
    parser.add_argument("what", choices=("run", "table", "one"))
    parser.add_argument("--problem", default="smtt-rule")
    parser.add_argument("--folder", type=Path, default=Path("in-flight"))
    parser.add_argument("--seeds", default="1-10", help="first-last")
    parser.add_argument("--evaluations", type=int, default=160, help="in training, of a campaign (count)")
    parser.add_argument("--window", type=int, default=USUAL, help="of `one` campaign (count)")
    options = parser.parse_args()
    if options.what == "table":
        print("\n".join(table(options.folder, options.problem)))
        return
    if options.what == "one":
        one(options.folder, options.problem, options.window, int(options.seeds), options.evaluations)
        return
    first, _, last = options.seeds.partition("-")
    for seed in range(int(first), int(last or first) + 1):
        for window in WINDOWS:
            print(campaign(options.folder, options.problem, window, seed, options.evaluations), flush=True)


if __name__ == "__main__":
    main()
