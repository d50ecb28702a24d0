"""Run folders that earlier revisions wrote, one of each day and schema: kept as files, never rebuilt.

Each is a campaign of six iterations on nine small instances of `smtt`, run with the revision of that day:
`gapsmith run smtt --model offline --iterations 6 --seed 1 --workers 1 --instances mine.csv`.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
EARLIER = Path(__file__).parent / "earlier"
SCHEMAS = {
    "2026-11-21-first": 1,
    "2026-11-21": 2,
    "2026-11-22": 3,
    "2026-11-23": 4,
    "2026-11-24": 4,
}
REPLAYED = ("2026-11-22", "2026-11-23", "2026-11-24")
"""Before, the offline proposer drew other programs from a seed: a replay says that it does not hold."""


@pytest.fixture(params=SCHEMAS)
def day(request: pytest.FixtureRequest) -> str:
    """A day, and of the first one also its first revision."""
    return str(request.param)


@pytest.fixture
def folder(day: str, tmp_path: Path) -> Path:
    """The run folder that the revision of a day wrote."""
    run = tmp_path / "runs" / f"of-{day}"
    run.mkdir(parents=True)
    with tarfile.open(EARLIER / f"{day}.tar.xz") as archive:
        archive.extractall(run, filter="data")
    return run


def test_every_folder_has_the_schema_of_its_day(day: str, folder: Path) -> None:
    """The files are as they were written: no migration has touched them."""
    with closing(sqlite3.connect(folder / "archive.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone()[0] == SCHEMAS[day]
        assert database.execute("SELECT count(*) FROM iterations").fetchone()[0] == 6


def test_an_earlier_run_is_shown(day: str, folder: Path, gapsmith: Command) -> None:
    """What was found is read, the champion is the recorded one, and the file stays as it is."""
    before = hashlib.sha256((folder / "archive.sqlite").read_bytes()).hexdigest()
    done = gapsmith("show", folder.name, "--runs", str(folder.parent), "--json")
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(folder / "archive.sqlite")) as database:
        programs = {row[0] for row in database.execute("SELECT program FROM evaluations")}
    best = json.loads(done.stdout)["best"]["candidate"]
    assert any(program.startswith(best) for program in programs)
    shown = gapsmith("show", folder.name, "best", "--runs", str(folder.parent))
    assert shown.returncode == 0, shown.stderr
    assert "return" in shown.stdout
    assert hashlib.sha256((folder / "archive.sqlite").read_bytes()).hexdigest() == before


def test_an_earlier_run_goes_on_or_says_why_not(day: str, folder: Path, gapsmith: Command) -> None:
    """The problem's source has changed since: the search ends with a reason and a way on, adding nothing."""
    done = gapsmith("resume", folder.name, "--iterations", "8", "--runs", str(folder.parent))
    assert done.returncode in (2, 3)
    assert "start a new" in done.stderr
    assert "Traceback" not in done.stderr
    with closing(sqlite3.connect(folder / "archive.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM iterations").fetchone()[0] == 6


@pytest.mark.slow
def test_an_earlier_run_is_verified(day: str, folder: Path, gapsmith: Command) -> None:
    """All answers and gaps come out as they were recorded."""
    done = gapsmith("verify", folder.name, "--runs", str(folder.parent))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "make no difference to the compared results" in done.stdout + done.stderr


@pytest.mark.slow
def test_an_earlier_run_is_replayed_or_says_why_not(day: str, folder: Path, gapsmith: Command) -> None:
    """The archive comes out the same, or the first difference is named with what has changed since."""
    done = gapsmith("replay", folder.name, "--runs", str(folder.parent))
    said = done.stdout + done.stderr
    assert "changed since: problem source digest" in said
    if day in REPLAYED:
        assert done.returncode == 0, said
        assert "the replay holds: 6 iterations" in said
    else:
        assert done.returncode == 5, said
        assert "the replay DOES NOT HOLD: iteration 1: candidate: recorded" in said


LEFT = "2026-11-28-multi-knapsack-rule"
"""A run of a built-in problem that left: two iterations of the revision before."""


def test_a_run_of_a_problem_that_left_says_where_its_form_is(tmp_path: Path, gapsmith: Command) -> None:
    """What was found is shown; whatever needs the problem ends with one line and a hint, adding nothing."""
    folder = tmp_path / LEFT
    folder.mkdir()
    with tarfile.open(EARLIER / f"{LEFT}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    shown = gapsmith("show", LEFT, "best", "--runs", str(tmp_path))
    assert (shown.returncode, "def priority(" in shown.stdout) == (0, True), shown.stderr
    before = hashlib.sha256((folder / "archive.sqlite").read_bytes()).hexdigest()
    for verb in (["verify"], ["replay"], ["resume", "--iterations", "4"]):
        done = gapsmith(verb[0], LEFT, *verb[1:], "--runs", str(tmp_path))
        assert done.returncode == 2, done.stderr
        assert "the nearest one is examples/literature/mkp_aco.py" in done.stderr
        assert "Traceback" not in done.stderr
    assert hashlib.sha256((folder / "archive.sqlite").read_bytes()).hexdigest() == before
    for words in (["run", "multi-knapsack-rule"], ["problems", "show", "multi-knapsack-rule"]):
        done = gapsmith(*words)
        assert (done.returncode, "examples/literature/mkp_aco.py" in done.stderr) == (2, True), done.stderr
