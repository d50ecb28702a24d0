"""A start program that is a baseline too has one row in the table of a campaign."""

from __future__ import annotations

import copy
import io
from pathlib import Path
from typing import Any

from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.summary import summarise
from gapsmith.app.views.tables import print_campaign, training_lines
from rich.console import Console


def first_words(summary: dict[str, Any]) -> list[str]:
    """The first two words of each line that is printed of a campaign."""
    text = io.StringIO()
    print_campaign(Console(file=text, width=100), summary)
    return [" ".join(line.split()[:2]) for line in text.getvalue().splitlines()]


def test_a_start_program_among_the_baselines_has_one_row_with_its_name(runs: Path) -> None:
    """With the same figures on every split the two are one; where one split differs they are two programs."""
    folder = runs / "20260102-203301-smtt-aaaa"
    with open_record(folder, checked=False) as record:
        summary = dict(summarise(folder, record.reader))
    assert "start program" in first_words(summary)
    same = copy.deepcopy(summary)
    same["baselines"]["first-come"] = copy.deepcopy(same["start"]["splits"])
    words = first_words(same)
    assert "first-come (start)" in words
    assert "start program" not in words
    assert len([line for line in words if line.startswith("first-come")]) == 1
    grown = copy.deepcopy(same)
    grown["start"]["splits"]["train"] |= {"fitness": -1.0, "instances": 10**6}
    assert "first-come (start)" in first_words(grown)
    same["baselines"]["first-come"]["train"]["fitness"] -= 1e-9
    words = first_words(same)
    assert "start program" in words
    assert len([line for line in words if line.startswith("first-come")]) == 1


def test_a_grown_pool_says_on_which_instances_training_was_measured(runs: Path) -> None:
    """Baselines stay on the first prefix: a line says so, and only then."""
    folder = runs / "20260102-203301-smtt-aaaa"
    with open_record(folder, checked=False) as record:
        summary = copy.deepcopy(dict(summarise(folder, record.reader)))
    assert not any("were measured on the first" in line for line in training_lines(summary))
    fewer = summary["best"]["splits"]["train"]["instances"]
    summary["best"]["splits"]["train"]["instances"] = 8 * fewer
    assert training_lines(summary)[0] == (
        f"training: baselines were measured on the first {fewer} instances, start program and best on the "
        f"{8 * fewer} that the search used at its end"
    )
