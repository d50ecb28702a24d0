"""Champions of time classes: who is named, and that a slower one has to be better."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.record.champions import best_of_time, class_champions, timed_programs
from gapsmith.app.record.record import open_record

Say = Callable[..., Any]
FINISHED = "20260102-203301-smtt-aaaa"


@pytest.fixture
def spread(runs: Path, tmp_path: Path) -> Path:
    """A run whose validated programs take 0.5 ms, 2 ms, 8 ms, … in the order in which they were validated."""
    folder = tmp_path / FINISHED
    shutil.copytree(runs / FINISHED, folder)
    with sqlite3.connect(folder / "archive.sqlite") as db:
        rows = db.execute("SELECT id FROM evaluations WHERE split = 'valid' ORDER BY id").fetchall()
        for number, (id,) in enumerate(rows):
            seconds = 0.0005 * 4 ** (number % 6)
            db.execute("UPDATE executions SET cpu_seconds = ? WHERE evaluation = ?", (seconds, id))
    return folder


def test_each_slower_champion_is_better_than_the_faster_ones(spread: Path) -> None:
    """Classes and fitness grow along the rows; the first is the best of the fastest class."""
    with open_record(spread) as record:
        programs, champions = timed_programs(record.reader), class_champions(record.reader)
    assert len({one.time_class for one in programs}) > len(champions) > 1
    fastest = min(one.time_class for one in programs)
    assert champions[0].fitness == max(one.fitness for one in programs if one.time_class == fastest)
    for fast, slow in pairwise(champions):
        assert fast.time_class < slow.time_class
        assert fast.fitness < slow.fitness


def test_a_slow_copy_of_a_champion_is_no_champion(spread: Path) -> None:
    """The same answers at four times the time earn no row."""
    with open_record(spread) as record:
        quick, slow = class_champions(record.reader)[:2]
        names = {one.program for one in class_champions(record.reader)}
    with sqlite3.connect(spread / "archive.sqlite") as db:
        (id,) = db.execute(
            "SELECT id FROM evaluations WHERE split = 'valid' AND program = ?", (slow.program,)
        ).fetchone()
        (source,) = db.execute(
            "SELECT id FROM evaluations WHERE split = 'valid' AND program = ?", (quick.program,)
        ).fetchone()
        for column in ("status", "objective", "excess", "gap", "answer"):
            db.execute(
                f"UPDATE executions SET {column} = (SELECT o.{column} FROM executions o WHERE "
                "o.evaluation = ? AND o.position = executions.position) WHERE evaluation = ?",
                (source, id),
            )
        db.execute(
            "UPDATE evaluations SET fitness = (SELECT fitness FROM evaluations WHERE id = ?) WHERE id = ?",
            (source, id),
        )
    with open_record(spread, checked=False) as record:
        after = {one.program for one in class_champions(record.reader)}
    assert slow.program in names
    assert slow.program not in after


def test_best_within_a_time_is_the_best_of_the_quick_ones(spread: Path, say: Say) -> None:
    """The command prints the candidate that brute force over all validated ones finds."""
    with open_record(spread) as record:
        quick = [one for one in timed_programs(record.reader, baselines=False) if one.seconds <= 0.01]
        best = best_of_time(record.reader, 0.01)
    assert best is not None
    assert best.fitness == max(one.fitness for one in quick)
    said = say("best", FINISHED, "--within", "10ms", "--json", runs=spread.parent)
    assert said.document["candidate"] == best.program


def test_a_time_that_nobody_keeps_is_an_error_that_names_the_fastest(spread: Path, say: Say) -> None:
    """Exit code 6, as for a run without any feasible candidate."""
    said = say("best", FINISHED, "--within", "1us", runs=spread.parent)
    assert said.code == 6
    assert "no validated candidate takes at most" in said.err
    assert "the fastest of" in said.err


def test_a_word_that_is_no_time_is_an_error_of_usage(say: Say) -> None:
    """The message says what a time looks like."""
    said = say("best", FINISHED, "--within", "fast")
    assert said.code == 2
    assert "10ms" in said.err


def test_the_document_names_the_champions_and_the_cost_of_proofs(spread: Path, say: Say) -> None:
    """`show --json` has one entry for each row of the table, each with its class, time and figures."""
    document = say("show", FINISHED, "--json", runs=spread.parent).document
    with open_record(spread) as record:
        champions = class_champions(record.reader)
    assert [row["time_seconds"] for row in document["champions"]] == [one.seconds for one in champions]
    for row in document["champions"]:
        assert row["time_seconds"] <= row["time_class_seconds"]
        assert row["splits"]["valid"]["fitness"] is not None
        assert (row["candidate"] is None) <= (row["baseline"] is not None)
    assert document["proof"] is None or document["proof"]["proven"] <= document["proof"]["instances"]
