"""`run --slurm` writes a job array; a stand-in for `sbatch` runs the script as Slurm would."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.app.runs.folders import Group
from gapsmith.app.setup.slurm import write_array

Done = subprocess.CompletedProcess[str]
OPTION = re.compile(r'#SBATCH --([a-z-]+)(?:="?([^"\n]*)"?)?$')


def options(script: Path) -> dict[str, str]:
    """Options of a batch script: Slurm reads them up to the first line that is no comment."""
    found = {}
    for line in script.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        if match := OPTION.match(line):
            found[match[1]] = match[2] or ""
    return found


def sbatch(script: Path, number: int) -> subprocess.Popen[bytes]:
    """Starts a task of an array from another folder; output goes to the file that the script names."""
    said = options(script)
    first, last = map(int, said["array"].split("-"))
    assert first <= number <= last
    task = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_CPUS_PER_TASK": "1"}
    with Path(said["output"].replace("%a", str(number))).open("ab") as output:
        return subprocess.Popen(
            ["bash", str(script)], cwd="/", env={**os.environ, **task}, stdout=output, stderr=output
        )


@pytest.fixture
def array(command: Callable[..., Done], problem: str, tmp_path: Path) -> Callable[..., Path]:
    """Writes an array of two runs; further words as they are; returns its script."""

    def write(*words: str) -> Path:
        done = command("run", problem, "--repeat", "2", "--seed", "5", "--slurm", "--json", *words)
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert document["members"] == 2
        return Path(document["script"])

    return write


def courses(command: Callable[..., Done], group: str, runs: Path) -> list[list[Any]]:
    """What each run of a group asked and told, and how it ended."""
    found = []
    for number in (1, 2):
        document = json.loads(command("show", f"{group}-s{number}", "--runs", str(runs), "--json").stdout)
        rows = command("export", f"{group}-s{number}", "--runs", str(runs)).stdout.splitlines()
        ids = [json.loads(row)["candidate"] for row in rows]
        found.append([document["status"], document["best"]["candidate"], ids])
    return found


@pytest.mark.slow
def test_tasks_are_the_runs_of_a_group(
    array: Callable[..., Path], command: Callable[..., Done], problem: str, tmp_path: Path
) -> None:
    """Tasks end as the runs of `--repeat` do, with the user's start program even if its file is gone."""
    mine = tmp_path / "mine.py"
    mine.write_text(
        "def order(times, weights):\n    return sorted(range(len(times)), key=times.__getitem__)\n"
    )
    script = array("--iterations", "6", "--start", str(mine))
    folder = script.parent
    group, runs = folder.name.removesuffix(".slurm"), folder.parent
    words = ("--repeat", "2", "--seed", "5", "--iterations", "6", "--start", str(mine), "--json")
    same = command("run", problem, *words)
    other = json.loads(same.stdout)["group"]
    mine.unlink()
    tasks = [sbatch(script, number) for number in (1, 2)]
    assert [task.wait(120) for task in tasks] == [0, 0], (folder / "1.log").read_text()
    assert courses(command, group, runs) == courses(command, other, runs)
    summary = json.loads(command("show", group, "--runs", str(runs), "--json").stdout)
    assert len(summary["runs"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_task_that_was_preempted_goes_on(
    array: Callable[..., Path], command: Callable[..., Done], tmp_path: Path, number: signal.Signals
) -> None:
    """Killed or asked to end, and submitted again: it takes the course of a task that nobody disturbed."""
    script, calm = array("--iterations", "60"), array("--iterations", "60")
    task = sbatch(script, 1)
    log = script.parent / "1.log"
    end = time.monotonic() + 60
    while "iteration" not in log.read_text("utf-8") and time.monotonic() < end:
        time.sleep(0.05)
    assert task.poll() is None, log.read_text("utf-8")
    task.send_signal(number)
    assert task.wait(60) != 0
    for each in (script, calm):
        assert [sbatch(each, n).wait(240) for n in (1, 2)] == [0, 0], log.read_text("utf-8")
    names = [each.parent.name.removesuffix(".slurm") for each in (script, calm)]
    first, second = (courses(command, name, script.parent.parent) for name in names)
    assert first == second


def test_what_is_wrong_is_said(
    array: Callable[..., Path], command: Callable[..., Done], tmp_path: Path
) -> None:
    """A number out of range, a folder of another kind, damaged start programs, a path Slurm misreads."""
    folder = array("--iterations", "6").parent
    for words, sentence in (
        ((str(folder), "3"), "member 3: expected one from 1 to 2"),
        ((str(folder), "0"), "member 0: expected one from 1 to 2"),
        ((str(tmp_path), "1"), "campaign.toml"),
    ):
        done = command("member", *words)
        assert done.returncode not in (0, 1)
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr
    (folder / "starts.json").write_text('{"members": 2, "programs": {"mine": 3}}')
    done = command("member", str(folder), "1")
    assert "expected what `run --slurm` wrote" in done.stderr
    done = command("run", "smtt", "--slurm", "--runs", str(tmp_path / "100%"))
    assert "name another folder with --runs DIR" in done.stderr


def test_a_working_folder_that_nobody_can_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script names the folder of the command; bytes that are no text have no place in it."""
    strange = tmp_path / os.fsdecode(b"\xff")
    strange.mkdir()
    monkeypatch.chdir(strange)
    config = parse({"campaign": {"problem": "smtt"}}, "test")
    with pytest.raises(UserError, match="not seen"):
        write_array(tmp_path / "runs", Group("group", 2), config, {})
    assert not (tmp_path / "runs").exists()


def test_the_verb_of_tasks_is_not_in_the_help(command: Callable[..., Done]) -> None:
    """`member` is for scripts."""
    assert "member" not in command("--help").stdout.split()
