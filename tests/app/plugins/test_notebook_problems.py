"""A problem of a notebook's cells is checked, scored and searched, and other processes find it again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "watch_posts.py"
HEAD = EXAMPLE.read_text("utf-8").partition("@problem.reference")[0].replace(
    'gs.problem("watch-posts", ', 'gs.problem("watch-posts", statement="Watch roads.", '
)  # fmt: skip
CELLS = """
import json, linecache, sys

def cell(number, text):
    name = f"<ipython-input-{number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec"), globals())

for number, text in enumerate(json.load(sys.stdin)):
    cell(number, text)
"""
BOTH = '''
LIMIT = 1000

def ends(roads):
    """Both ends of each road."""
    return sorted({end for road in roads for end in road if end < LIMIT})
'''


def notebook(folder: Path, *cells: str) -> list[str]:
    """Lines that the cells print in a fresh interpreter, which keeps their source as a notebook does."""
    done = subprocess.run(
        [sys.executable, "-c", CELLS],
        input=json.dumps([HEAD, *cells]),
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_functions_are_scored_from_a_cell(tmp_path: Path) -> None:
    """A function with its constant is a program; mistakes are errors with words, not with attributes."""
    lines = notebook(
        tmp_path,
        BOTH,
        "found = problem.evaluate(ends, instances='valid')\n"
        "print(found['status'], found['summary']['mean_gap_percent'] > 10)\n"
        "print(sorted(problem.baselines(instances='valid')['baselines']))\n",
        "def other(streets):\n    return []\n"
        "for wrong in ([ends], other, 3):\n"
        "    try:\n        problem.evaluate(wrong)\n"
        "    except gs.UserError as error:\n        print(error)\n"
        "try:\n    problem.run('soon')\nexcept gs.UserError as error:\n    print(error)\n",
    )
    assert lines == [
        "ok True",
        "['first-end']",
        "source: got a list, expected source text or a function",
        "source: other has the parameter streets, expected crossings, roads: "
        "def choose(crossings: int, roads: list[list[int]]) -> list[int]:",
        "source: got a int, expected source text or a function",
        "budget: got 'soon', expected a time like 60s, 5min or 1h",
    ]


@pytest.mark.slow
def test_a_run_of_a_cell_is_verified_by_another_process(tmp_path: Path) -> None:
    """The run names a file beside it, with which `gapsmith verify` and the advice of the run work."""
    lines = notebook(
        tmp_path,
        BOTH,
        "print(problem.check(quick=True).passed)\n"
        "result = problem.run(iterations=4, start=ends, workers=1, runs='runs')\n"
        "print(result.folder.name)\n",
    )
    assert lines[0] == "True"
    files = list((tmp_path / "runs").glob("watch_posts_*.py"))
    assert len(files) == 1
    shell = {"cwd": tmp_path, "capture_output": True, "text": True}
    again = subprocess.run([sys.executable, "-m", "gapsmith.cli", "verify", lines[1]], **shell)  # type: ignore[call-overload]
    assert again.returncode == 0, again.stdout + again.stderr
    shown = subprocess.run([sys.executable, "-m", "gapsmith.cli", "problems", "show", str(files[0])], **shell)  # type: ignore[call-overload]
    assert "Watch roads." in shown.stdout
    assert "Subset(n='crossings')" in shown.stdout
