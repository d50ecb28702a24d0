"""Mistakes at the door: each gives one clear line, leaves nothing behind and spends nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.api import run_campaign
from gapsmith.app.errors import UserError

Command = Callable[..., subprocess.CompletedProcess[str]]
SHORTEST = "def order(times, weights):\n    return sorted(range(len(times)), key=lambda j: {})\n"


def test_a_store_damaged_in_its_middle_is_unreadable_and_others_are_not(
    finished: Path, command: Command
) -> None:
    """`list` shows it as such beside the others; verbs on it end with one line."""
    folder = shutil.copytree(finished, finished.with_name("20260102-000000-two"))
    store = folder / "archive.sqlite"
    content = bytearray(store.read_bytes())
    content[4096 : len(content) // 2] = b"\xa5" * (len(content) // 2 - 4096)
    store.write_bytes(content)
    listed = json.loads(command("list", "--json").stdout)
    assert [run["status"] for run in listed] == ["completed", "unreadable"]
    for verb in ("show", "best", "verify", "report"):
        done = command(verb, folder.name)
        assert (done.returncode, "damaged" in done.stderr, "bug" in done.stderr) == (3, True, False), (
            done.stderr
        )


def test_a_problem_without_start_programs_is_refused(command: Command, problem: str, tmp_path: Path) -> None:
    """By `run` and by the check, before there is a run."""
    mine = tmp_path / "mine.py"
    mine.write_text(Path(problem).read_text().replace('return {"heaviest": START}', "return {}"))
    for words in (("run", str(mine)), ("problems", "check", str(mine))):
        done = command(*words)
        assert (done.returncode, "start_programs() is empty" in done.stderr) == (3, True), done.stderr
    assert not (tmp_path / "runs").exists()


def test_a_start_program_that_fails_leaves_no_run(
    finished: Path, command: Command, problem: str, tmp_path: Path
) -> None:
    """The latest run stays the latest; a wrong name is called a missing file."""
    bad = tmp_path / "bad.py"
    bad.write_text("def order(times, weights):\n    raise ValueError('no')\n")
    done = command("run", problem, "--start", str(bad))
    assert (done.returncode, "raised" in done.stderr) == (6, True), done.stderr
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [finished.name]
    with pytest.raises(UserError, match="raised"):
        run_campaign(problem, iterations=2, start=bad.read_text(), runs=tmp_path / "runs")
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [finished.name]
    done = command("run", problem, "--start", str(tmp_path / "nobody.py"))
    assert (done.returncode, "no such file" in done.stderr) == (2, True), done.stderr
    for verb in (("evaluate", "smtt", str(bad)), ("run", "smtt")):
        done = command(*verb, "--instances", str(tmp_path / "nothing.csv"))
        assert (done.returncode, "no such file" in done.stderr) == (3, True), done.stderr


def test_start_programs_of_equal_names_are_all_taken(
    document: Callable[..., dict[str, Any]], problem: str, tmp_path: Path
) -> None:
    """Two files of one name in two folders start the search; the same program twice counts once."""
    paths = []
    for folder, key in (("a", "times[j]"), ("b", "times[j] / weights[j]"), ("c", "times[j]")):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "mine.py")
        paths[-1].write_text(SHORTEST.format(key))
    words = [word for path in paths for word in ("--start", str(path))]
    found = document("run", problem, *words, "--iterations", "1")
    with sqlite3.connect(tmp_path / "runs" / found["run"] / "archive.sqlite") as database:
        assert database.execute("SELECT count(*) FROM candidates WHERE origin = 'start'").fetchone() == (2,)


@pytest.mark.slow
def test_a_baseline_is_written_and_started_from_by_name(
    command: Command, document: Callable[..., dict[str, Any]], problem: str, tmp_path: Path
) -> None:
    """`baselines --source` gives its program; `--start` takes its name, and an error names a near one."""
    out = tmp_path / "shortest.py"
    assert command("baselines", problem, "--source", "shortest", "-o", str(out)).returncode == 0
    assert command("baselines", problem, "--source", "shortest").stdout == out.read_text()
    mine = tmp_path / "mine.py"
    mine.write_text(SHORTEST.format("-times[j]"))
    starts = ("--start", str(mine), "--start", "shortest")
    found = document("run", problem, *starts, "--iterations", "1")
    listed = document("export", found["run"], "--what", "candidates")["rows"]
    assert [row["operator"] for row in listed if row["origin"] == "start"] == ["mine.py", "shortest"]
    for words in (("baselines", problem, "--source"), ("run", problem, "--start")):
        done = command(*words, "shortst")
        assert (done.returncode, "shortest" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--seconds", "inf"), 2, "finite number"),
        (("--set", "budget.seconds=inf"), 3, "finite number"),
        (("--control", "foo"), 2, "--control"),
        (("--iterations", "x"), 2, "iterations 'x'"),
        (("--no-such-option",), 2, "--no-such-option"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_document(
    words: tuple[str, ...], code: int, said: str, command: Command, problem: str, tmp_path: Path
) -> None:
    """Infinite budgets, words that no option knows, and errors of usage, all as JSON too."""
    done = command("run", problem, *words, "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"], said in error["message"]) == (code, code, True), error
    assert not (tmp_path / "runs").exists()


def test_a_total_below_what_is_done_is_refused(finished: Path, command: Command) -> None:
    """It would end the campaign and look at the test split at once; the run stays as it was."""
    for option in ("--iterations", "--evaluations"):
        done = command("resume", finished.name, option, "2")
        assert (done.returncode, "is a total" in done.stderr) == (2, True), done.stderr
    done = command("resume", finished.name, "--iterations", "8", "--json")
    assert json.loads(done.stdout)["iterations"] == 8


def test_an_answer_that_the_verifier_stumbles_over_is_not_written(
    command: Command, problem: str, tmp_path: Path
) -> None:
    """A plug-in whose `verify` raises makes an invalid answer of it, also where answers are written."""
    mine, program, target = tmp_path / "mine.py", tmp_path / "empty.py", tmp_path / "answers.jsonl"
    text = Path(problem).read_text()
    assert "def verify(self, instance, answer):" in text
    mine.write_text(
        text.replace(
            "def verify(self, instance, answer):", "def verify(self, instance, answer):\n        answer[0]"
        )
    )
    program.write_text("def order(times, weights):\n    return []\n")
    done = command("evaluate", str(mine), str(program), "--split", "test", "--answers", str(target))
    assert "bug" not in done.stderr
    assert done.returncode == 6, done.stderr
    assert target.read_text() == ""


@pytest.mark.slow
def test_an_interrupt_ends_a_whole_group(problem: str, tmp_path: Path) -> None:
    """Ctrl-C in the first run of several: the others are not started."""
    runs = tmp_path / "runs"
    words = ["run", problem, "--repeat", "3", "--iterations", "4000", "--runs", str(runs), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gapsmith.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if _told(runs) >= 3:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=120)
    assert len(list(runs.iterdir())) == 1, errors
    assert json.loads(said)["runs"][0]["status"] == "interrupted"


def _told(runs: Path) -> int:
    for store in runs.glob("*/archive.sqlite"):
        try:
            with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as database:
                return int(database.execute("SELECT count(*) FROM iterations WHERE told > 0").fetchone()[0])
        except sqlite3.Error:
            return 0
    return 0
