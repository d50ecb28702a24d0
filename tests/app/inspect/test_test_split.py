"""How often a campaign looked at the test split is told wherever figures of that split are shown."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.record import open_record
from gapsmith.app.views import report

Say = Callable[..., Any]
FINISHED = "20260102-203301-smtt-aaaa"
_COLUMNS = "status, fitness, executions, cpu_seconds, evaluator, at"
_ANOTHER = f"""INSERT INTO evaluations (program, split, {_COLUMNS}) SELECT 'earlier', 'test', {_COLUMNS}
    FROM evaluations WHERE split = 'test' AND program NOT LIKE 'baseline%' LIMIT 1"""


@pytest.fixture
def twice(runs: Path, tmp_path: Path) -> Path:
    """A run that tested two champions."""
    folder = tmp_path / FINISHED
    shutil.copytree(runs / FINISHED, folder)
    with sqlite3.connect(folder / "archive.sqlite") as db:
        db.execute(_ANOTHER)
    return folder


def _interrupted_later(folder: Path) -> None:
    """The run as it is when it was gone on with and interrupted: a new best, and no champion yet."""
    with sqlite3.connect(folder / "archive.sqlite") as db:
        best = (
            "split = 'test' AND program = (SELECT json_extract(value, '$') FROM run WHERE key = 'champion')"
        )
        tested = db.execute(f"SELECT id FROM evaluations WHERE {best}").fetchone()
        db.execute("DELETE FROM executions WHERE evaluation = ?", tested)
        db.execute("UPDATE evaluations SET program = 'former' WHERE id = ?", tested)
        db.execute("UPDATE run SET value = 'null' WHERE key = 'champion'")
        db.execute("UPDATE run SET value = '\"interrupted\"' WHERE key = 'stop_reason'")


def test_a_test_split_that_was_used_is_never_called_unused(say: Say, twice: Path, tmp_path: Path) -> None:
    """A run that was tested, then gone on with and interrupted, says how often, not that it was not used."""
    _interrupted_later(twice)
    shown = say("show", FINISHED, runs=tmp_path)
    assert shown.code == 0, shown.err
    with open_record(twice) as record:
        page = report.markdown(record)
    assert all("was not used" not in text for text in (shown.out, page))
    assert "\nThese figures took part in choosing the candidate" in page


def test_every_table_with_test_figures_says_how_often_it_was_seen(
    say: Say, twice: Path, runs: Path, tmp_path: Path
) -> None:
    """The report, one candidate's table and a group's table say of a run that it tested two champions."""
    with open_record(twice) as record:
        assert "The test split was seen 2 times.\n" in report.markdown(record)
    assert "test seen 2 times" in say("show", FINISHED, "best", runs=tmp_path).out
    twice.rename(tmp_path / "g-s1")
    shutil.copytree(runs / FINISHED, tmp_path / "g-s2")
    table = say("show", "g", runs=tmp_path).out.partition("group g")[2]
    assert "test seen 2 times in g-s1" in table
    assert table.count("test seen") == 1


def test_each_row_of_a_group_says_over_how_many_runs(
    say: Say, twice: Path, runs: Path, tmp_path: Path
) -> None:
    """The mean on the test split is over the runs that were tested alone."""
    _interrupted_later(twice)
    twice.rename(tmp_path / "g-s1")
    shutil.copytree(runs / FINISHED, tmp_path / "g-s2")
    table = say("show", "g", runs=tmp_path).out.partition("group g")[2]
    rows = {words[0]: words[1] for line in table.splitlines() if "%" in line and (words := line.split())}
    assert (rows["train"], rows["valid"], rows["test"]) == ("2", "2", "1")
    assert "over 2 runs" not in table
