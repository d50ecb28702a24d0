"""A time budget decides who may be champion, and nothing else; a replay takes times from the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.replay import replay
from gapsmith.app.config import parse
from gapsmith.sandbox.base import MAIN_FILE

QUICK = "def order(times, weights):\n    return sorted(range(len(times)), key=lambda j: times[j])\n"
GOOD = """def order(times, weights):
    total = 0
    for number in range(1_500_000):
        total += number
    return sorted(range(len(times)), key=lambda j: times[j] / weights[j])
"""


def _run(problem: str, folder: Path, **evaluation: Any) -> dict[str, Any]:
    folder.mkdir(parents=True)
    config = {
        "campaign": {"problem": problem},
        "budget": {"iterations": 2},
        "search": {"founders": "start"},
        "evaluation": evaluation,
    }
    starts = {"quick": {MAIN_FILE: QUICK}, "good": {MAIN_FILE: GOOD}}
    return compose.run(parse(config, "test"), folder, start=starts)


@pytest.mark.slow
def test_a_slow_program_is_champion_only_without_a_time_budget(problem: str, tmp_path: Path) -> None:
    """The optimal rule that wastes time wins without a budget; within one a quick program does."""
    free = _run(problem, tmp_path / "runs" / "free")
    assert free["best"]["splits"]["valid"]["solved"] == 2
    assert free["time_budget_seconds"] is None
    bound, folder = _run(problem, tmp_path / "runs" / "bound", time_budget=0.02), tmp_path / "runs" / "bound"
    floor = bound["timing"]["floor_seconds"]
    assert bound["best"]["splits"]["valid"]["cpu_seconds_mean"] - floor <= 0.02
    assert all(row["splits"]["test"] is not None for row in bound["champions"] if row["candidate"])
    assert replay(folder)["differences"] == []


@pytest.mark.slow
def test_a_budget_that_nobody_keeps_leaves_no_champion(problem: str, tmp_path: Path) -> None:
    """A campaign of slow programs alone has no best candidate under a millisecond."""
    folder = tmp_path / "runs" / "none"
    folder.mkdir(parents=True)
    config = {
        "campaign": {"problem": problem},
        "budget": {"iterations": 1},
        "search": {"founders": "start", "fresh_share": 0.0},
        "evaluation": {"time_budget": 1e-9},
    }
    found = compose.run(parse(config, "test"), folder, start={"good": {MAIN_FILE: GOOD}})
    assert found["best"] is None
    assert found["headline"]["text"].startswith("no feasible candidate within ")
