"""What a workshop gives an evaluator, where it ends it, and what it says where it cannot work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.sandbox.base import Execution, ExecutionStatus, Limits, Program, SandboxError
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.sealed import evaluator_seccomp, isolation
from gapsmith.sandbox.sealed.filter import ERRNO, Instruction, Loader
from gapsmith.sandbox.trusted_evaluator import (
    EvaluatorTask,
    Workshop,
    active_layers,
    open_workshop,
    self_test,
)

Drive = Callable[..., Execution]


def alive(mark: str) -> list[int]:
    """Processes of this machine with a mark in their arguments."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and mark.encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def test_evaluator_finds_its_packages_folder_and_processes(drive: Drive, tmp_path: Path) -> None:
    """Packages, files of the task, a temporary folder, threads, pools and other programs work."""
    (tmp_path / "data.txt").write_text("42")
    done = drive(
        "import asyncio, math, multiprocessing, numpy, os, subprocess, sys, tempfile, threading\n"
        "with multiprocessing.Pool(2) as pool:\n"
        "    roots = pool.map(math.sqrt, [4, 9])\n"
        "thread = threading.Thread(target=lambda: None); thread.start(); thread.join()\n"
        "async def later(): return int(open(os.path.join(folder, 'data.txt')).read())\n"
        "with tempfile.NamedTemporaryFile('w', suffix='.py', delete=False) as file:\n"
        "    file.write('print(6 * 7)')\n"
        "out = subprocess.run([sys.executable, file.name], stdout=-1, text=True).stdout\n"
        "report([roots, asyncio.run(later()), out, float(numpy.eye(3).sum()), os.path.dirname(path) == "
        "os.environ['TMPDIR'] == os.environ['HOME'], seed, instance])"
    )
    assert done.error is None
    assert done.answer == [[2.0, 3.0], 42, "42\n", 3.0, True, 7, {"repeat": 1}]


@pytest.mark.quick("off0")
@pytest.mark.parametrize("off", [frozenset(), frozenset({"namespaces"})])
def test_time_limit_ends_grandchildren(off: frozenset[str], drive: Drive) -> None:
    """What was started in sessions of its own, twice removed, has ended when the outcome is there."""
    mark = f"outlives-{os.getpid()}-{len(off)}"
    done = drive(
        "import os, subprocess, sys, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        f"        subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', '{mark}'])\n"
        "        os._exit(0)\n"
        "time.sleep(600)",
        seconds=2.0,
        without=off,
    )
    assert done.status is ExecutionStatus.TIMEOUT
    assert alive(mark) == []


def test_orphans_end_with_their_evaluation(drive: Drive) -> None:
    """A process that is left behind by an evaluator that ended in order does not outlive it."""
    mark = f"orphan-{os.getpid()}"
    done = drive(
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', '{mark}'], "
        "start_new_session=True)\n"
        "report('done')"
    )
    assert done.answer == "done"
    assert alive(mark) == []


def test_programs_leave_nothing_to_each_other(tmp_path: Path) -> None:
    """Files, shared memory and the result of one evaluation are out of reach of the next."""
    driver = (
        "import os\ndef drive(path, folder, instance, options, seed, report):\n"
        "    places = (os.environ['HOME'], '/dev/shm')\n"
        "    left = [n for place in places for n in os.listdir(place) if n.startswith('left')]\n"
        "    for place in places:\n"
        "        open(os.path.join(place, 'left'), 'w').write('1000')\n"
        "    report(left)\n"
    )
    with Workshop(EvaluatorTask(tmp_path, driver), Policy()) as workshop:
        answers = [
            workshop.execute(Program({"h.py": f"x = {n}"}, "f"), b"{}", Limits(20), 1).answer
            for n in range(2)
        ]
    assert answers == [[], []]


@pytest.mark.slow
def test_last_report_counts_and_a_stage_has_its_own_time(drive: Drive) -> None:
    """What was reported before the time limit of a later stage stands; each stage has the whole limit."""
    begun = time.monotonic()
    done = drive(
        "import time\ntime.sleep(0.7)\nreport({'stage': 1}, next_stage=True)\n"
        "time.sleep(0.7)\nreport({'stage': 2}, next_stage=True)\ntime.sleep(600)",
        seconds=1.4,
    )
    assert done.answer == {"stage": 2}
    assert time.monotonic() - begun > 2.8


def test_stages_without_end_are_no_more_time(drive: Drive) -> None:
    """A program that announces stages for ever gets three limits and no more."""
    done = drive(
        "import time\nwhile True:\n    report('still here', next_stage=True)\n    time.sleep(0.1)",
        seconds=0.5,
    )
    assert done.answer == "still here"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("bytearray(1 << 30)", ExecutionStatus.MEMORY),
        ("raise ValueError('no circles')", ExecutionStatus.RAISED),
        ("import os; os._exit(3)", ExecutionStatus.CRASHED),
        ("import ctypes; ctypes.string_at(0)", ExecutionStatus.CRASHED),
        ("report(float('nan'))", ExecutionStatus.INVALID_ANSWER),
        ("report('x' * (1 << 21))", ExecutionStatus.OUTPUT),
        ("raise SystemExit", ExecutionStatus.RAISED),
    ],
)
def test_failures_are_data(body: str, status: ExecutionStatus, drive: Drive) -> None:
    """Whatever goes wrong in the evaluator's process is a status with a reason."""
    done = drive(body)
    assert done.status is status
    assert done.error


def test_printed_text_is_kept_and_cleaned(drive: Drive) -> None:
    """The end of what was printed is there, without control characters."""
    assert drive("print('radius \\x1b[31m3')\nreport(1)").output == "radius [31m3"


def test_layers_are_reported(tmp_path: Path) -> None:
    """A workshop says which layers it put on, and opens only after its own attacks were stopped."""
    with open_workshop(EvaluatorTask(tmp_path, "")) as workshop:
        assert all(self_test(workshop).values())
        layers = active_layers(workshop.policy)
    assert {"landlock", "seccomp", "rlimits", "uid"} <= {name for name, on in layers.items() if on}


def test_missing_landlock_refuses(tmp_path: Path) -> None:
    """Where the kernel refuses Landlock nothing runs, and the error names the layer."""
    machine = isolation.machine()
    step = Instruction
    refuse = [step(0x20, 0, 0, 0), step(0x15, 0, 1, 444), step(0x06, 0, 0, ERRNO | 38)]
    refuse.append(step(0x06, 0, 0, 0x7FFF0000))
    assert machine in ("x86_64", "aarch64")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        isolation.prctl(isolation.PR_SET_NO_NEW_PRIVS, 1)
        Loader(refuse).load()
        try:
            with Workshop(EvaluatorTask(tmp_path, ""), Policy()) as workshop:
                self_test(workshop)
        except SandboxError as error:
            os.write(writing, f"{error.layer}: {error.hint}".encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    said = os.read(reading, 1000).decode()
    os.close(reading)
    assert said.startswith("landlock")
    assert "--unsafe-without landlock" in said


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
            "thread",
        ),
        ("import os\nkept = open(os.devnull)", "descriptors"),
        ("import mmap\nkept = mmap.mmap(-1, 4096)", "shared memory"),
        ("import colorsys", "modules of the task"),
    ],
)
def test_packages_that_cannot_be_shared_are_imported_by_each_evaluation(
    text: str, why: str, tmp_path: Path
) -> None:
    """What would live on in a template is not imported there; evaluations come out the same."""
    packages, task, python = tmp_path / "packages", tmp_path / "task", tmp_path / "python"
    packages.mkdir()
    task.mkdir()
    (task / "colorsys.py").write_text("")
    (packages / "unsound_package.py").write_text(text)
    python.write_text(f'#!/bin/sh\nPYTHONPATH={packages} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    driver = "import os, sys\ndef drive(path, folder, instance, options, seed, report):\n"
    driver += "    report([os.getppid(), 'unsound_package' in sys.modules, open(path).read()])\n"
    with Workshop(
        EvaluatorTask(task, driver, python=str(python), packages=("unsound_package",)), Policy()
    ) as workshop:
        answers = [workshop.execute(Program({"h.py": str(n)}, "f"), b"{}", Limits(20), 1) for n in range(2)]
        assert why in workshop.unshared
    assert [done.answer and done.answer[1:] for done in answers] == [[False, "0"], [False, "1"]]


@pytest.mark.slow
def test_template_ends_with_the_tool(tmp_path: Path) -> None:
    """A tool that is killed in the middle of an evaluation leaves no process, however far removed."""
    mark = f"left-by-tool-{os.getpid()}"
    driver = (
        "import subprocess, sys\ndef drive(path, folder, instance, options, seed, report):\n"
        f"    subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', '{mark}'])\n"
    )
    script = (
        "import pathlib\nfrom gapsmith.sandbox.base import Limits, Program\n"
        "from gapsmith.sandbox.policy import Policy\n"
        "from gapsmith.sandbox.trusted_evaluator import EvaluatorTask, Workshop\n"
        f"workshop = Workshop(EvaluatorTask(pathlib.Path({str(tmp_path)!r}), {driver!r}), Policy())\n"
        "workshop.execute(Program({'h.py': ''}, 'f'), b'{}', Limits(600), 1)\n"
    )
    (tmp_path / "tool.py").write_text(script)  # a file: its own arguments are to be without the mark
    tool = subprocess.Popen([sys.executable, str(tmp_path / "tool.py")])
    try:
        wait_for(lambda: alive(mark))
        (template,) = Path(f"/proc/{tool.pid}/task/{tool.pid}/children").read_text().split()
    finally:
        tool.kill()
        tool.wait()
    wait_for(lambda: not alive(mark) and not Path(f"/proc/{template}").exists())


def wait_for(condition: Callable[[], object]) -> None:
    """Returns when a condition holds; fails if that takes a minute."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_interpreter_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A wrong interpreter is the user's error, with the key to correct."""
    with pytest.raises(SandboxError, match="/no/python") as caught:
        open_workshop(EvaluatorTask(tmp_path, "", python="/no/python"))
    assert "problem.python" in caught.value.hint


def test_call_numbers_are_those_of_the_kernel() -> None:
    """Every name of the deny-list has the number of the kernel's own header, where that is installed."""
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
    if not header.exists():
        pytest.skip("the kernel's headers are not installed")
    numbers = {name: int(n) for name, n in re.findall(r"#define __NR_(\w+)\s+(\d+)", header.read_text())}
    tables = (
        evaluator_seccomp.REFUSED,
        evaluator_seccomp.SIGNALS,
        evaluator_seccomp.CHANGES,
        evaluator_seccomp.ABSENT,
        evaluator_seccomp.OWN_ONLY,
    )
    listed = {name: pair[0] for table in tables for name, pair in table.items()}
    assert {n: (v, numbers[n]) for n, v in listed.items() if n in numbers and numbers[n] != v} == {}
    header = Path("/usr/include/asm-generic/unistd.h")
    generic = re.findall(r"#define __NR3?2?6?4?_?(\w+)\s+(\d+)", header.read_text())
    others = {name: int(n) for name, n in generic}
    both = {name: pair[1] for table in tables for name, pair in table.items() if pair[1] >= 0}
    assert {n: (v, others[n]) for n, v in both.items() if n in others and others[n] != v} == {}
