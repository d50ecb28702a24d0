"""`list`, `show`, `best`: what they print, their JSON, and what they say when there is nothing to show."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.views.overview import runs_table
from rich.console import Console

Say = Callable[..., Any]
FINISHED, MODEL, EMPTY = "20260102-203301-smtt-aaaa", "20260103-101500-smtt-bbbb", "20260104-090000-smtt-cccc"


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("list", ["list"]),
        ("show", ["show", FINISHED]),
        ("show-empty", ["show", EMPTY]),
        ("show-best", ["show", FINISHED, "best"]),
        ("show-prompt", ["show", MODEL, "best", "--prompt"]),
        ("best", ["best", FINISHED]),
    ],
)
def test_output_is_as_recorded(
    name: str, words: list[str], width: int, say: Say, snapshot: Callable[[str, str], None]
) -> None:
    """What a verb prints at 80 and at 140 columns is what was looked at and recorded."""
    said = say(*words, width=width)
    assert said.code == 0, said.err
    snapshot(f"{name}-{width}", said.out)


@pytest.mark.parametrize("words", [["list"], ["show", FINISHED], ["show", FINISHED, "best"], ["show", MODEL]])
def test_tables_fit_eighty_columns(words: list[str], say: Say) -> None:
    """No line of a table is wider than 80 columns; code and the commands to copy may be."""
    lines = say(*words).out.partition("\nheuristic.py")[0].splitlines()
    assert [line for line in lines if len(line) > 80 and not line.startswith("  gapsmith")] == []


def test_list_has_the_fields_of_the_contract(say: Say) -> None:
    """`list --json` is a list of runs, oldest first, with null where nothing is known."""
    document = say("list", "--json").document
    assert [row["run"] for row in document] == [FINISHED, MODEL, EMPTY]
    fields = {"run", "problem", "model", "status", "iterations", "best_gap_percent", "started"}
    assert all(fields <= set(row) for row in document)
    assert document[0]["status"] == "completed"
    assert document[0]["iterations"] == 60
    assert document[0]["best_gap_percent"] > 0
    assert document[2]["status"] == "interrupted"


def test_list_gap_is_the_best_candidates_validation_gap(say: Say) -> None:
    """The quick figure of `list` equals the one that `show` computes from all scores."""
    quick = say("list", "--json").document[0]["best_gap_percent"]
    whole = say("show", FINISHED, "--json").document["best"]["splits"]["valid"]["mean_gap_percent"]
    assert quick == pytest.approx(whole, rel=1e-12)


def test_list_goes_on_past_a_damaged_run(say: Say, runs: Path, tmp_path: Path) -> None:
    """A run that cannot be read is listed as such and does not hide the others."""
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    (tmp_path / "20260105-000000-broken").mkdir()
    (tmp_path / "20260105-000000-broken" / "archive.sqlite").write_bytes(b"not a database" * 100)
    document = say("list", "--json", runs=tmp_path).document
    assert [row["status"] for row in document] == ["completed", "unreadable"]
    assert "archive.sqlite" in document[1]["note"]


def test_list_of_nothing_names_the_first_command(say: Say, tmp_path: Path) -> None:
    """An empty runs folder is no error; it says how to start."""
    said = say("list", runs=tmp_path)
    assert said.code == 0
    assert "gapsmith run smtt" in said.out
    assert say("list", "--json", runs=tmp_path).document == []


def test_show_candidate_json_holds_scores_and_origin(say: Say) -> None:
    """`show RUN CANDIDATE --json` gives code, figures by split and stratum, and every instance."""
    document = say("show", MODEL, "best", "--json").document
    assert document["files"]["heuristic.py"].startswith('"""A variant')
    assert document["splits"]["test"]["instances"] == 20
    assert len(document["strata"]["test"]) == 20
    assert {row["split"] for row in document["instances"]} == {"train", "valid", "test"}
    assert all(row["gap_percent"] is None for row in document["instances"] if row["reference"] == 0)


def test_show_prompt_prints_what_was_asked_and_answered(say: Say, runs: Path) -> None:
    """`--prompt` prints the prompt and reply of the iteration that made the candidate."""
    with sqlite3.connect(runs / MODEL / "archive.sqlite") as db:
        id, iteration = db.execute("SELECT id, iteration FROM candidates WHERE iteration > 0").fetchone()
    assert f"Task of iteration {iteration}: improve" in say("show", MODEL, id, "--prompt").out
    reply = say("show", MODEL, id, "--json").document["reply"]
    assert reply["tokens_out"] == 300


def test_failed_candidate_says_why(say: Say, runs: Path) -> None:
    """A candidate that failed is shown with the instance, the status and the message of its failure."""
    with sqlite3.connect(runs / FINISHED / "archive.sqlite") as db:
        (id,) = db.execute("SELECT program FROM evaluations WHERE status = 'failed'").fetchone()
    out = say("show", FINISHED, id).out
    assert re.search(r"raised on \S+: IndexError: list index out of range", out)


def test_best_is_the_champions_source(say: Say) -> None:
    """`best` prints the champion's text and nothing else, ready for a pipe."""
    document = say("best", FINISHED, "--json").document
    assert say("best", FINISHED).out == document["source"]
    assert document["entry_point"] == "schedule"


def test_written_program_runs_alone(say: Say, tmp_path: Path) -> None:
    """`best -o` writes a program that answers an instance from standard input without Gapsmith."""
    path = tmp_path / "best.py"
    assert say("best", FINISHED, "-o", str(path)).code == 0
    text = path.read_text()
    assert "Optimality gap on the test split" in text
    assert "references: 20 optima" in text
    assert f"gapsmith evaluate smtt {path} --split test" in text
    given = json.dumps({"processing_times": [3, 4, 1], "due_dates": [4, 8, 1]})
    done = subprocess.run(
        [sys.executable, "-I", path], input=given, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [2, 0, 1]


def test_existing_file_is_replaced_only_with_force(say: Say, tmp_path: Path) -> None:
    """A target that exists is an error (exit code 2) and stays as it is, unless --force is given."""
    path = tmp_path / "best.py"
    path.write_text("mine")
    said = say("best", FINISHED, "-o", str(path))
    assert said.code == 2
    assert "--force" in said.err
    assert path.read_text() == "mine"
    assert say("best", FINISHED, "-o", str(path), "--force").code == 0
    assert path.read_text() != "mine"


def test_unwritable_target_is_a_clear_error(say: Say, tmp_path: Path) -> None:
    """A target in a folder that does not exist ends with exit code 2 and names the file."""
    said = say("best", FINISHED, "-o", str(tmp_path / "no" / "best.py"))
    assert said.code == 2
    assert "best.py" in said.err


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["show", "20260102-203301-smtt-aaab"], 2, "did you mean 20260102-203301-smtt-aaaa"),
        (["show", "2026"], 2, "3 runs start like this"),
        (["show", FINISHED, "zzzz"], 2, "not in run"),
        (["best", EMPTY + "x"], 2, "did you mean"),
    ],
)
def test_wrong_names_get_the_nearest_ones(words: list[str], code: int, expected: str, say: Say) -> None:
    """An unknown or ambiguous run or candidate is one clear line with the nearest names; so in JSON."""
    said = say(*words)
    assert said.code == code
    assert expected in said.err
    error = say(*words, "--json").document["error"]
    assert error["code"] == code
    assert expected in f"{error['message']} {error['hint']}"


def test_ambiguous_candidate_prefix_lists_candidates(say: Say, runs: Path) -> None:
    """A prefix that several candidates share is refused with some of them."""
    with sqlite3.connect(runs / FINISHED / "archive.sqlite") as db:
        first = [id[0] for (id,) in db.execute("SELECT id FROM candidates")]
    letter = max(set(first), key=first.count)
    said = say("show", FINISHED, letter)
    assert said.code == 2
    assert "candidates start like this" in said.err


def test_newer_store_says_upgrade(say: Say, runs: Path, tmp_path: Path) -> None:
    """A store of a newer schema is refused with exit code 3 and the way out."""
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    with sqlite3.connect(tmp_path / FINISHED / "archive.sqlite") as db:
        db.execute("PRAGMA user_version = 999")
    said = say("show", FINISHED, runs=tmp_path)
    assert said.code == 3
    assert "newer" in said.err


def test_run_without_a_store_record_is_shown_as_empty(say: Say, tmp_path: Path) -> None:
    """A run that crashed before anything was recorded can be listed and shown."""
    from gapsmith.evolve.store.store import Store

    (tmp_path / "r").mkdir()
    Store(tmp_path / "r").close()
    assert say("list", "--json", runs=tmp_path).document[0]["status"] == "interrupted"
    said = say("show", "r", runs=tmp_path)
    assert said.code == 0, said.err
    assert "nothing was evaluated yet" in said.out
    assert say("best", "r", runs=tmp_path).code == 6


def test_hostile_code_cannot_reach_the_terminal(say: Say, runs: Path, tmp_path: Path) -> None:
    """Escape sequences, direction marks and markup in a candidate's text or message come out harmless."""
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    with sqlite3.connect(tmp_path / FINISHED / "archive.sqlite") as db:
        text = json.dumps({"heuristic.py": "# \x1b[2J\u202e[bold red]x[/]\nx = 1\x07\n"})
        db.execute("UPDATE candidates SET files = ?", (text,))
        db.execute("UPDATE executions SET message = '\x1b]0;owned\x07[/nope]' WHERE message IS NOT NULL")
        (id,) = db.execute("SELECT program FROM evaluations WHERE status = 'failed'").fetchone()
    for words in (["show", FINISHED, id], ["best", FINISHED]):
        said = say(*words, runs=tmp_path)
        assert said.code == 0, said.err
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", said.out)
        assert "[bold red]x[/]" in said.out
    assert "[/nope]" in say("show", FINISHED, id, runs=tmp_path).out


def test_names_that_look_like_markup_are_names(say: Say, runs: Path, tmp_path: Path) -> None:
    """Baselines, operators and groups called like rich's markup are printed as they are called."""
    for seed in (1, 2):
        shutil.copytree(runs / MODEL, tmp_path / f"[red]g[x]-s{seed}")
        with sqlite3.connect(tmp_path / f"[red]g[x]-s{seed}" / "archive.sqlite") as db:
            db.execute(
                "UPDATE evaluations SET program = 'baseline/[red]m[/y]' WHERE program = 'baseline/mdd'"
            )
            db.execute("UPDATE calls SET operator = '[bold]o[/z]'")
    said = say("show", "[red]g[x]", runs=tmp_path, width=140)
    assert said.code == 0, said.err
    for name in ("group [red]g[x]:", "[red]m[/y]", "[bold]o[/z]"):
        assert name in said.out


def test_unclosed_run_on_a_read_only_disk_says_so(
    say: Say, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was not closed, in a folder that cannot be written, is shown with a note."""
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    (tmp_path / FINISHED / "archive.sqlite-wal").touch()
    assert "the latest may be missing" not in say("show", FINISHED, runs=tmp_path).out
    (tmp_path / FINISHED / "archive.sqlite-wal").touch()
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "the latest may be missing" in " ".join(say("show", FINISHED, runs=tmp_path).out.split())


def test_who_is_best_where(say: Say) -> None:
    """Every stratum and instance names an elite that is no worse than the champion."""
    document = say("show", FINISHED, "--strata", "--json").document
    for row in [*document["strata"], *document["instances"]]:
        assert row["loss_percent"] <= row["best_loss_percent"]
        assert (row["candidate"] == document["best"]) == (row["loss_percent"] == row["best_loss_percent"])
    assert len(document["instances"]) == 20
    assert document["best_of_all_loss_percent"] <= document["loss_percent"]
    best = say("show", FINISHED, "--json").document["best"]["splits"]["train"]["fitness"]
    assert document["loss_percent"] == pytest.approx(-100 * best)
    assert "always the best for the instance" in " ".join(say("show", FINISHED, "--strata").out.split())
    assert say("show", FINISHED, "best", "--strata").code == 2


def test_stopped_candidates_are_told(say: Say, runs: Path) -> None:
    """What racing stopped is counted apart from what failed, in `show` and in `watch`."""
    with sqlite3.connect(runs / FINISHED / "archive.sqlite") as db:
        (stopped,) = db.execute("SELECT count(*) FROM evaluations WHERE status = 'stopped'").fetchone()
    assert stopped > 1
    assert f"{stopped} candidates, worse or like their parent" in say("show", FINISHED).out
    assert say("watch", FINISHED, "--json").document["stopped"] == stopped
    assert f"{stopped} stopped early" in say("watch", FINISHED).out


@pytest.mark.slow
def test_diversity_follows_the_record(runs: Path, make_run: Callable[..., Path], tmp_path: Path) -> None:
    """Cells filled and score start with the start program, end with the archive, drop at resettlings only."""
    from gapsmith.app.runs.record import open_record
    from gapsmith.app.views.plots.quality import diversity_curve

    make_run(tmp_path / "long", candidates=260, islands=3)
    with open_record(tmp_path / "long") as record:
        found = diversity_curve(record)
        resets = {event.iteration for event in record.reader.events("reset")}
        assert record.archive is not None
        assert found[-1].cells == len(record.archive.elites())
    assert (found[0].told, found[0].cells, found[0].score) == (0, 3, 0.0)
    assert resets
    for before, after in pairwise(found):
        if after.told not in resets:
            assert after.cells >= before.cells
            assert after.score >= before.score - 1e-9


@pytest.mark.parametrize(("width", "present"), [(80, ()), (125, ("model",)), (150, ("problem", "model"))])
def test_the_list_drops_columns_rather_than_figures(width: int, present: tuple[str, ...]) -> None:
    """Long names of problems and models leave the table before a figure or a run's name is cut."""
    row = {
        "run": "20260102-203301-unrelated-machines-many-servers",
        "problem": "unrelated-machines-many",
        "model": "openai/a-model-of-a-long-name",
        "iterations": 12_345,
        "best_gap_percent": 123.456,
        "status": "interrupted",
        "foreign": False,
        "unsafe_without": [],
        "started": "2026-01-02T20:33:01",
    }
    stream = io.StringIO()
    console = Console(file=stream, width=width)
    console.print(runs_table([row], width)[0])
    out = stream.getvalue()
    for whole in (row["run"], "12,345", "123 %", "interrupted"):
        assert whole in out
    assert tuple(name for name in ("problem", "model") if name in out.splitlines()[0]) == present
    assert len(out.splitlines()) == 2


@pytest.mark.parametrize(("width", "figures"), [(60, 8), (80, 12)])
def test_figures_of_a_campaign_are_whole(
    width: int, figures: int, say: Say, runs: Path, tmp_path: Path
) -> None:
    """However long a program's name, figures that are shown are whole; so is the name, on several lines."""
    name = "earliest_due_date_with_a_long_name"
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    with sqlite3.connect(tmp_path / FINISHED / "archive.sqlite") as db:
        db.execute("UPDATE evaluations SET program = ? WHERE program = 'baseline/edd'", (f"baseline/{name}",))
    lines = say("show", FINISHED, runs=tmp_path, width=width).out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("program"))
    table = lines[start : next(n for n, line in enumerate(lines) if line.startswith("references:"))]
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(table)
    text = "\n".join(table)
    assert len(re.findall(r"\[[^]\n]+\]|\(\d+ of \d+\)", text)) == figures
    assert text.count("[") == text.count("]")
    assert name in "".join(line.split("  ")[0].strip() for line in table)


@pytest.mark.quick("words1")
@pytest.mark.parametrize("words", [["show", FINISHED], ["list", "--json"], ["export", FINISHED]])
def test_a_reader_that_has_gone_is_no_error(words: list[str], runs: Path) -> None:
    """What is piped into `head` ends quietly with exit code 0, whether it prints text, rows or a document."""
    reader, writer = os.pipe()
    os.close(reader)
    call = "import sys; from gapsmith.cli import app; app(sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", call, *words],
        env={**os.environ, "GAPSMITH_RUNS": str(runs)},
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_strata_without_a_ratio_have_no_figure(say: Say, runs: Path, tmp_path: Path) -> None:
    """Where every reference of a stratum is 0 there is no gap to show, as in the report."""
    shutil.copytree(runs / FINISHED, tmp_path / FINISHED)
    with sqlite3.connect(tmp_path / FINISHED / "archive.sqlite") as db:
        zero = "SELECT instance FROM instance_references WHERE value = '0'"
        db.execute(f"UPDATE instances SET stratum = 'none but 0' WHERE id IN ({zero})")
    out = say("show", FINISHED, "best", runs=tmp_path).out
    assert "– where every reference is 0" in out
    (row,) = [line for line in out.splitlines() if line.startswith("none but 0")]
    assert row.split()[3:5] == ["–", "–"]


def test_a_narrow_table_leaves_splits_out_rather_than_cut_names(say: Say) -> None:
    """At 60 columns names stay whole, and it is said which split is missing."""
    said = say("show", FINISHED, width=60).out
    assert "\nstart program " in said
    assert "left out of a narrow table: training" in said


@pytest.mark.parametrize("words", [["show", FINISHED], ["show", FINISHED, "best"], ["show", MODEL]])
def test_no_cell_is_cut_at_forty_columns(words: list[str], say: Say) -> None:
    """A table that does not fit becomes lines, each with the name of its column."""
    out = say(*words, width=40).out.partition("\nheuristic.py")[0]
    assert "…" not in out
    assert "\n  test: " in out or "\n  95 % interval: " in out or "\n  solved: " in out


def test_a_list_of_forty_columns_drops_nothing(say: Say) -> None:
    """Names of runs stay whole, for users copy them."""
    out = say("list", width=40).out
    assert f"run {FINISHED}\n" in out
    assert out.count("\n  status: ") == 3
    assert out.count("\n  started: ") == 3
    assert "left out" not in out
