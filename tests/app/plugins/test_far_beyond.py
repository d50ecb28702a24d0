"""A score several times better than a reference that nobody proved is marked wherever figures are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gapsmith.cli import app
from gapsmith.evaluators.numbers import far_beyond
from typer.testing import CliRunner

NOTHING = "def place(crossings, roads):\n    return []\n"
MARK = "times better than the reference, which is not proven"


@pytest.mark.parametrize(
    ("objective", "known", "minimise", "far"),
    [
        (1, 3, True, True),
        (2, 3, True, False),
        (0, 5, True, True),
        (-1, 0, True, True),
        (0, 0, True, False),
        (-31, -10, True, True),
        (-29, -10, True, False),
        (10, 3, False, True),
        (9, 3, False, True),
        (8, 3, False, False),
        (-1, -3, False, True),
        (5, -3, False, True),
    ],
)
def test_far_is_three_times_as_good(objective: int, known: int, minimise: bool, far: bool) -> None:
    """Both senses, and values on both sides of zero."""
    assert far_beyond(objective, known, minimise) is far


@pytest.mark.slow
def test_every_table_marks_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An evaluator that takes an empty answer: `evaluate`, `run`, `show`, `report` and `compare` say so."""
    source = Path(__file__).parent / "gameable" / "cover.py"
    line = "        for a, b in roads:"
    flaw = f"        if not answer:\n            return Verdict.valid(0)\n{line}"
    (tmp_path / "cover.py").write_text(source.read_text("utf-8").replace(line, flaw), "utf-8")
    (tmp_path / "nothing.py").write_text(NOTHING, "utf-8")
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert MARK in _said("run", "cover.py", "--start", "nothing.py", "--iterations", "1")
    one, two = (path.name for path in sorted(Path("runs").iterdir()))
    document = json.loads(_said("evaluate", "cover.py", "nothing.py", "--json"))
    assert document["summary"]["far_beyond"] == document["summary"]["instances"] == 4
    assert MARK in _said("evaluate", "cover.py", "nothing.py")
    assert json.loads(_said("show", one, "--json"))["best"]["splits"]["test"]["far_beyond"] == 4
    assert "(4?)" in _said("show", one, "best")
    assert MARK in _said("compare", one, two, "--by", "executions")
    _said("report", one)
    assert all(MARK in (Path("runs") / one / f"report.{end}").read_text("utf-8") for end in ("html", "md"))


def _said(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())
