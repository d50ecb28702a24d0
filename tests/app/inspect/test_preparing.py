"""A run whose references are being computed: commands of another process tell the truth about it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

OLDER = "20260102-203301-smtt-aaaa"
PROBLEM = """
import time
from pathlib import Path
from gapsmith import Instance, Reference, Sense, Verdict

class Least:
    name = "least"; version = "1"; sense = Sense.MINIMISE; unit = "units"; entry_point = "pick"
    signature = "def pick(numbers: list[int]) -> int:"
    statement = "Return the place of the least number."
    def sets(self):
        return {"train": "4", "valid": "4", "test": "4"}
    def instances(self, set, seed):
        return [
            Instance(id=f"{set}-{i}", split=set, stratum="u", scale=1, source="u",
                     public={"numbers": [7 + i, 3 + i, ord(set[1])]}) for i in range(4)
        ]
    def start_programs(self):
        return {"first": "def pick(numbers: list[int]) -> int:\\n    return 0\\n"}
    def baselines(self):
        return self.start_programs()
    def verify(self, instance, answer):
        numbers = instance.public["numbers"]
        if type(answer) is not int or not 0 <= answer < len(numbers):
            return Verdict.invalid("no place")
        return Verdict.valid(numbers[answer])
    def reference(self, instance, seconds):
        while instance.id != "train-0" and not Path("open").exists():
            Path(f"asked-{instance.id}").touch()
            time.sleep(0.05)
        return Reference.optimum(min(instance.public["numbers"]), source="all looked at")
"""


def command(place: Path, *words: str) -> list[str]:
    """The command on the runs of a folder."""
    return [sys.executable, "-m", "gapsmith.cli", *words, "--runs", str(place / "runs")]


@pytest.fixture
def begun(tmp_path: Path, runs: Path) -> Iterator[tuple[Path, str, subprocess.Popen[str]]]:
    """A folder with an older run, and the name and process of a run whose references wait for a file."""
    shutil.copytree(runs / OLDER, tmp_path / "runs" / OLDER)
    (tmp_path / "least.py").write_text(PROBLEM, "utf-8")
    environment = {**os.environ, "GAPSMITH_CACHE": str(tmp_path / "cache")}
    words = command(tmp_path, "run", "least:Least", "--iterations", "3", "--workers", "1", "--json")
    process = subprocess.Popen(
        words, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        until(lambda: process.poll() is not None or any(tmp_path.glob("asked-*")))
        (name,) = (p.name for p in (tmp_path / "runs").iterdir() if p.name != OLDER)
        yield tmp_path, name, process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def until(holds: Callable[[], bool]) -> None:
    """Waits until something holds, at most a minute."""
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("nothing happened within a minute")


def ask(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What a command of another process says."""
    return subprocess.run(command(place, *words), cwd=place, text=True, capture_output=True, timeout=60)


@pytest.mark.slow
def test_commands_mean_the_run_that_is_prepared(begun: tuple[Path, str, subprocess.Popen[str]]) -> None:
    """`latest` and the printed id are the new run; `stop latest` ends that run and no other."""
    place, name, process = begun
    for words in (["show", "latest"], ["best", str(place / "runs" / name)]):
        said = ask(place, *words)
        assert said.returncode == 8, said.stdout
        assert f"run {name}: its references or baselines are being computed" in " ".join(said.stderr.split())
    rows = json.loads(ask(place, "list", "--json").stdout)
    assert [(row["run"], row["status"]) for row in rows[1:]] == [(name, "preparing")]
    listed = ask(place, "list")
    assert (listed.returncode, "preparing" in listed.stdout) == (0, True), listed.stderr
    watched = json.loads(ask(place, "watch", "latest", "--json").stdout)
    assert (watched["run"], watched["status"], watched["iterations"]) == (name, "preparing", 0)
    assert json.loads(ask(place, "stop", "latest", "--json").stdout) == {
        "run": name,
        "running": True,
        "asked_to_stop": True,
    }
    (place / "open").touch()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "asked to stop before the search began" in err
    assert [path.name for path in (place / "runs").iterdir()] == [OLDER]
    said = ask(place, "show", name)
    assert "not found" in said.stderr


@pytest.mark.slow
def test_watch_waits_for_the_search(begun: tuple[Path, str, subprocess.Popen[str]]) -> None:
    """`watch latest` says what it waits for, and then follows the search to its end."""
    place, name, process = begun
    watching = subprocess.Popen(
        command(place, "watch", "latest"),
        cwd=place,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert watching.stderr is not None
    assert watching.stderr.readline().startswith(f"{name}: references or baselines are being computed")
    (place / "open").touch()
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0, err
    assert name in out
    process.communicate(timeout=60)
    assert process.returncode == 0
