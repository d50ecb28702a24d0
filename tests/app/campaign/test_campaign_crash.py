"""Kill, interrupt and resume: nothing told is lost, nothing told is done again, the archive is the same."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.config import parse

ITERATIONS = 60

PROBLEM = Path(__file__).with_name("flow_time.py")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """What the campaign comes to when nothing disturbs it."""
    folder = tmp_path_factory.mktemp("whole")
    budget = {"iterations": ITERATIONS}
    sections = {"campaign": {"problem": str(PROBLEM)}, "budget": budget, "run": {"workers": 2}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(folder / "cache"))
        compose.run(parse(sections, "test"), folder)
    found = outcome(folder)
    assert len(found) == ITERATIONS
    return found


def start(runs: Path) -> subprocess.Popen[str]:
    """Starts the campaign as a process of its own, in a folder of runs."""
    words = ["run", str(PROBLEM), "--iterations", str(ITERATIONS), "--workers", "2", "--runs", str(runs)]
    return subprocess.Popen(
        [sys.executable, "-m", "gapsmith.cli", *words, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ},
    )


def told(folder: Path) -> dict[int, tuple[Any, ...]]:
    """Told iterations of a store with what came of them."""
    try:
        database = sqlite3.connect(f"file:{folder / 'archive.sqlite'}?mode=ro", uri=True)
        rows = database.execute(
            "SELECT iterations.iteration, told, candidate, rejection, added, evaluations.at, fitness "
            "FROM iterations LEFT JOIN evaluations ON program = candidate AND split = 'train' "
            "WHERE told IS NOT NULL"
        ).fetchall()
    except sqlite3.OperationalError:
        return {}
    return {row[0]: row[1:] for row in rows}


def outcome(folder: Path) -> list[tuple[Any, ...]]:
    """What a campaign came to, times aside."""
    return [(n, row[0], row[1], row[2], row[3], row[5]) for n, row in sorted(told(folder).items())]


def seconds(folder: Path) -> float:
    """Wall seconds of search that are recorded."""
    with sqlite3.connect(folder / "archive.sqlite") as database:
        row = database.execute("SELECT value FROM run WHERE key = 'search_seconds'").fetchone()
    return 0.0 if row is None else float(row[0])


def only_run(folder: Path) -> Path:
    """The one run in a runs folder."""
    (found,) = folder.iterdir()
    return found


def kill_at(process: subprocess.Popen[str], runs: Path, count: int) -> None:
    """Sends SIGKILL as soon as at least `count` iterations are told."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if runs.is_dir() and any(runs.iterdir()) and len(told(only_run(runs))) >= count:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()


def crash_and_compare(whole: list[tuple[Any, ...]], runs: Path, moments: list[int]) -> None:
    """Kills a campaign at each moment and resumes it; it comes to what an undisturbed one comes to."""
    process = start(runs)
    spent = 0.0
    for number, moment in enumerate(moments):
        kill_at(process, runs, moment)
        folder = only_run(runs)
        before = told(folder)
        assert seconds(folder) >= spent  # of what was killed too
        spent = seconds(folder)
        words = [sys.executable, "-m", "gapsmith.cli", "resume", folder.name, "--runs", str(runs), "--json"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if number == len(moments) - 1:
            _, errors = process.communicate(timeout=240)
            assert process.returncode == 0, errors
        after = told(folder) if number == len(moments) - 1 else before
        assert {n: after[n] for n in before} == before
    assert spent > 0
    assert outcome(only_run(runs)) == whole


@pytest.mark.parametrize(
    "moments",
    [
        pytest.param([17], id="one"),
        pytest.param([2, 17, 41], id="three", marks=pytest.mark.slow),
        pytest.param(
            sorted(random.Random(7).sample(range(ITERATIONS), 20)), id="twenty", marks=pytest.mark.slow
        ),
    ],
)
@pytest.mark.slow
def test_kills_leave_the_same_archive(
    whole: list[tuple[Any, ...]], tmp_path: Path, moments: list[int]
) -> None:
    """SIGKILL: told iterations stay to the byte, and the end is that of an undisturbed run."""
    crash_and_compare(whole, tmp_path / "killed", moments)


@pytest.mark.slow
def test_one_interrupt_finishes_what_is_in_flight(whole: list[tuple[Any, ...]], tmp_path: Path) -> None:
    """Ctrl-C once: exit code 130, everything asked is told, and `resume` reaches the same end."""
    runs = tmp_path / "stopped"
    process = start(runs)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (
        runs.is_dir() and any(runs.iterdir()) and len(told(only_run(runs))) >= 5
    ):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130
    folder = only_run(runs)
    database = sqlite3.connect(folder / "archive.sqlite")
    assert database.execute("SELECT count(*) FROM iterations WHERE told IS NULL").fetchone() == (0,)
    assert len(told(folder)) < ITERATIONS
    words = [sys.executable, "-m", "gapsmith.cli", "resume", folder.name, "--runs", str(runs)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert outcome(folder) == whole
