"""Standard output as it may be: no UTF-8, closed, or on a full disk."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
import typer
from gapsmith.app.commands.terminal import console, emit_json, errors
from gapsmith.app.errors import TROUBLE
from gapsmith.app.runs.folders import run_log
from gapsmith.cli import main

NAME = "–▁ä\udcff"
"""A value that is not known, a bar, a letter of Latin-1 and a byte of a file's name that is no UTF-8."""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("mistakes", ["strict", "surrogateescape"])
def test_any_encoding_takes_what_is_printed(
    encoding: str, mistakes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal gets plain signs and escapes for what it lacks, nothing unseen; a document is whole."""
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(said, encoding, mistakes))
    with errors():
        console().print(NAME)
    with errors(as_json=True):
        emit_json({"name": NAME})
    sys.stdout.flush()
    line, document = said.getvalue().split(b"\n", 1)
    plain = {"ascii": b"-_\\xe4", "latin-1": b"-_\xe4", "utf-8": "–▁ä".encode()}
    assert line == plain[encoding]
    assert json.loads(document.decode(encoding)) == {"name": NAME}


@pytest.mark.parametrize("as_json", [False, True])
def test_a_verb_with_closed_streams_ends_well(as_json: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """`gapsmith list >&-` has nowhere to print to, which is not a bug."""
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    with errors(as_json):
        console().print(NAME)
        emit_json({})


class _Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_below_a_document_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The document of the error finds no room either: the line on standard error and the code say it."""
    monkeypatch.setattr(sys, "stdout", _Full())
    with pytest.raises(typer.Exit) as ended, errors(as_json=True):
        emit_json({})
    assert ended.value.exit_code == TROUBLE
    assert capsys.readouterr().err.startswith("error: standard output: No space left on device\n")


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["list"]])
def test_a_full_disk_below_standard_output_is_called_so(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Whatever the command prints, one line says which stream takes no more."""
    monkeypatch.setattr(sys, "argv", ["gapsmith", *words])
    monkeypatch.setenv("GAPSMITH_RUNS", str(tmp_path))
    monkeypatch.setattr(sys, "stdout", _Full())
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == TROUBLE
    assert capsys.readouterr().err.startswith("error: standard output: No space left on device\n")


def test_a_log_without_room_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a full disk the error that matters stands alone: the log prints and raises none."""
    (tmp_path / "campaign.log").symlink_to("/dev/full")
    with run_log(tmp_path) as log:
        log.error("ended by an exception")
    assert capsys.readouterr().err == ""
