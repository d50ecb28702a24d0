"""What needs the programs to run again: drawings of answers, and what statements are worth."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Say = Callable[..., Any]
SMALL = "20260102-203301-smtt-draw"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A runs folder with one run of a few candidates."""
    folder = tmp_path_factory.mktemp("draw")
    make_run(folder / SMALL, candidates=6, islands=1)
    return folder


def test_drawing_in_the_terminal_names_programs_and_reference(say: Say, small: Path) -> None:
    """The best candidate's and the best baseline's answers are drawn, with the reference's value."""
    said = say("show", SMALL, "best", "--instance", "test-003", runs=small)
    assert said.code == 0, said.err
    assert re.search(r"test-003: reference \d+ .* \(optimum\)", said.out)
    assert re.search(r"^best [0-9a-f]{8}: ", said.out, re.M)
    assert re.search(r"^mdd: ", said.out, re.M)
    assert max(len(line) for line in said.out.splitlines()) <= 80


def test_drawing_into_a_file(say: Say, small: Path, tmp_path: Path) -> None:
    """`-o` writes the drawing as a picture; its answers are valid permutations in JSON."""
    path = tmp_path / "answer.svg"
    said = say("show", SMALL, "best", "--instance", "test-003", "-o", str(path), "--json", runs=small)
    assert said.code == 0, said.err
    assert path.read_bytes().startswith(b"<?xml")
    assert all(sorted(answer) == list(range(8)) for answer in said.document["answers"].values())


def test_unknown_instance_gets_the_nearest_names(say: Say, small: Path) -> None:
    """An instance that the run does not hold is a usage error with names that it holds."""
    said = say("show", SMALL, "best", "--instance", "test-99", runs=small)
    assert said.code == 2
    assert "did you mean test-0" in said.err


@pytest.mark.slow
def test_explanation_tells_needed_from_idle_statements(say: Say, small: Path) -> None:
    """Without its clock the rule gets worse, without its result it fails, an unused name does nothing."""
    document = say("show", SMALL, "best", "--explain", "--json", runs=small).document
    rows = {row["text"]: row for row in document["statements"]}
    assert rows["time += processing_times[chosen]"]["change_percent"] > 0
    assert rows["return order"]["status"] == "invalid_answer"
    assert rows["return order"]["loss_percent"] is None
    idle = [row for text, row in rows.items() if text.startswith("unused_")]
    assert all(row["change_percent"] == 0 for row in idle)
    assert len(document["strata"]) == 20


@pytest.mark.slow
def test_explanation_in_the_terminal(say: Say, small: Path) -> None:
    """The printed form compares with the start program and keeps brackets of the code."""
    said = say("show", SMALL, "best", "--explain", runs=small)
    assert said.code == 0, said.err
    assert "against its start program, validation split" in said.out
    assert "time += processing_times[chosen]" in said.out
    assert "cannot run without the" in said.out
