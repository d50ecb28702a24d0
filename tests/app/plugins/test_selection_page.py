"""The page on selections is executed, and code that is no selection is refused in one line."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.config import Config
from gapsmith.app.errors import ProblemError
from gapsmith.app.plugins.loader import load_selection, source_of_selection
from gapsmith.app.runs.trust import requests
from gapsmith.cli import app
from gapsmith.evolve.selection import SELECTIONS
from typer.testing import CliRunner

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "add-a-selection.md").read_text("utf-8")


def block(kind: str) -> str:
    """The only fenced block of a kind."""
    (text,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(text)


@pytest.fixture
def tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page's selection as `module:Class`, in the working folder; the module has a name of its own."""
    name = f"tournament_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(block("python"), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return f"{name}:Tournament"


def test_the_pages_selection_chooses_parents(tournament: str) -> None:
    """It has at most thirty lines, and of two elites in one tournament the better one is the parent."""
    assert len(block("python").splitlines()) <= 30
    made: Any = load_selection(tournament)
    elites = [_Elite(-1.0, "b"), _Elite(-3.0, "c"), _Elite(-0.5, "a")]
    selection = made(_Basis(elites))
    parents = selection.parents(1, 0)
    assert [elite.candidate.id for elite in parents][:1] == ["a"]
    assert len(parents) == 2


def test_a_name_chooses_a_row() -> None:
    """Gapsmith's own selections are chosen by name, and their source is no plug-in's."""
    for name, kind in SELECTIONS.items():
        assert load_selection(name) is kind
        assert source_of_selection(name) is None


@pytest.mark.slow
def test_a_campaign_runs_by_a_name(tmp_path: Path) -> None:
    """The name stands where a class of the user's would."""
    words = ["smtt-rule", "--budget", "2it", "--seed", "1", "--set", "search.selection=random"]
    short = ["--set", "problem.train_per_stratum=1", "--runs", str(tmp_path), "--json"]
    done = CliRunner().invoke(app, ["run", *words, *short])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["iterations"] == 2


@pytest.mark.parametrize("spec", ["os.path:join", "collections:Counter", "no_such_module:Class", "randm"])
def test_other_code_is_no_selection(spec: str) -> None:
    """A function, another class and a missing module are refused with what was expected."""
    with pytest.raises(ProblemError, match="selection"):
        load_selection(spec)


def test_a_mistyped_name_leaves_no_run(tmp_path: Path) -> None:
    """The mistake is told before anything is computed, so `latest` stays the run before."""
    words = [
        "smtt-rule",
        "--budget",
        "2it",
        "--set",
        "search.selection=randm",
        "--runs",
        str(tmp_path / "runs"),
    ]
    done = CliRunner().invoke(app, ["run", *words, "--json"])
    assert done.exit_code == 3, done.output
    assert "one of none, best-of-n, random, models" in json.loads(done.stdout)["error"]["message"]
    assert list(tmp_path.glob("runs/*")) == []


def test_a_record_that_names_a_selection_asks_for_it(tournament: str) -> None:
    """A foreign record gets no code by its name: the request names file and digest, and imports nothing."""
    config = Config()
    config = config.model_copy(update={"search": replace(config.search, selection=tournament)})
    record: Any = _Record()
    (request,) = requests(record, config, ())
    assert tournament in request.words
    source = source_of_selection(tournament)
    assert source is not None
    assert request.digest == source.digest is not None
    assert tournament.partition(":")[0] not in sys.modules


@pytest.mark.slow
def test_the_pages_command_works(tmp_path: Path) -> None:
    """A campaign runs with the selection of the page."""
    (tmp_path / "tournament.py").write_text(block("python"), "utf-8")
    words = shlex.split(block("console"))
    done = subprocess.run(
        [sys.executable, "-m", "gapsmith.cli", *words[1:]], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


class _Named:
    def __init__(self, id: str) -> None:
        self.id = id


class _Elite:
    def __init__(self, fitness: float, id: str) -> None:
        self.fitness = fitness
        self.candidate = _Named(id)


class _Basis:
    """What the page's selection uses of a basis."""

    count = 2
    start = None

    def __init__(self, elites: list[_Elite]) -> None:
        self._elites = elites
        self.archive = self

    def elites(self, island: int) -> list[_Elite]:
        """The elites of any island."""
        return self._elites

    def rng(self, number: int) -> Any:
        """A random stream."""
        import random

        return random.Random(number)


class _Record:
    """A record without a seal."""

    folder = Path()
    reader: Any = type("Reader", (), {"record": staticmethod(lambda key: None)})
