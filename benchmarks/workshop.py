"""What a workshop costs: an evaluation in it against the same one in a bare process, and what limits overrun.

Evaluations are taken in turns, so that a busy machine slows all of them alike; CPU time is that of every
process of an evaluation. `python benchmarks/workshop.py` prints the least and the median of each, and the
median of the paired differences to the bare process. With names of tasks (`openevolve:PATH`) it evaluates
their start programs by the interpreter that `--python` names.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

from gapsmith.app.plugins.foreign import load_foreign, workshop_task
from gapsmith.problems.foreign import driver
from gapsmith.problems.foreign.packages import shareable
from gapsmith.sandbox.base import Limits, Program
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.trusted_evaluator import EvaluatorTask, Workshop, environment

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


def bare(task: EvaluatorTask, program: str, place: Path) -> float:
    """CPU seconds of an evaluation in a process of its own, which may write into a folder."""
    path = place / "program.py"
    path.write_text(program)
    words = [task.python, "-B", "-X", "utf8", "-c", BARE, str(DRIVER), str(path)]
    process = subprocess.Popen(
        [*words, str(task.folder), json.dumps(task.options)],
        env=environment(str(place), task.python),
        cwd="/",
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def jailed(workshop: Workshop, program: str) -> float:
    """CPU seconds of an evaluation, of the template's and of all processes of the jail."""
    before = spent(workshop)
    done = workshop.execute(Program({"program.py": program}, "f"), b"{}", Limits(600, 4 << 30), 1)
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
    with Workshop(EvaluatorTask(folder, GRANDCHILDREN), Policy(without=without)) as workshop:
        workshop.execute(PROGRAM, b"{}", Limits(0.2, 1 << 30), 1)  # starts the template
        begun = perf_counter()
        workshop.execute(PROGRAM, b"{}", Limits(2.0, 1 << 30), 1)
        return perf_counter() - begun - 2.0


def compare(name: str, task: EvaluatorTask, program: str, rounds: int, block: int) -> None:
    """Prints the CPU milliseconds of an evaluation by each way; ticks of a clock are coarse, so in blocks."""
    with (
        tempfile.TemporaryDirectory() as place,
        Workshop(task, Policy()) as shared,
        Workshop(task, Policy()) as own,
    ):
        own.unshared = "measured"
        ways: dict[str, Callable[[], float]] = {
            "bare process": lambda: bare(task, program, Path(place)),
            "workshop, forked from its template": lambda: jailed(shared, program),
            "workshop, a template for each evaluation": lambda: jailed(own, program),
        }
        for way in ways.values():
            way()
        measured: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, run in ways.items():
                measured[way].append(1000 * sum(run() for _ in range(block)) / block)
    reference = measured["bare process"]
    for way, found in measured.items():
        more = statistics.median(one - base for one, base in zip(found, reference, strict=True))
        least, middle = min(found), statistics.median(found)
        print(f"{name:8} {way:42} CPU ms: least {least:6.1f}, median {middle:6.1f}, over bare {more:+6.1f}")


def examples() -> Iterator[tuple[str, EvaluatorTask, str]]:
    """Name, task and program of the two evaluators here."""
    for name, text in EVALUATORS.items():
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "evaluator.py").write_text(text)
            task = EvaluatorTask(Path(place), DRIVER.read_text(), OPTIONS, packages=shareable([text]))
            yield name, task, PROGRAM.main


def tasks(specs: Sequence[str], python: str) -> Iterator[tuple[str, EvaluatorTask, str]]:
    """Name, task and start program of a user's tasks."""
    for spec in specs:
        problem = load_foreign(spec, {"python": python}).problem
        yield "/".join(problem.folder.parts[-2:]), workshop_task(problem), problem.start


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="blocks of evaluations by each way")
    parser.add_argument("--block", type=int, default=5, help="evaluations in a block")
    parser.add_argument("tasks", nargs="*", help="openevolve:PATH …; without any, two evaluators of a line")
    parser.add_argument("--python", default=sys.executable, help="interpreter with the tasks' packages")
    given = parser.parse_args()
    for name, task, program in tasks(given.tasks, given.python) if given.tasks else examples():
        compare(name, task, program, given.rounds, given.block)
    if not given.tasks:
        with tempfile.TemporaryDirectory() as place:
            for without in (frozenset[str](), frozenset({"namespaces"})):
                late = max(overrun(Path(place), without) for _ in range(3))
                print(f"limit of 2 s, without {', '.join(without) or 'nothing'}: {late:.3f} s late at most")
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
