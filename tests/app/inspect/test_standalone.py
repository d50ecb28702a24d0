"""`best -o` for problems whose candidates run inside a driver, or see their instance step by step."""

from __future__ import annotations

import ast
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evolve.store.store import Store

Say = Callable[..., Any]
FINISHED = "20260102-203301-smtt-aaaa"
_RULE = "def rule(a, b):\n    return a - b\n"
_DRIVEN = '''\
"""Sorts by the rule: it's \\\\ quoted."""
import operator

def drive(entry, instance):
    return sorted(instance["items"], key=lambda item: operator.neg(entry(item, 0)))
'''
_INTERACTIVE = """\
def drive(entry, instance, receive, send):
    while (line := receive()) is not None:
        send(b"%d" % entry(int(line), instance["shift"]))
"""


@pytest.mark.parametrize(
    ("driver", "given", "expected"),
    [
        (_DRIVEN, '{"items": [1, 3, 2]}', "[3, 2, 1]\n"),
        (_INTERACTIVE, '{"shift": 2}\n5\n9\n', "3\n7\n"),
    ],
)
def test_driver_travels_with_the_program(
    driver: str, given: str, expected: str, say: Say, runs: Path, tmp_path: Path
) -> None:
    """The written file holds the problem's driver and answers from standard input, without Gapsmith."""
    assert _answer(say, runs, tmp_path, _RULE, given, driver) == expected


_HELPERS = """\
if '__main__' == __name__:
    raise SystemExit("its own main")

def plain(a):
    return -a

def send(a):
    return plain(a)

list = json = sys = driver = receive = None

def rule(a, b):
    return [send(a), hash("text"), json, sys, driver, receive, list] + [b]

if __name__ == "__main__":
    print("mine")
    raise SystemExit(1)
else:
    kept = "kept\u2028"
if __name__ == "__main__": print(rule(1, 2))
"""


@pytest.mark.parametrize("driver", [None, "def drive(entry, instance):\n    return entry(**instance)\n"])
def test_a_program_keeps_its_own_names(
    driver: str | None, say: Say, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A candidate's helpers may be called as anything, its own main is dropped, hashes are the sandbox's."""
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    said = json.loads(_answer(say, runs, tmp_path, _HELPERS, '{"a": 1, "b": 2}', driver, "-B"))
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    seeded = subprocess.check_output([sys.executable, "-c", "print(hash('text'))"], env=environment)
    assert said == [-1, int(seeded), None, None, None, None, None, 2]
    text = (tmp_path / "best.py").read_text("utf-8")
    assert "print(rule" not in text
    found = [n.names[0].name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert set(found) == {"json", "sys"}  # what the sandbox allows: it may become a start program
    assert 'kept = "kept"\n' in text  # nobody would see what stood behind it


def test_the_commands_of_the_header_can_be_copied(say: Say, runs: Path, tmp_path: Path) -> None:
    """A file name with a blank is quoted in both; `-o` takes no folder, not even with `--force`."""
    path = tmp_path / "my best.py"
    assert say("best", FINISHED, "-o", str(path)).code == 0
    assert f"# Use it: python '{path}' < instance.json" in path.read_text("utf-8")
    assert f"gapsmith evaluate smtt '{path}'" in path.read_text("utf-8")
    for folder in (".", "/"):
        said = say("best", FINISHED, "-o", folder, "--force")
        assert (said.code, "is a folder, expected a file to write" in said.err) == (2, True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("five jobs", "expected JSON, got Expecting value: line 1 column 1 (char 0)"),
        (
            "[3, 4]",
            "expected one object with processing_times, due_dates, got none or one without processing_",
        ),
        (
            '{"processing_times": [3]}',
            "expected one object with processing_times, due_dates, got none or one ",
        ),
    ],
)
def test_a_wrong_instance_ends_with_one_line(
    given: str, message: str, say: Say, runs: Path, tmp_path: Path
) -> None:
    """Text that is no JSON, or lacks an argument, is named on standard error, without a traceback."""
    path = tmp_path / "best.py"
    assert say("best", FINISHED, "-o", str(path)).code == 0
    done = subprocess.run([sys.executable, path], input=given, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{path}: standard input: {message}")
    assert done.stderr.count("\n") == 1


def test_the_header_tells_the_task(say: Say, runs: Path, tmp_path: Path) -> None:
    """Whoever gets the file alone reads what it expects and returns; a long statement is cut with a mark."""
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    with sqlite3.connect(tmp_path / FINISHED / "archive.sqlite") as db:
        (text,) = db.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()
        problem = {**json.loads(text), "statement": "All times are minutes.\n\n" + "More words. " * 1000}
        db.execute("UPDATE run SET value = ? WHERE key = 'problem'", (json.dumps(problem),))
    path = tmp_path / "best.py"
    assert say("best", FINISHED, "-o", str(path), runs=tmp_path).code == 0
    lines = path.read_text("utf-8").splitlines()
    first = lines.index("#   All times are minutes.")
    assert lines[first - 1].startswith("# The task (")
    assert lines[first + 60] == "#   …"
    assert max(map(len, lines[first : first + 60])) <= 110
    assert not lines[first + 61].startswith("#")


def _answer(
    say: Say, runs: Path, folder: Path, source: str, given: str, driver: str | None, option: str = "-I"
) -> str:
    """What the file of a run with this candidate and driver prints, without Gapsmith."""
    shutil.copytree(runs / FINISHED, folder / FINISHED)
    with sqlite3.connect(folder / FINISHED / "archive.sqlite") as db:
        (text,) = db.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()
        problem = {**json.loads(text), "driver": driver, "entry_point": "rule"}
        db.execute("UPDATE run SET value = ? WHERE key = 'problem'", (json.dumps(problem),))
        db.execute("UPDATE candidates SET files = ?", (json.dumps({"heuristic.py": source}),))
        db.execute("UPDATE instances SET public = ?", (given.splitlines()[0],))
    path = folder / "best.py"
    assert say("best", FINISHED, "-o", str(path), runs=folder).code == 0
    command = [sys.executable, option, path]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_a_stepwise_program_says_what_it_reads(say: Say, runs: Path, tmp_path: Path) -> None:
    """The report and the program's header of a problem that reveals its instances step by step."""
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    store = Store(tmp_path / FINISHED)
    driver = "def drive(entry, instance, receive, send):\n    pass\n"
    store.set("problem", {**store.read.record("problem"), "driver": driver})
    store.close()
    place = ("--runs", str(tmp_path))
    assert say("best", FINISHED, "-o", str(tmp_path / "best.py"), *place).code == 0
    header = (tmp_path / "best.py").read_text("utf-8")
    assert "then each revealed line; it answers line by line" in header
    assert say("report", FINISHED, *place).code == 0
    page = (tmp_path / FINISHED / "report.md").read_text("utf-8")
    assert "the instance as a JSON line in, then one revealed line at a time" in page
