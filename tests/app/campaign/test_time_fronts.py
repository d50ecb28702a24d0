"""Campaigns that time steers: recorded times decide, so that resume and replay take the same course."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.replay import cells, replay
from gapsmith.app.config import parse
from gapsmith.app.runs.record import open_record
from gapsmith.sandbox.base import MAIN_FILE

FAST = (
    "def order(times, weights):\n    return sorted(range(len(times)), key=lambda j: times[j] / weights[j])\n"
)
SLOW = FAST.replace("    return", "    for _ in range(900_000):\n        pass\n    return")


def _config(problem: str, iterations: int, **archive: Any) -> Any:
    return parse(
        {
            "campaign": {"problem": problem},
            "budget": {"iterations": iterations},
            "search": {"founders": "start", "fresh_share": 0.3},
            "archive": {"measures": ["time", "size"], "islands": 1, **archive},
        },
        "test",
    )


@pytest.mark.slow
def test_a_slow_twin_loses_to_the_fast_heuristic_and_the_replay_holds(problem: str, tmp_path: Path) -> None:
    """Slow and fast copy of one optimal rule: both classes start, the fast one alone is named."""
    folder = tmp_path / "runs" / "fronts"
    folder.mkdir(parents=True)
    starts = {"slow": {MAIN_FILE: SLOW}, "fast": {MAIN_FILE: FAST}}
    found = compose.run(_config(problem, 6), folder, start=starts)
    assert found["steered_by_time"]
    with open_record(folder) as record:
        named = [record.candidate(row["candidate"]) for row in found["champions"] if row["candidate"]]
        held = {id for id, _ in cells(record).values()}
        slow, fast = record.reader.record("starts")
    assert all("900_000" not in candidate.files[MAIN_FILE] for candidate in named)
    assert {slow, fast} <= held
    document = replay(folder)
    assert document["differences"] == []
    assert document["iterations"] == 6


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_as_it_began(problem: str, tmp_path: Path) -> None:
    """The archive that a resume rebuilds from recorded times is the archive of the end."""
    folder = tmp_path / "runs" / "resumed"
    folder.mkdir(parents=True)
    compose.run(_config(problem, 4), folder)
    compose.run(_config(problem, 8), folder)
    assert replay(folder)["differences"] == []


def test_the_option_makes_time_a_measure(command: Callable[..., Any], problem: str, tmp_path: Path) -> None:
    """`--fronts time` puts it into the stored configuration."""
    done = command("run", problem, "--fronts", "time", "--iterations", "1", "--json")
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    with open_record(folder) as record:
        assert record.config["archive"]["measures"] == ["time", "size"]
