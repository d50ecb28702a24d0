"""Champions of time classes: who is named, and that a slower one has to be better."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.formatting import time_words
from gapsmith.app.runs.champions import best_of_time, class_champions, timed_programs
from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.summary import summarise
from gapsmith.app.views.overview import champion_notes, champion_rows
from gapsmith.app.views.report import markdown

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


def test_a_best_without_a_row_says_what_it_takes(spread: Path) -> None:
    """Whoever reads the table learns the time of the campaign's best: in its row, or in a line below."""
    with open_record(spread) as record:
        summary = summarise(spread, record.reader)
        rows = {one.program for one in class_champions(record.reader)}
        timed = timed_programs(record.reader, baselines=False)
    floor = (summary["timing"] or {}).get("floor_seconds") or 0.0

    def said(candidate: str, seconds: float) -> list[str]:
        valid = {"cpu_seconds_mean": seconds + floor, "fitness": -0.1, "failed": 0}
        best = {"candidate": candidate, "splits": {"valid": valid}}
        return [line for line in champion_notes({**summary, "best": best}) if line.startswith("best ")]

    other = next(one for one in timed if one.program not in rows)
    (line,) = said(other.program, other.seconds)
    assert line.startswith(f"best {other.program[:8]} takes {time_words(other.seconds)}; ")
    own = next(one for one in timed if one.program in rows)
    assert said(own.program, own.seconds) == []


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


def test_a_stopped_solver_has_rows_at_its_own_time(spread: Path, say: Say) -> None:
    """What a run stores of a solver stands in the table where its time puts it, and in the report."""
    figures = {"fitness": -0.01, "mean_gap_percent": 1.0, "mean_gap_ci95_percent": [0.5, 1.5], "failed": 0}
    rows = {
        f"cp-sat, effort {effort:g}": {
            "effort": effort,
            "time_seconds": seconds,
            "splits": {"valid": figures, "test": {**figures, "failed": 2, "fitness": None}},
        }
        for effort, seconds in ((1.0, 50.0), (0.1, 0.0001))
    }
    with sqlite3.connect(spread / "archive.sqlite") as db:
        db.execute("REPLACE INTO run VALUES ('solver', ?)", (json.dumps(rows),))
    with open_record(spread) as record:
        table = champion_rows(summarise(spread, record.reader))
        page = markdown(record)
    assert table[0][:4] == ("≤ 1 ms", "cp-sat, effort 0.1", "1.00 [0.50, 1.50]", "failed on 2")
    assert table[-1][:2] == ("≤ 64 s", "cp-sat, effort 1")
    assert page.index("cp-sat, effort 0.1") < page.index("cp-sat, effort 1 ")
    document = say("show", FINISHED, "--json", runs=spread.parent).document
    assert [row["effort"] for row in document["solver"]] == [0.1, 1.0]


@pytest.mark.parametrize("row", [{}, {"effort": 1.0}, {"effort": "1", "time_seconds": 1, "splits": {}}, 7])
def test_a_solver_s_row_that_is_none_is_damage(spread: Path, say: Say, row: Any) -> None:
    """Exit code 3, as for other rows that no run of Gapsmith writes."""
    with sqlite3.connect(spread / "archive.sqlite") as db:
        db.execute("REPLACE INTO run VALUES ('solver', ?)", (json.dumps({"cp-sat": row}),))
    said = say("show", FINISHED, runs=spread.parent)
    assert said.code == 3
    assert "damaged" in said.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("best", "--solver", "1"), "expected the run alone"),
        (("--strata", "--solver", "1"), "expected the run alone"),
        (("--solver", "1"), "smtt has no solver that can be stopped early"),
    ],
)
def test_a_wrong_solver_flag_is_an_error_of_usage(say: Say, words: tuple[str, ...], message: str) -> None:
    """A candidate, another view, and a problem without such a solver."""
    said = say("show", FINISHED, *words, "--trust-run")
    assert said.code == 2
    assert message in said.err


def _timed_references(folder: Path, driver: str | None) -> None:
    """Gives the references of a run a known time, and its problem a driver."""
    with sqlite3.connect(folder / "archive.sqlite") as db:
        db.execute("UPDATE instance_references SET seconds = 0.086")
        (text,) = db.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()
        problem = json.dumps({**json.loads(text), "driver": driver})
        db.execute("UPDATE run SET value = ? WHERE key = 'problem'", (problem,))


def test_a_bound_that_knows_the_future_is_no_rival(spread: Path, say: Say) -> None:
    """Where decisions are made step by step the offline optimum has no row; the table says what it is."""
    _timed_references(spread, None)
    offline = say("show", FINISHED, runs=spread.parent).out
    assert [line for line in offline.splitlines() if line.split()[:1] == ["proof"]]
    assert "knows the future" not in offline
    _timed_references(spread, "def drive(entry, instance, receive, send):\n    pass\n")
    said = say("show", FINISHED, runs=spread.parent)
    table = said.out[said.out.index("best at its time") :]
    assert not [line for line in table.splitlines() if line.strip().startswith("proof")]
    assert "bound that knows the future: no online rule has to attain it" in table
    assert "the bound takes 86 ms of wall time" in table
    assert "attainable: baseline mdd has 2.16" in table
    assert "references: optimum, for one who knows the future" in said.out
    assert say("show", FINISHED, "--json", runs=spread.parent).document["knows_future"] is True
    with open_record(spread) as record:
        report = markdown(record)
    assert "for one who knows the future" in report
    assert "bound that knows the future" in report


def test_a_driver_that_cannot_be_read_says_nothing_of_the_future(spread: Path, say: Say) -> None:
    """A stored driver that is no Python is data of a stranger: the run is shown, without a word on it."""
    _timed_references(spread, "def drive(:")
    said = say("show", FINISHED, "--json", runs=spread.parent)
    assert (said.code, said.document["knows_future"]) == (0, False)
