"""`best -o` for problems whose candidates run inside a driver, or see their instance step by step."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    with sqlite3.connect(tmp_path / FINISHED / "archive.sqlite") as db:
        (text,) = db.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()
        problem = {**json.loads(text), "driver": driver, "entry_point": "rule"}
        db.execute("UPDATE run SET value = ? WHERE key = 'problem'", (json.dumps(problem),))
        db.execute("UPDATE candidates SET files = ?", (json.dumps({"heuristic.py": _RULE}),))
    path = tmp_path / "best.py"
    assert say("best", FINISHED, "-o", str(path), runs=tmp_path).code == 0
    done = subprocess.run(
        [sys.executable, "-I", path], input=given, capture_output=True, text=True, check=True
    )
    assert done.stdout == expected
