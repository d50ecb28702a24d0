"""Workers as processes: the same campaign as with threads, whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.config import parse, read_workers
from gapsmith.app.errors import UserError
from gapsmith.app.plugins.session_problems import spec_of
from gapsmith.app.setup import workers as opening
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.app.setup.setup import Setup
from gapsmith.app.setup.workers import check_hello, encode_brief, hello, read_brief
from gapsmith.evaluators.base import Plugin
from gapsmith.evolve.remote.executor import WorkerLost

PROBLEM = Path(__file__).with_name("flow_time.py")
TABLES = {
    "iterations": "iteration island parents rival candidate rejection told added",
    "scores": "program split instance status objective gap answer_digest",
    "events": "iteration kind data",
}
"""What a campaign's course is: all that the store says but times and lost workers."""


@pytest.fixture
def course(document: Callable[..., Any]) -> Callable[[Path], Any]:
    """The course of a run."""

    def read(folder: Path) -> dict[str, list[str]]:
        found = {table: document("export", folder.name, "--what", table)["rows"] for table in TABLES}
        found["events"] = [row for row in found["events"] if row["kind"] != "worker"]
        return {
            table: sorted(repr([row[key] for key in TABLES[table].split()]) for row in rows)
            for table, rows in found.items()
        }

    return read


@pytest.mark.parametrize("value", [1, 256, "processes", "processes:3", "ray", "ray://10.0.0.1:6379"])
def test_workers_are_threads_or_processes(value: int | str) -> None:
    """A number means threads; a text names processes and perhaps how many, or a cluster."""
    assert read_workers(value) == value
    assert read_workers(str(value)) == value


@pytest.mark.parametrize(
    "value", [0, 257, True, "processes:0", "processes:300", "many", "ray://head", "ray://a@b:1", 1.0]
)
def test_other_workers_are_refused(value: object, command: Callable[..., Any]) -> None:
    """The error names what is expected, from the command line and from a file."""
    with pytest.raises(ValueError, match="expected 1 to 256, processes, processes:N, ray or ray://HOST:PORT"):
        read_workers(value)
    with pytest.raises(UserError, match=r"run.workers|\[run\] workers"):
        parse({"run": {"workers": value}}, "test")
    if type(value) is not float and type(value) is not bool:
        assert command("run", "smtt", f"--workers={value}").returncode == 2


def setup() -> Setup:
    """The small problem, ready."""
    return setup_of_problem(parse({"campaign": {"problem": str(PROBLEM)}}, "test"))


def test_a_brief_makes_an_equal_setup(tmp_path: Path) -> None:
    """Instances, references and limits come through; a file that is not there travels as its source."""
    first = setup()
    second = read_brief(encode_brief(first))
    assert second.evaluator.version == first.evaluator.version
    assert second.evaluator.references == first.evaluator.references
    moved = encode_brief(first).replace(str(PROBLEM.parent), str(tmp_path / "elsewhere"))
    third = read_brief(moved)
    assert third.loaded.digest == first.loaded.digest
    assert check_hello(hello(third, {"seccomp": True}), first)["layers"] == {"seccomp": True}


@pytest.mark.parametrize("key", ["gapsmith", "python", "problem", "evaluator"])
def test_a_worker_that_differs_is_refused(key: str) -> None:
    """The error names what differs, with both values."""
    first = setup()
    said = hello(first, {}).replace(f'"{key}": "', f'"{key}": "x')
    with pytest.raises(UserError, match="differs: got x"):
        check_hello(said, first)


@pytest.mark.parametrize("line", ["", "{}", "[]", "null", '{"error": 1}', "Traceback"])
def test_a_damaged_first_line_is_an_error(line: str) -> None:
    """Whatever a process prints in place of its first line, the error quotes it."""
    with pytest.raises(UserError, match="first line is damaged"):
        check_hello(line, setup())


@pytest.mark.parametrize("given", [b"", b"\xff\xfe\n", b'{"config": 1}\n', b"[" * 100_000 + b"\n"])
def test_a_damaged_brief_is_one_clear_line(given: bytes) -> None:
    """Bytes that are no brief end a worker with a reason in its first line, an exit code and no traceback."""
    done = subprocess.run([sys.executable, *opening.COMMAND], input=given, capture_output=True, timeout=120)
    code, message, _ = json.loads(done.stdout)["error"]
    assert done.returncode == code == 3
    assert "its first line holds no brief" in message
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("given", [b"\xff\xfe\n", b'{"job": "x"}\n'])
def test_a_damaged_job_is_one_clear_error(given: bytes) -> None:
    """A worker that is ready ends with the same exit code, and says what the line lacks."""
    brief, pipe = encode_brief(setup()).encode() + b"\n", subprocess.PIPE
    words = [sys.executable, *opening.COMMAND]
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        worker.stdin.write(brief + given)
        worker.stdin.flush()  # and open: a worker whose driver has gone ends with 0
        replies, said = worker.stdout.read(), worker.stderr.read()
    assert worker.returncode == 3, said
    assert b"error: worker: " in said
    assert b"Traceback" not in said
    assert len(replies.splitlines()) == 1


def test_an_object_of_this_process_is_for_threads() -> None:
    """The error says how to go on."""
    sys.path.insert(0, str(PROBLEM.parent))
    try:
        from flow_time import FlowTime  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    spec = spec_of(Plugin(FlowTime))
    given = setup_of_problem(parse({"campaign": {"problem": spec}}, "test"))
    with pytest.raises(UserError, match="only threads can evaluate"):
        encode_brief(given)


def test_a_process_scores_a_program_as_a_thread_does(document: Callable[..., Any], tmp_path: Path) -> None:
    """`evaluate` gives the same figures but times; nothing that a worker prints gets between."""
    program = tmp_path / "rule.py"
    program.write_text(setup().loaded.problem.start_programs().popitem()[1])
    found = [
        document("evaluate", str(PROBLEM), str(program), "--split", "valid", "--workers", workers)
        for workers in ("1", "processes:1")
    ]
    figures = ("instance", "status", "objective", "reference", "gap_percent")
    first, second = ([[row[key] for key in figures] for row in one["instances"]] for one in found)
    assert first == second
    assert found[0]["layers"] == found[1]["layers"]


@pytest.mark.slow
def test_processes_and_a_killed_worker_take_the_course_of_threads(
    campaign: Callable[..., Any],
    course: Callable[[Path], Any],
    document: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One campaign with a thread, one with two processes of which one is killed with a job in hand."""
    _, threads = campaign("threads", run={"workers": 1}, budget={"iterations": 10})
    sent: list[int] = []

    class Killed(opening.PipeWorker):
        """A worker process that is killed when it gets its fourth line."""

        def send(self, line: str) -> None:
            super().send(line)
            sent.append(self.pid)
            if sent.count(self.pid) == 4 and len(set(sent)) <= 2:
                os.kill(self.pid, signal.SIGKILL)

    monkeypatch.setattr(opening, "PipeWorker", Killed)
    _, processes = campaign("processes", run={"workers": "processes:2"}, budget={"iterations": 10})
    assert course(processes) == course(threads)
    assert len(set(sent)) > 2
    events = document("export", processes.name, "--what", "events")["rows"]
    lost = [row["data"]["lost"] for row in events if row["kind"] == "worker"]
    assert lost
    assert all("ended by signal 9" in words for words in lost)


@pytest.mark.slow
def test_a_worker_that_dies_each_time_ends_the_run_with_8(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After three tries of one job the exit code is 8; resumed, the run goes on."""

    class Dying(opening.PipeWorker):
        """A worker process that is killed with each job of the search."""

        def send(self, line: str) -> None:
            super().send(line)
            if '"race": {' in line:
                os.kill(self.pid, signal.SIGKILL)

    flags = ("--iterations", "6", "--workers", "processes:1")
    with monkeypatch.context() as patch:
        patch.setattr(opening, "PipeWorker", Dying)
        done = command("run", str(PROBLEM), *flags)
    assert done.returncode == 8, done.stderr
    assert "workers were lost on one job 3 times" in done.stderr
    assert "gapsmith resume" in done.stderr
    again = command("resume", "latest", "--workers", "1", "--json")
    assert again.returncode == 0, again.stderr


@pytest.mark.slow
def test_random_kills_lose_and_double_nothing() -> None:
    """Workers and campaigns that are killed at random points leave the course of an undisturbed campaign."""
    script = Path(__file__).parents[3] / "benchmarks" / "kills.py"
    words = [sys.executable, str(script), "--kills", "4", "--seed", "3"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 took another course" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_driver(tmp_path: Path, number: int) -> None:
    """A driver that is killed, or interrupted twice, leaves no process behind, and resume goes on."""
    words = [sys.executable, "-m", "gapsmith.cli", "run", str(PROBLEM), "--runs", str(tmp_path)]
    words += ["--iterations", "40", "--workers", "processes:2", "--json"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        while not list(tmp_path.glob("*/archive.sqlite")) or told(tmp_path) < 5:
            assert driver.poll() is None
            time.sleep(0.1)
        started = descendants(driver.pid)
        assert len(started) > 4
        driver.send_signal(number)
        if number == signal.SIGINT:
            time.sleep(0.05)
            driver.send_signal(number)
        driver.wait(60)
    deadline = time.monotonic() + 30
    while (left := [pid for pid in started if alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left
    before = told(tmp_path)
    again = ["resume", "latest", "--runs", str(tmp_path), "--workers", "processes:1"]
    subprocess.run([sys.executable, "-m", "gapsmith.cli", *again, "--json"], check=True, capture_output=True)
    assert before < told(tmp_path) == 40


def told(runs: Path) -> int:
    """Iterations told in the only run of a folder."""
    with sqlite3.connect(next(runs.glob("*/archive.sqlite"))) as db:
        try:
            found: int = db.execute("SELECT count(*) FROM iterations WHERE told IS NOT NULL").fetchone()[0]
        except sqlite3.OperationalError:  # not made yet
            return 0
    return found


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, with theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("workers", "lines"), [(8, 0), (9, 1)])
def test_workers_that_wait_are_named(caplog: pytest.LogCaptureFixture, workers: int, lines: int) -> None:
    """The number of iterations under way is the user's, so the line says how to set it."""
    opening.warn_of_idle(workers, 8)
    assert len(caplog.messages) == lines
    assert all("1 of 9 workers wait" in line and "campaign.in_flight=18" in line for line in caplog.messages)


def test_a_worker_that_cannot_begin_leaves_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that began are ended when another one cannot begin, whichever comes first."""
    open_workers: set[int] = set()
    begun = threading.Event()

    class Started:
        """A worker of which the first one cannot begin, after another one did."""

        name = "started"

        def __init__(self, number: int) -> None:
            self._number = number
            open_workers.add(number)

        def send(self, line: str) -> None:
            """See `Worker`."""

        def first(self) -> str:
            """See `PipeWorker`."""
            if self._number == 1:
                assert begun.wait(10)
                raise WorkerLost("no memory")
            begun.set()
            return ""

        def close(self) -> None:
            """See `Worker`."""
            open_workers.discard(self._number)

    monkeypatch.setattr(opening, "PipeWorker", Started)
    monkeypatch.setattr(opening, "encode_brief", lambda setup: "")
    monkeypatch.setattr(opening, "check_hello", lambda line, setup: {"layers": {}})
    monkeypatch.setattr(opening, "count_layers", lambda policy, layers: None)
    setup: Any = SimpleNamespace(policy=None)
    with (
        pytest.raises(WorkerLost, match="no memory"),
        opening.process_executor(setup, 3, lambda sentence: None),
    ):
        pytest.fail("a crew began")
    assert not open_workers
