"""Whatever a run, its folder's name or a candidate says, nobody is shown an unseen character."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.commands.terminal import write_new
from gapsmith.app.formatting import escaped
from gapsmith.app.result import RunResult
from gapsmith.app.runs.export import write_rows
from gapsmith.app.runs.folders import put_text
from gapsmith.app.views.plots.canvas import new_axes, render, styled
from gapsmith.app.views.web import LiveDocuments
from gapsmith.sandbox.unseen import unseen
from hypothesis import given
from hypothesis import strategies as st

Say = Callable[..., Any]
RUN = "20260101-000000-good"
HOSTILE = "x\x1b[31m\u202e\U000e0041\ufe0f\nerror: forged\x9b"
ANYTHING = st.text(st.characters(exclude_categories=[]))
VERBS = (
    *("list", "show", "show best", "show best --prompt", "best"),
    *("lineage", "diff", "watch", "show --strata"),
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A folder with a run whose every text that a person or model wrote is hostile."""
    runs = tmp_path_factory.mktemp("hostile")
    make_run(runs / RUN, candidates=8, model=True, seed=2)
    with sqlite3.connect(runs / RUN / "archive.sqlite") as db:
        db.execute("UPDATE candidates SET operator = ?", (HOSTILE,))
        for id, files in db.execute("SELECT id, files FROM candidates").fetchall():
            texts = {
                name: f"# {HOSTILE.replace(chr(10), ' ')}\n{text}" for name, text in json.loads(files).items()
            }
            db.execute("UPDATE candidates SET files = ? WHERE id = ?", (json.dumps(texts), id))
        db.execute("UPDATE calls SET model = ?1, operator = ?1, text = ?1, error = ?1", (HOSTILE,))
        db.execute("UPDATE prompts SET system = ?1, user = ?1", (HOSTILE,))
        db.execute("UPDATE executions SET message = ?", (HOSTILE,))
        db.execute("UPDATE instances SET source = ?", (HOSTILE,))
        db.execute("UPDATE instance_references SET solver = ?1, source = ?1", (HOSTILE,))
        note = json.dumps({"text": HOSTILE})
        db.execute("INSERT INTO events (iteration, kind, data, at) VALUES (0, 'note', ?, 1)", (note,))
        db.execute("UPDATE run SET value = ? WHERE key IN ('model', 'created')", (json.dumps(HOSTILE),))
        problem = json.loads(db.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()[0])
        problem |= {"name": HOSTILE, "unit": HOSTILE, "version": HOSTILE}
        db.execute("UPDATE run SET value = ? WHERE key = 'problem'", (json.dumps(problem),))
    return runs


def _raw(text: str) -> list[str]:
    return [character for character in text if unseen(character) and character not in "\n\t"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_terminal_and_a_document_show_none(say: Say, hostile: Path, verb: str) -> None:
    """Every verb that looks prints seen characters only, and its document says what is stored."""
    first, *rest = verb.split()
    words = [first] if first == "list" else [first, RUN, *rest]
    for more in ((), ("--json",)):
        said = say(*words, *more, runs=hostile, width=200)
        assert said.code == 0, said.err
        assert _raw(said.out + said.err) == []
    json.loads(said.out)


@pytest.mark.parametrize("what", ["candidates", "scores", "completions", "events"])
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_an_export_holds_none(say: Say, hostile: Path, tmp_path: Path, what: str, form: str) -> None:
    """On standard output and in a file."""
    words = ("export", RUN, "--what", what, "--format", form)
    assert _raw(say(*words, runs=hostile).out) == []
    assert say(*words, "-o", str(tmp_path / "file"), runs=hostile).code == 0
    assert _raw((tmp_path / "file").read_text("utf-8")) == []


def test_python_and_a_notebook_show_none(hostile: Path) -> None:
    """Neither a run's text at a prompt nor its table in a notebook."""
    result = RunResult(hostile / RUN)
    assert _raw(repr(result) + result._repr_html_()) == []


def test_a_program_that_is_written_holds_none(say: Say, hostile: Path, tmp_path: Path) -> None:
    """No text of the record leaves the program's header, or brings along what nobody sees."""
    assert say("best", RUN, "-o", str(tmp_path / "best.py"), runs=hostile).code == 0
    text = (tmp_path / "best.py").read_text("utf-8")
    assert _raw(text) == []
    assert not any(line.startswith("error") for line in text.splitlines())
    compile(text, "best.py", "exec")


@pytest.mark.slow
def test_a_report_holds_none(say: Say, hostile: Path, tmp_path: Path) -> None:
    """Neither the page with its pictures nor the text."""
    said = say("report", RUN, "-o", str(tmp_path), runs=hostile)
    assert said.code == 0, said.err
    for name in ("report.md", "report.html"):
        assert _raw((tmp_path / name).read_text("utf-8")) == [], name


@pytest.mark.parametrize("name", ["$\\frac{$", "$\\nosuch$", "US$ for each M$", "a_{$b$}"])
def test_a_name_that_looks_like_a_formula_is_drawn_as_it_is(name: str) -> None:
    """Names and units are texts in a picture, whatever dollar signs and backslashes they hold."""
    with styled():
        figure, axes = new_axes()
        axes.set_xlabel(name)
        axes.set_title(name)
    assert render(figure, "svg", "salt").startswith(b"<?xml")


@given(ANYTHING)
def test_a_document_says_what_was_to_be_said(text: str) -> None:
    """Escapes change the spelling of a document and not what it says."""
    document = escaped(json.dumps({"a": [text]}, ensure_ascii=False))
    assert _raw(document) == []
    assert json.loads(document) == {"a": [text]}


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
)
def test_no_cell_is_a_formula(start: str) -> None:
    """A text that a spreadsheet would compute has an apostrophe before it, full-width signs included."""
    stream = io.StringIO()
    write_rows(iter([{"a": f"{start}HYPERLINK(1)"}]), "csv", stream)
    (row,) = csv.DictReader(io.StringIO(stream.getvalue()))
    assert not row["a"].startswith(
        ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
    )


@given(ANYTHING)
def test_rows_hold_none(text: str) -> None:
    """JSON lines and CSV, whatever a value is."""
    for form in ("jsonl", "csv"):
        stream = io.StringIO()
        write_rows(iter([{"a": text, "b": [text]}]), form, stream)
        assert _raw(stream.getvalue()) == []


@pytest.mark.parametrize("name", ["a\nerror: forged", "b\x1b[2J", "c\u202etxt", "d\udcff", "e\U000e0041"])
def test_a_folder_s_name_is_not_believed(say: Say, hostile: Path, tmp_path: Path, name: str) -> None:
    """`list` says why such a run is unreadable; no other verb opens it, by name, by path or as the latest."""
    shutil.copytree(hostile / RUN, tmp_path / RUN)
    shutil.copytree(hostile / RUN, tmp_path / f"30{name}")
    said = say("list", runs=tmp_path)
    assert said.code == 0
    assert _raw(said.out + said.err) == []
    assert "rename the folder" in " ".join(said.out.split())
    assert not any(line.startswith("error") for line in said.out.splitlines())
    rows = say("list", "--json", runs=tmp_path).document
    assert sorted(row["status"] for row in rows) == ["completed", "unreadable"]
    assert say("show", "latest", "--json", runs=tmp_path).document["run"] == RUN
    for words in (("show", f"30{name}"), ("best", str(tmp_path / f"30{name}")), ("show", "30")):
        said = say(*words, runs=tmp_path)
        assert said.code in (2, 3)
        assert _raw(said.out + said.err) == []
        assert sum(line.startswith("error") for line in said.err.splitlines()) == 1


@pytest.mark.parametrize("write", [put_text, lambda path, text: write_new(path, text, True)])
def test_a_file_goes_through_no_link(tmp_path: Path, write: Callable[[Path, str], None]) -> None:
    """A folder of somebody else has links under the file's name and under those of drafts."""
    folder = tmp_path / "downloaded"
    folder.mkdir()
    own = tmp_path / "own"
    own.write_text("mine")
    for name in ("report.md", f".report.md.{os.getpid()}"):
        (folder / name).symlink_to(own)
    write(folder / "report.md", "a report")
    assert own.read_text() == "mine"
    assert (folder / "report.md").read_text() == "a report"


def test_a_command_that_is_printed_can_be_copied(say: Say, hostile: Path, tmp_path: Path) -> None:
    """A name with spaces and signs of the shell is quoted in hints."""
    name = "40 $(touch x); rm -rf `pwd`"
    shutil.copytree(hostile / RUN, tmp_path / name)
    assert f"gapsmith best {shlex.quote(name)}" in say("show", name, runs=tmp_path, width=200).out
    said = say("show", name, "best", "--strata", runs=tmp_path)
    assert f"gapsmith show {shlex.quote(name)} best" in said.err


def test_a_long_label_does_not_reach_a_browser(tmp_path: Path, make_run: Callable[..., Path]) -> None:
    """The state of a campaign is polled again and again: texts of a record are cut in it."""
    run = make_run(tmp_path / RUN, candidates=8, model=True, seed=2)
    label = "L" * 1_000_000
    with sqlite3.connect(run / "archive.sqlite") as db:
        db.execute("UPDATE candidates SET operator = ?", (label,))
        db.execute("UPDATE run SET value = ? WHERE key = 'stop_reason'", (json.dumps(label),))
        db.execute("INSERT INTO events (iteration, kind, data, at) VALUES (0, ?, '{}', 1)", (label,))
    document = LiveDocuments(run).live()
    assert len(document) < 50_000
    assert json.loads(document)["stop_reason"].startswith("LLL")
