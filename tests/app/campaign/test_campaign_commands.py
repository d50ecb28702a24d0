"""The command line as a person uses it: verbs, JSON, wrong input, exit codes."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gapsmith
import pytest
from gapsmith.cli import app
from typer.testing import CliRunner

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_run_show_best_evaluate_agree(
    command: Command, document: Callable[..., dict[str, Any]], problem: str, tmp_path: Path
) -> None:
    """The figures of `run`, `show` and of `evaluate` on the program that `best -o` wrote are the same."""
    ran = document("run", problem, "--iterations", "40")
    shown = document("show", "latest")
    assert shown["best"] == ran["best"]
    out = tmp_path / "best.py"
    assert command("best", ran["run"], "-o", str(out)).returncode == 0
    again = document("evaluate", problem, str(out), "--split", "test")
    assert again["summary"]["fitness"] == ran["best"]["splits"]["test"]["fitness"]
    instance = {"times": [3, 1, 2], "weights": [1, 9, 4]}
    alone = subprocess.run(
        [sys.executable, str(out)], input=json.dumps(instance), capture_output=True, text=True, cwd="/"
    )
    assert sorted(json.loads(alone.stdout)) == [0, 1, 2], alone.stderr


@pytest.mark.slow
def test_repeat_makes_a_group(document: Callable[..., dict[str, Any]], problem: str) -> None:
    """`--repeat` runs one seed after the other and summarises them."""
    found = document("run", problem, "--iterations", "8", "--repeat", "2", "--seed", "3")
    assert [run["seed"] for run in found["runs"]] == [3, 4]
    assert all(run["run"].startswith(found["group"]) for run in found["runs"])
    assert found["summary"]["valid"]["runs"] == 2


def test_own_start_program(document: Callable[..., dict[str, Any]], problem: str, tmp_path: Path) -> None:
    """`--start FILE` searches from a program of one's own."""
    own = tmp_path / "own.py"
    own.write_text("def order(times, weights):\n    return list(range(len(times)))\n")
    found = document("run", problem, "--iterations", "4", "--start", str(own))
    start = found["start"]["candidate"]
    shown = document("show", found["run"], start)
    assert "list(range(len(times)))" in json.dumps(shown)


def test_baselines_as_table_json_and_csv(
    command: Command, document: Callable[..., dict[str, Any]], problem: str, tmp_path: Path
) -> None:
    """The three forms of the baselines' table carry the same figure."""
    table = tmp_path / "table.csv"
    found = document("baselines", problem, "--split", "valid", "--csv", str(table))
    gap = found["baselines"]["shortest"]["mean_gap_percent"]
    assert f"{gap:.2f}" in command("baselines", problem, "--split", "valid").stdout
    assert str(gap) in table.read_text()
    assert set(found["baselines"]["shortest"]["strata"]) == {"s0", "s1"}


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["run", "smt"], 2, "smtt"),
        (["run", "PROBLEM", "--set", "archive.ilands=3"], 3, "did you mean islands?"),
        (["run", "PROBLEM", "--set", "sandbox.cpu_seconds=-1"], 3, "got -1"),
        (["run", "PROBLEM", "--model", "opnai/x"], 2, "openai"),
        (["run", "PROBLEM", "--model", "openai/gpt-x"], 4, "OPENAI_API_KEY"),
        (["run", "smtt", "--set", "problem.jobz=3"], 3, "jobs"),
        (["run", "smtt", "--set", "problem.jobs=100000"], 3, "jobs"),
        (["run", "PROBLEM", "--iterations", "0"], 2, "iterations"),
        (["run", "nothing.toml"], 3, "nothing.toml"),
        (["show", "2031"], 2, "no runs"),
        (["resume", "nothing"], 2, "nothing"),
        (["evaluate", "PROBLEM", "absent.py"], 2, "absent.py"),
        (["evaluate", "PROBLEM", "absent.py", "--split", "valid", "--instances", "x"], 2, "expected one"),
        (["config", "explain", "sandbox.cpu"], 3, "sandbox.cpu_seconds"),
        (["frobnicate"], 2, "frobnicate"),
    ],
)
def test_wrong_input_is_one_clear_line(
    command: Command, problem: str, tmp_path: Path, words: list[str], code: int, expected: str
) -> None:
    """The right exit code, a line that says what and how to fix it, no traceback, no run left behind."""
    done = command(*[problem if word == "PROBLEM" else word for word in words])
    assert done.returncode == code, done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert not list((tmp_path / "runs").glob("*"))


def test_errors_as_json(command: Command) -> None:
    """With --json a failure is one document with code, message and hint."""
    done = command("run", "smt", "--json")
    found = json.loads(done.stdout)["error"]
    assert found["code"] == done.returncode == 2
    assert "smt" in found["message"]


def test_edited_configuration_is_refused_on_resume(command: Command, finished: Path) -> None:
    """The store counts; a changed `campaign.toml` is named with its key."""
    file = finished / "campaign.toml"
    file.write_text(file.read_text().replace("islands = 4", "islands = 5"))
    done = command("resume", finished.name, "--iterations", "9")
    assert done.returncode == 3
    assert "[archive] islands" in done.stderr


def test_resume_of_a_completed_run_says_so(command: Command, finished: Path) -> None:
    """Nothing is left to do without a new total: a note, exit code 0."""
    done = command("resume", finished.name)
    assert done.returncode == 0
    assert "completed" in done.stderr


def test_damaged_newer_and_busy_stores(command: Command, finished: Path, tmp_path: Path) -> None:
    """A damaged store, one of a newer version and one in use each end with their own line."""
    newer = tmp_path / "runs" / "newer"
    shutil.copytree(finished, newer)
    sqlite3.connect(newer / "archive.sqlite").execute("PRAGMA user_version = 99")
    damaged = tmp_path / "runs" / "damaged"
    shutil.copytree(finished, damaged)
    (damaged / "archive.sqlite").write_bytes(b"no database at all" * 100)
    done = command("show", "newer")
    assert (done.returncode, "newer Gapsmith" in done.stderr) == (3, True), done.stderr
    done = command("show", "damaged")
    assert (done.returncode, "damaged" in done.stderr) == (3, True), done.stderr
    import fcntl

    with (finished / "campaign.log").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        done = command("resume", finished.name, "--iterations", "9")
    assert (done.returncode, "another process" in done.stderr) == (8, True), done.stderr


@pytest.mark.slow
def test_full_disk_loses_nothing(
    document: Callable[..., dict[str, Any]], problem: str, tmp_path: Path
) -> None:
    """When the store cannot grow the run ends with exit code 8, and goes on when there is room again."""
    words = [sys.executable, "-m", "gapsmith.cli", "run", problem, "--iterations", "200", "--json"]

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, resource.RLIM_INFINITY))

    environment = {**os.environ, "GAPSMITH_RUNS": str(tmp_path / "runs")}
    done = subprocess.run(
        words, capture_output=True, text=True, env=environment, preexec_fn=little_room, timeout=240
    )
    assert done.returncode == 8, done.stderr
    assert "Traceback" not in done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    database = sqlite3.connect(folder / "archive.sqlite")
    before = database.execute("SELECT count(*) FROM iterations WHERE told IS NOT NULL").fetchone()[0]
    database.close()
    assert before > 0
    after = document("resume", folder.name, "--iterations", str(before + 20))
    assert after["iterations"] == before + 20
    assert after["status"] == "completed"


@pytest.mark.slow
@pytest.mark.parametrize("room", [20_000, 100_000])
def test_full_disk_before_the_search_leaves_nothing(problem: str, tmp_path: Path, room: int) -> None:
    """A store that cannot be made, or cannot take the run's setup, leads to a new start and no folder."""
    words = [sys.executable, "-m", "gapsmith.cli", "run", problem, "--iterations", "5"]

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))

    environment = {**os.environ, "GAPSMITH_RUNS": str(tmp_path / "runs")}
    done = subprocess.run(
        words, capture_output=True, text=True, env=environment, preexec_fn=little_room, timeout=240
    )
    assert done.returncode == 8, done.stderr
    assert "make room, then start the run again" in done.stderr
    assert list((tmp_path / "runs").iterdir()) == []


def test_stop_file_ends_a_run(document: Callable[..., dict[str, Any]], finished: Path) -> None:
    """`stop` on a run that is not running says so."""
    assert document("stop", finished.name) == {
        "run": finished.name,
        "running": False,
        "asked_to_stop": False,
    }


def test_config_show_and_init(command: Command, tmp_path: Path, problem: str) -> None:
    """The starter file is a configuration that runs, and every key of it can be explained."""
    file = tmp_path / "campaign.toml"
    assert command("config", "init", str(file)).returncode == 0
    shown = json.loads(command("config", "show", str(file), "--json").stdout)
    keys = [f"{s}.{k}" for s, table in shown.items() if s not in ("problem", "model") for k in table]
    assert 15 <= len(keys) <= 53
    for key in keys[:3]:
        assert key in command("config", "explain", key).stdout
    assert command("config", "init", str(file)).returncode == 2


def test_a_starter_file_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk no empty file stays in the way; the command that is printed can be copied."""
    path = tmp_path / "my campaign.toml"
    replace = Path.replace

    def full(draft: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert CliRunner().invoke(app, ["config", "init", str(path)]).exit_code == 8
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(Path, "replace", replace)
    said = CliRunner().invoke(app, ["config", "init", str(path)])
    assert f"start with `gapsmith run '{path}'`" in said.stdout


def test_doctor_reports_layers_and_solvers(document: Callable[..., dict[str, Any]]) -> None:
    """`doctor` tells versions, solvers that work, every layer, and which keys are set."""
    found = document("doctor")
    assert set(found["solvers"].values()) == {"works"}
    assert set(found["sandbox"]["layers"]) == {"rlimits", "seccomp", "landlock", "namespaces", "uid"}
    assert found["sandbox"]["self_test"] == "passed"
    assert found["keys"]["OPENAI_API_KEY"] in (True, False)


@pytest.mark.slow
def test_own_instances_are_split_or_taken_as_three_files(
    command: Command, document: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """One file is split 50/25/25 and that is printed; three files are the splits; two are refused."""
    rows = [{"p": [3 + k, 5, 2 + k], "d": [4, 6 + k, 9]} for k in range(12)]
    own = tmp_path / "own.jsonl"
    own.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = document("run", "smtt", "--instances", str(own), "--iterations", "2")
    splits = found["best"]["splits"]
    assert [splits[name]["instances"] for name in ("train", "valid", "test")] == [6, 3, 3]
    done = command("run", "smtt", "--instances", str(own), "--iterations", "2")
    assert "{'train': 6, 'valid': 3, 'test': 3}" in done.stderr
    parts = []
    for name, part in {"a": rows[:2], "b": rows[2:4], "c": rows[4:9]}.items():
        parts.append(tmp_path / f"{name}.jsonl")
        parts[-1].write_text("".join(json.dumps(row) + "\n" for row in part))
    words = [word for path in parts for word in ("--instances", str(path))]
    found = document("run", "smtt", *words, "--iterations", "2")
    assert [found["best"]["splits"][s]["instances"] for s in ("train", "valid", "test")] == [2, 2, 5]
    done = command("run", "smtt", *words[:4])
    assert (done.returncode, "one or three" in done.stderr) == (2, True), done.stderr
    before = len(list((tmp_path / "runs").iterdir()))
    own.write_text('{"p": [0, 1], "d": [1, 2]}\n')
    done = command("run", "smtt", "--instances", str(own))
    assert (done.returncode, "line 1" in done.stderr) == (3, True), done.stderr
    assert len(list((tmp_path / "runs").iterdir())) == before


def test_evaluate_writes_the_answers(command: Command, problem: str, tmp_path: Path) -> None:
    """Each valid answer is a line of JSON, and few instances are printed with their objectives."""
    program = tmp_path / "mine.py"
    program.write_text("def order(times, weights):\n    return list(range(len(times)))\n")
    target = tmp_path / "answers.jsonl"
    done = command("evaluate", problem, str(program), "--split", "test", "--answers", str(target))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [sorted(row) for row in rows] == [["answer", "instance"]] * 2
    assert all(row["answer"] == list(range(len(row["answer"]))) for row in rows)
    assert all(f"{row['instance']}: " in done.stdout for row in rows)


def test_the_version_is_printed() -> None:
    """One line with the package's version, by a process of its own."""
    words = [sys.executable, "-m", "gapsmith.cli", "--version"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"gapsmith {gapsmith.__version__}\n")
