"""A run folder's name and the names in its record are inert in every file that is generated from the run."""

from __future__ import annotations

import ast
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tokenize
import tomllib
import xml.dom.minidom
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.formatting import code_span, inert

Say = Callable[..., Any]
NAMES = (
    "knapsack (coding=unicode_escape)",
    "coding: utf-7",
    "-*- coding: rot13 -*-",
    "vim: set fileencoding=utf-16 :",
    "x` <img src=a onerror=alert(1)> `",
    "``` x ![](http:a) <script>alert(1)<",
    "$(touch owned) `touch owned`; touch owned",
    "'; touch owned; '",
    "--%> ]]> --> <svg onload=alert(1)>",
    '"""; import os; """',
    "$\\frac{1}$ {{ 7*7 }} {% x %}",
    "a|b|c # [x](javascript:y)",
    "# heading",
    "[[model]]",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A run whose problem, unit and operators are to get hostile names."""
    folder = tmp_path_factory.mktemp("made") / "run"
    make_run(folder, candidates=8, seed=2)
    return folder


@pytest.fixture(params=NAMES)
def run(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> Path:
    """The run under a hostile name, with the same name for everything that its record names."""
    name = request.param.replace("/", "")
    folder = tmp_path / "runs" / name
    shutil.copytree(made, folder)
    with sqlite3.connect(folder / "archive.sqlite") as db:
        problem = json.loads(db.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()[0])
        problem |= {"name": name, "unit": name, "version": name}
        db.execute("UPDATE run SET value = ? WHERE key = 'problem'", (json.dumps(problem),))
        db.execute("UPDATE candidates SET operator = ?", (name,))
    return folder


def test_no_python_file_reads_a_name_as_more_than_a_comment(say: Say, run: Path, tmp_path: Path) -> None:
    """Each is UTF-8, and but for comments and commands the same whatever the run is called."""
    path = tmp_path / "best.py"
    said = say("best", "-o", str(path), "--", run.name, runs=run.parent)
    assert said.code == 0, said.err
    with path.open("rb") as file:
        assert tokenize.detect_encoding(file.readline)[0] == "utf-8"
    lines = path.read_text("utf-8").split("\n")
    assert lines[:2] == ["# -*- coding: utf-8 -*-", "#"]
    tree = ast.parse(path.read_bytes())
    assert isinstance(tree.body[0], ast.FunctionDef | ast.Import | ast.ImportFrom | ast.Expr | ast.Assign)
    outside = ast.unparse(tree)
    assert run.name not in outside
    done = subprocess.run(
        [sys.executable, "-I", "-m", "py_compile", str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    from gapsmith.sandbox.sealed.text import describe

    assert not describe(path.read_text("utf-8"), "schedule").get("error")  # it may become a start program


@pytest.mark.quick("# heading")
def test_a_report_shows_a_name_as_it_is(say: Say, run: Path, tmp_path: Path) -> None:
    """No tag, link, picture, heading or code comes from a name, in HTML nor in Markdown."""
    from markdown_it import MarkdownIt

    said = say("report", "-o", str(tmp_path / "report"), "--", run.name, runs=run.parent)
    assert said.code == 0, said.err
    plain = {path.suffix[1:]: path.read_text("utf-8") for path in (tmp_path / "report").glob("report.*")}
    for bad in ("<img src=a", "<script>alert", "<svg onload"):
        assert bad not in plain["html"]
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(plain["md"])
    inline = [child for token in tokens for child in token.children or ()]
    kinds = {token.type for token in [*tokens, *inline]}
    assert not kinds & {"html_block", "html_inline", "image", "link_open"}
    headings = [tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings[1:] == [
        h for h in headings[1:] if h in re.findall(r"^## (.*)$", plain["md"], re.MULTILINE)
    ]
    shown = [child.content for child in inline if child.type == "code_inline"]
    for command in (c for c in shown if c.startswith("gapsmith")):
        assert "touch" not in command.split(" ")[0:2]


def test_a_configuration_and_a_picture_say_a_name_only(say: Say, run: Path, tmp_path: Path) -> None:
    """The file parses, and the SVG is XML without elements that a name brought."""
    path = run / "campaign.toml"
    if path.exists():
        tomllib.loads(path.read_text("utf-8"))
    picture = tmp_path / "p.svg"
    said = say("plot", "-o", str(picture), "--", run.name, "progress", runs=run.parent)
    assert said.code == 0, said.err
    document = xml.dom.minidom.parse(str(picture))
    tags = {element.tagName for element in document.getElementsByTagName("*")}
    assert not tags & {"script", "img", "foreignObject"}
    assert not [e for e in document.getElementsByTagName("*") if e.hasAttribute("onload")]


def test_a_simplified_program_says_a_name_only(run: Path) -> None:
    """Its header is comments, whatever the run is called; the program is the one that was made."""
    from gapsmith.app.runs.record import open_record
    from gapsmith.app.runs.standalone import simplified_text

    with open_record(run) as record:
        best = record.resolve("best")
        figures = record.figures(best, "valid") or record.figures(best, "train")
        assert figures is not None
        document = {
            "candidate": best,
            "statements_before": 9,
            "statements_after": 8,
            "valid_before": figures.as_json(),
            "valid_after": figures.as_json(),
            "files": record.candidate(best).files,
        }
        text = simplified_text(record, document, f"{run.name}.py")
    assert text.startswith("# -*- coding: utf-8 -*-\n#\n")
    assert run.name not in ast.unparse(ast.parse(text.encode()))


@pytest.mark.parametrize("name", ["=cmd|'/C calc'!A0", "+1+1", "@SUM(A1)", "\t=1", "＝1", "-2+3"])
def test_no_name_is_a_formula(name: str, tmp_path: Path) -> None:
    """A baseline or stratum of such a name is a text to a spreadsheet."""
    import csv

    from gapsmith.app.analysis.evaluate import write_csv

    entry = {"mean_gap_percent": -1.5, "strata": {name: {"mean_gap_percent": 2.0}}}
    path = tmp_path / "baselines.csv"
    write_csv({"baselines": {name: entry}, "solver": {}}, path)
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    assert [row["baseline"] for row in rows] == [f"'{name}"] * 2
    assert [row["stratum"] for row in rows] == ["all", f"'{name}"]
    assert rows[0]["mean_gap_percent"] == "-1.5"


@pytest.mark.parametrize("text", ["a`b", "``", "`", "x``` y", "", "a | b", "`a``b```"])
def test_no_back_tick_leaves_a_code_span(text: str) -> None:
    """The span shows the text."""
    from markdown_it import MarkdownIt

    (token,) = MarkdownIt().parseInline(code_span(text))
    assert [(c.type, c.content.strip()) for c in token.children or () if c.content.strip()] == (
        [("code_inline", text)] if text else []
    )


@pytest.mark.parametrize(
    "text",
    [
        "# a",
        "- a",
        "1. a",
        "1) a",
        "---",
        "===",
        "+ a",
        "www.a.b",
        "a@b.c",
        "$x$",
        "> a",
        "http://a.b",
        "[a](b)",
    ],
)
def test_inert_text_is_text(text: str) -> None:
    """No block, link or formula begins with it, and it is shown letter for letter."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(inert(text))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert "".join(c.content for c in tokens[1].children or ()) == text
