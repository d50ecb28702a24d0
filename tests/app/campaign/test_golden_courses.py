"""Small campaigns still take the courses that `benchmarks/courses.json` holds."""

from __future__ import annotations

import json
import platform
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "courses.py"
GOLDEN = SCRIPT.with_suffix(".json")
PYTHON = ".".join(platform.python_version_tuple()[:2])

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        json.loads(GOLDEN.read_text())["python"] != PYTHON,
        reason="Python prints the mutations: courses hold for the minor version that recorded them",
    ),
]


def compare(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs `compare` as a process of its own."""
    return subprocess.run([sys.executable, str(SCRIPT), "compare", *words], capture_output=True, text=True)


@pytest.mark.timeout(1800)
def test_every_campaign_takes_its_recorded_course() -> None:
    """No aspect of any campaign differs from the golden file."""
    done = compare()
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_changed_row_is_named(tmp_path: Path) -> None:
    """One altered inspiration of one iteration: a failure that names campaign, aspect and row."""
    tools = runpy.run_path(str(SCRIPT))
    document = json.loads(GOLDEN.read_text())
    course = tools["unpacked"](document["courses"]["best-of-n"])
    iteration, parents, _, rival = course["parents"][16]
    course["parents"][16] = [iteration, parents, ["another"], rival]
    document["courses"]["best-of-n"] = tools["packed"](course)
    altered = tmp_path / "altered.json"
    altered.write_text(json.dumps(document))
    done = compare("best-of-n", "--golden", str(altered))
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert line.startswith("campaign best-of-n, aspect parents: 1 of 40 rows differ; row 17: recorded [17, ")
    assert '["another"]' in line.split(", now ")[0]


@pytest.mark.parametrize(("now", "said"), [([[1, "a"]], "2 rows differ; row 2"), ([], "row 1: recorded")])
def test_missing_rows_and_aspects_are_differences(now: list[list[object]], said: str) -> None:
    """A shorter course differs, and so does an aspect that only one side has."""
    differences = runpy.run_path(str(SCRIPT))["differences"]
    (line,) = differences("x", {"order": [[1, "a"], [2, "b"]]}, {"order": now})
    assert said in line
    assert line.endswith("now no row")
    assert differences("x", {}, {"order": []}) == ["campaign x, aspect order: 0 of 0 rows differ"]
