"""`diff`, `lineage`, `export`, `watch`: how candidates differ, where they come from, and a live campaign."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.export import write_rows

Say = Callable[..., Any]
FINISHED, MODEL, EMPTY = "20260102-203301-smtt-aaaa", "20260103-101500-smtt-bbbb", "20260104-090000-smtt-cccc"


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(
    ("name", "words"),
    [("diff", ["diff", FINISHED]), ("lineage", ["lineage", FINISHED]), ("watch", ["watch", MODEL])],
)
def test_output_is_as_recorded(
    name: str, words: list[str], width: int, say: Say, snapshot: Callable[[str, str], None]
) -> None:
    """What a verb prints at 80 and at 140 columns is what was looked at and recorded."""
    said = say(*words, width=width)
    assert said.code == 0, said.err
    snapshot(f"{name}-{width}", said.out)


def test_diff_turns_one_text_into_the_other(say: Say) -> None:
    """The unified diff of start and best removes the start's key and adds the best's."""
    best = say("best", FINISHED, "--json").document["source"]
    document = say("diff", FINISHED, "--json").document
    added = [line[1:] for line in document["diff"].splitlines() if line.startswith("+") and line[1:2] != "+"]
    assert added
    assert all(line in best.splitlines() for line in added)
    assert document["training_loss_percent"][0] > document["training_loss_percent"][1]


def test_diff_of_a_candidate_with_itself(say: Say) -> None:
    """Comparing a candidate with itself says that the text is the same."""
    assert "the same text" in say("diff", FINISHED, "best", "best").out


def test_lineage_goes_back_to_the_start_program(say: Say) -> None:
    """Steps begin at the start program, end at the candidate, and each change is the difference of losses."""
    document = say("lineage", FINISHED, "--json").document
    steps = document["steps"]
    assert steps[0]["origin"] == "start"
    assert steps[-1]["candidate"] == document["candidate"]
    for before, after in itertools.pairwise(steps):
        change = after["training_loss_percent"] - before["training_loss_percent"]
        assert after["change_percent"] == pytest.approx(change)


def test_export_scores_as_csv_equals_the_store(say: Say, runs: Path) -> None:
    """Every execution becomes one row with exact numbers and its instance's name."""
    table = list(
        csv.DictReader(io.StringIO(say("export", FINISHED, "--what", "scores", "--format", "csv").out))
    )
    with sqlite3.connect(runs / FINISHED / "archive.sqlite") as db:
        (count,) = db.execute("SELECT count(*) FROM executions").fetchone()
    assert len(table) == count
    row = next(r for r in table if "/" in r["gap"])
    top, bottom = row["gap"].split("/")
    assert int(top) * int(row["reference"]) == int(bottom) * int(row["excess"])


def test_export_candidates_as_json_lines(say: Say) -> None:
    """One JSON object a line, with code, parents and fitness; failed candidates have null, not 0."""
    found = [json.loads(line) for line in say("export", FINISHED).out.splitlines()]
    assert len(found) == say("show", FINISHED, "--json").document["evaluations"] + 1
    assert found[0]["origin"] == "start"
    failed = [row for row in found if row["train_status"] == "failed"]
    assert failed
    assert all(row["train_fitness"] is None for row in failed)
    assert all("heuristic.py" in row["files"] for row in found)


@pytest.mark.parametrize(("what", "count"), [("completions", 20), ("events", None)])
def test_other_exports(what: str, count: int | None, say: Say) -> None:
    """Completions come with their prompts, events with their data, as one JSON document on request."""
    document = say("export", MODEL, "--what", what, "--json").document
    assert count is None or len(document["rows"]) == count
    assert document["rows"]
    assert isinstance(document["rows"][0].get("data", {}), dict)


def test_export_iterations_and_elites(say: Say) -> None:
    """Every iteration is a row, rejected or not; the elites are candidates that took a cell of their own."""
    rows = say("export", FINISHED, "--what", "iterations", "--json").document["rows"]
    summary = say("show", FINISHED, "--json").document
    assert [row["iteration"] for row in rows] == list(range(1, summary["iterations"] + 1))
    assert sum(row["rejection"] is not None for row in rows) == sum(summary["rejections"].values())
    assert all(isinstance(row["parents"], list) and isinstance(row["inspirations"], list) for row in rows)
    elites = say("export", FINISHED, "--what", "elites", "--json").document["rows"]
    candidates = {row["candidate"]: row for row in say("export", FINISHED, "--json").document["rows"]}
    assert len({(row["island"], *row["cell"]) for row in elites}) == len(elites) > 0
    assert all(candidates[e["candidate"]]["train_fitness"] == e["train_fitness"] for e in elites)


def test_export_to_a_file(say: Say, tmp_path: Path) -> None:
    """`-o` writes a file whole, and only a new one."""
    path = tmp_path / "c.csv"
    assert say("export", FINISHED, "--format", "csv", "-o", str(path)).code == 0
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert len(rows) == say("show", FINISHED, "--json").document["evaluations"] + 1
    assert say("export", FINISHED, "-o", str(path)).code == 2


@pytest.mark.parametrize("words", [["--what", "dreams"], ["--format", "xml"]])
def test_export_names_what_it_knows(words: list[str], say: Say) -> None:
    """An unknown table or format is a usage error that lists the known ones."""
    said = say("export", FINISHED, *words)
    assert said.code == 2
    assert "expected" in said.err


def test_watch_json_is_one_look(say: Say) -> None:
    """`watch --json` prints one document with what is known now."""
    document = say("watch", MODEL, "--json").document
    assert document["iterations"] == 20
    assert document["status"] == "completed"
    assert document["cost_usd"] == pytest.approx(0.04)
    assert {row["island"] for row in document["islands"]} == {0, 1}


_HOLD = """
import fcntl, sys, time
handle = open(sys.argv[1], "a")
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.slow
def test_watch_follows_until_the_other_process_ends(say: Say, runs: Path) -> None:
    """Another process holds the run: it is running, watching ends with that process and changes nothing."""
    store = runs / EMPTY / "archive.sqlite"
    before = store.read_bytes()
    words = [sys.executable, "-c", _HOLD, str(runs / EMPTY / "campaign.log"), "2"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert say("watch", EMPTY, "--json").document["status"] == "running"
        said = say("watch", EMPTY)
    assert said.code == 0
    assert "gap on validation" in said.out
    assert "interrupted" in said.out
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("@SUM(1)", "'@SUM(1)"),
        ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
        ("+", "'+"),
        ("\t=1", "'\t=1"),
        ("-12", "-12"),
        ("-7/3", "-7/3"),
        ("-1.5e-09", "-1.5e-09"),
        ("-inf", "-inf"),
        (-0.5, "-0.5"),
        ("a=b", "a=b"),
    ],
)
def test_a_spreadsheet_reads_no_formulas(value: str | float, expected: str) -> None:
    """Texts in CSV that begin like a formula bear an apostrophe, numbers do not; JSON lines never change."""
    stream = io.StringIO()
    write_rows(iter([{"text": value}]), "csv", stream)
    stream.seek(0)
    assert next(csv.DictReader(stream))["text"] == expected
    lines = io.StringIO()
    write_rows(iter([{"text": value}]), "jsonl", lines)
    assert json.loads(lines.getvalue()) == {"text": value}
