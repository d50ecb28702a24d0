"""Real processes at one workbench: two at once, a kill in the middle, a model between two people."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.bench.workbench import Workbench
from gapsmith.app.errors import UserError

RATIO = """def order(times, weights):
    return sorted(range(len(times)), key=lambda j: times[j] - {factor} * weights[j])
"""
SLOW = """def order(times, weights):
    total = 0
    for number in range(9_000_000):
        total += number
    return sorted(range(len(times)), key=lambda j: times[j] - 2 * weights[j])
"""
REPLY = "A ratio.\n\n```python\n" + RATIO + "```\n"


def start(folder: Path, *words: str, verb: str = "bench") -> subprocess.Popen[str]:
    """Starts an operation of a workbench, or another verb, as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "gapsmith.cli", *filter(None, [verb]), *words, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "GAPSMITH_RUNS": str(folder.parent)},
    )


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """Rows of a query over a run's store while others write to it."""
    with sqlite3.connect(f"file:{folder / 'archive.sqlite'}?mode=ro", uri=True) as database:
        return database.execute(query).fetchall()


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The document of a process that ends well."""
    out, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.mark.slow
def test_submitters_at_once_wait_for_each_other(
    folder: Path, tmp_path: Path, document: Callable[..., dict[str, Any]]
) -> None:
    """Three programs that are submitted at the same time become three iterations, and the run replays."""
    files = []
    for factor in (2, 3, 4):
        files.append(tmp_path / f"{factor}.py")
        files[-1].write_text(RATIO.format(factor=factor))
    processes = [start(folder, "submit", folder.name, str(file)) for file in files]
    found = [ended(process) for process in processes]
    assert {one["iteration"] for one in found} == {1, 2, 3}
    assert rows(folder, "SELECT count(*), max(told) FROM iterations") == [(3, 3)]
    checked = document("replay", folder.name)
    assert checked["checked"] == checked["agree"], checked


@pytest.mark.slow
def test_a_killed_submission_is_ended_by_the_next_operation(
    folder: Path, tmp_path: Path, bench: Workbench, document: Callable[..., dict[str, Any]]
) -> None:
    """After `kill -9` in the middle of an evaluation nothing is lost and nothing is done twice."""
    slow, quick = tmp_path / "slow.py", tmp_path / "quick.py"
    slow.write_text(SLOW)
    quick.write_text(RATIO.format(factor=3))
    process = start(folder, "submit", folder.name, str(slow))
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if rows(folder, "SELECT 1 FROM iterations WHERE candidate IS NOT NULL AND told IS NULL"):
            break
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert rows(folder, "SELECT iteration FROM iterations WHERE told IS NULL") == [(1,)]
    found = ended(start(folder, "submit", folder.name, str(quick)))
    assert found["iteration"] == 2
    assert rows(folder, "SELECT iteration FROM iterations WHERE told IS NULL") == []
    assert rows(folder, "SELECT state FROM operations ORDER BY id") == [("begun",), ("done",)]
    assert len(bench.read()["candidates"]) == 4
    checked = document("replay", folder.name)
    assert checked["checked"] == checked["agree"], checked


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing(folder: Path, tmp_path: Path, bench: Workbench) -> None:
    """Whenever a submission is killed, the next one goes on, and each program is evaluated once."""
    for number in range(6):
        file = tmp_path / f"{number}.py"
        file.write_text(RATIO.format(factor=number + 2))
        process = start(folder, "submit", folder.name, str(file))
        time.sleep(0.4 * (number + 1))
        process.send_signal(signal.SIGKILL)
        process.wait()
    bench.submit(RATIO.format(factor=99))
    told = rows(folder, "SELECT iteration, told FROM iterations ORDER BY iteration")
    assert [number for number, _ in told] == [rank for _, rank in told]
    assert rows(
        folder, "SELECT count(*) = count(DISTINCT program) FROM evaluations WHERE split = 'train'"
    ) == [(1,)]


@pytest.mark.slow
def test_a_model_goes_on_from_a_person_and_back(
    folder: Path, tmp_path: Path, bench: Workbench, document: Callable[..., dict[str, Any]]
) -> None:
    """A person submits, a model goes on, the person goes on again; the run ends, replays and verifies."""
    bench.submit(RATIO.format(factor=2), "by hand")
    model = start(folder, "resume", folder.name, "--model", "manual", verb="")
    answered = 0
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and answered < 3:
        for letter in sorted((folder / "mailbox").glob("0*.md")) if (folder / "mailbox").is_dir() else []:
            reply = letter.with_suffix(".reply.md")
            if answered < 3 and len(letter.suffixes) == 1 and not reply.exists():
                answered += 1
                reply.write_text(REPLY.format(factor=answered + 2))
        time.sleep(0.05)
    while time.monotonic() < deadline and rows(folder, "SELECT count(told) FROM iterations")[0][0] < 4:
        time.sleep(0.05)
    assert document("stop", folder.name)["run"] == folder.name
    assert ended(model)["status"] == "stopped"
    assert rows(folder, "SELECT count(*) FROM iterations WHERE told IS NULL")[0][0] > 0  # open questions
    found = bench.submit(RATIO.format(factor=6), "by hand again")
    assert found["iteration"] > 4
    assert rows(folder, "SELECT told FROM iterations WHERE origin = 'submit'") == [(1,), (5,)]
    done = document("bench", "finish", folder.name)
    assert done["stop_reason"] == "finished"
    for verb in ("replay", "verify"):
        checked = document(verb, folder.name)
        assert checked["checked"] == checked["agree"], checked


@pytest.mark.slow
def test_the_offline_proposer_goes_on_from_a_person_and_back(
    folder: Path, bench: Workbench, document: Callable[..., dict[str, Any]]
) -> None:
    """Without a model `resume` lets the offline proposer go on; the course stays one that replays."""
    bench.submit(RATIO.format(factor=2), "by hand")
    bench.submit(RATIO.format(factor=3))
    went = document("resume", folder.name)
    assert (went["status"], went["iterations"]) == ("completed", 40)
    with pytest.raises(UserError, match="finished"):
        bench.submit(RATIO.format(factor=6))
    for verb in ("replay", "verify"):
        checked = document(verb, folder.name)
        assert checked["checked"] == checked["agree"], checked
