"""The tables of the documentation come from the programs that ship."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.smtt import smtt
from gapsmith.problems.smtt.verification import total_tardiness

PAGE = Path(__file__).parents[3] / "docs" / "benchmarks" / "smtt.md"
Load = Callable[[Any, str], Callable[..., list[int]]]


def row(jobs: int, baseline: str) -> tuple[float, float, int]:
    """Mean of ratios and ratio of sums (percent) and number solved, as the page prints them."""
    section = PAGE.read_text().split(f"## n = {jobs},")[1].split("\n## ")[0]
    cells = re.search(rf"^\| {re.escape(baseline)} \|(.+)\|$", section, re.MULTILINE)
    assert cells is not None
    columns = [cell.strip() for cell in cells[1].split("|")]
    return float(columns[0]), float(columns[2]), int(columns[3].split()[0])


@pytest.mark.parametrize(
    ("jobs", "baseline"),
    [
        (20, "edd"),
        (20, "eddc"),
        (20, "mddc"),
        (20, "mdd-insertion"),
        (50, "mdd"),
        (100, "psk"),
        (100, "eddc"),
    ],
)
def test_printed_rows_are_what_the_programs_give(function: Load, jobs: int, baseline: str) -> None:
    """Recomputed on all instances of the set, to the printed digits."""
    program = function(smtt.problem(), baseline)
    values, optima = [], []
    for instance in smtt.problem().instances(f"n={jobs}", 0):
        reference = smtt.references.shipped(instance)  # type: ignore[union-attr]
        assert reference is not None
        optima.append(int(reference.value))
        values.append(total_tardiness(instance.public, program(**instance.public)))
    ratios = [100 * (v / o - 1) for v, o in zip(values, optima, strict=True) if o]
    printed = row(jobs, baseline)
    assert printed[0] == pytest.approx(sum(ratios) / len(ratios), abs=0.0051)
    assert printed[1] == pytest.approx(100 * (sum(values) / sum(optima) - 1), abs=0.0051)
    assert printed[2] == sum(v == o for v, o in zip(values, optima, strict=True))
