"""What a workshop costs: an evaluation in it against the same one in a bare process, and what limits overrun.

Evaluations are taken in turns, so that a busy machine slows all of them alike; CPU time is that of every
process of an evaluation. `python benchmarks/workshop.py` prints the least and the median of each.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from gapsmith.problems.foreign import driver
from gapsmith.problems.foreign.packages import shareable
from gapsmith.sandbox.base import Limits, Program
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.workshop import Task, Workshop, environment

EVALUATORS = {
    "nothing": "def evaluate(path):\n    return {'combined_score': 1.0}\n",
    "numpy": "import numpy\ndef evaluate(path):\n    return {'combined_score': float(numpy.eye(2).sum())}\n",
}
OPTIONS = {
    "tool": "openevolve",
    "evaluator": "evaluator.py",
    "cascade": False,
    "thresholds": [],
    "retries": 0,
    "artifact_bytes": 0,
}
BARE = """
import json, sys
names = {"__name__": "gapsmith_driver"}
exec(compile(open(sys.argv[1]).read(), "<driver>", "exec"), names)
names["drive"](sys.argv[2], sys.argv[3], {}, json.loads(sys.argv[4]), 1, lambda *_, **__: None)
"""
GRANDCHILDREN = """
import os, subprocess, sys, time
def drive(path, folder, instance, options, seed, report):
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
            time.sleep(600)
    time.sleep(600)
"""
DRIVER = Path(driver.__file__)
PROGRAM = Program({"program.py": "def f():\n    return 1\n"}, "f")
TICKS = os.sysconf("SC_CLK_TCK")


def bare(folder: Path) -> float:
    """CPU seconds of an evaluation in a process of its own."""
    words = [sys.executable, "-B", "-X", "utf8", "-c", BARE, str(DRIVER), str(folder / "program.py")]
    process = subprocess.Popen(
        [*words, str(folder), json.dumps(OPTIONS)], env=environment(str(folder), sys.executable), cwd="/"
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def jailed(workshop: Workshop) -> float:
    """CPU seconds of an evaluation, of the template's and of all processes of the jail."""
    before = spent(workshop)
    done = workshop.execute(PROGRAM, b"{}", Limits(60, 1 << 30), 1)
    assert done.answer is not None, done
    return spent(workshop) - before


def spent(workshop: Workshop) -> float:
    """CPU seconds of the template so far and of what it waited for, and of ended processes of this one."""
    ended = os.times()
    total = ended.children_user + ended.children_system
    template = workshop._template
    if template is not None:
        fields = Path(f"/proc/{template.pid}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15])) / TICKS
    return total


def overrun(folder: Path, without: frozenset[str]) -> float:
    """Wall seconds until an evaluation with grandchildren in own sessions is over, beyond 2 s."""
    with Workshop(Task(folder, GRANDCHILDREN), Policy(without=without)) as workshop:
        workshop.execute(PROGRAM, b"{}", Limits(0.2, 1 << 30), 1)  # starts the template
        begun = perf_counter()
        workshop.execute(PROGRAM, b"{}", Limits(2.0, 1 << 30), 1)
        return perf_counter() - begun - 2.0


def compare(name: str, text: str, rounds: int, block: int) -> None:
    """Prints the CPU milliseconds of an evaluation by each way; ticks of a clock are coarse, so in blocks."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "evaluator.py").write_text(text)
        (folder / "program.py").write_text(PROGRAM.main)
        task = Task(folder, DRIVER.read_text(), OPTIONS, packages=shareable([text]))
        with Workshop(task, Policy()) as shared, Workshop(task, Policy()) as own:
            own.unshared = "measured"
            ways: dict[str, Callable[[], float]] = {
                "bare process": lambda: bare(folder),
                "workshop, forked from its template": lambda: jailed(shared),
                "workshop, a template for each evaluation": lambda: jailed(own),
            }
            for way in ways.values():
                way()
            measured: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(rounds):
                for way, run in ways.items():
                    measured[way].append(sum(run() for _ in range(block)) / block)
    for way, found in measured.items():
        least, middle = 1000 * min(found), 1000 * statistics.median(found)
        print(f"{name:8} {way:42} CPU ms: least {least:6.1f}, median {middle:6.1f}")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="blocks of evaluations by each way")
    parser.add_argument("--block", type=int, default=5, help="evaluations in a block")
    given = parser.parse_args()
    for name, text in EVALUATORS.items():
        compare(name, text, given.rounds, given.block)
    with tempfile.TemporaryDirectory() as place:
        for without in (frozenset[str](), frozenset({"namespaces"})):
            late = max(overrun(Path(place), without) for _ in range(3))
            print(f"limit of 2 s, without {', '.join(without) or 'nothing'}: {late:.3f} s late at most")
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
