"""The same seed and configuration give the same archive, whatever the number of workers."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPLY = """Weights matter more.
```python
def order(times, weights):
    return sorted(range(len(times)), key=lambda j: times[j] - {factor} * weights[j])
```
"""

CONTENT = {
    "iterations": "iteration, island, parents, inspirations, candidate, rejection, excerpt, origin, "
    "operator, told, added",
    "candidates": "id, iteration, island, origin, operator, files, description",
    "parents": "candidate, position, parent",
    "evaluations": "program, split, status, fitness, executions, evaluator",
    "events": "iteration, kind, data",
    "instances": "*",
}
"""What two stores are compared by: everything but times (prompts tell a model CPU times)."""


def content(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a store but timestamps and timings, in an order of their own."""
    database = sqlite3.connect(folder / "archive.sqlite")
    found = {t: sorted(database.execute(f"SELECT {c} FROM {t}"), key=repr) for t, c in CONTENT.items()}
    found["scores"] = sorted(
        database.execute(
            "SELECT program, split, position, e.status, objective, excess, gap, answer FROM executions e "
            "JOIN evaluations ON evaluations.id = e.evaluation"
        ),
        key=repr,
    )
    database.close()
    return found


@pytest.mark.parametrize("workers", [pytest.param(2, marks=pytest.mark.slow), 4])
def test_offline_archive_is_the_same_for_any_number_of_workers(
    campaign: Callable[..., tuple[dict[str, Any], Path]], workers: int
) -> None:
    """Stores of one and of several workers hold the same rows."""
    first, one = campaign("one", run={"workers": 1})
    second, many = campaign("many", run={"workers": workers})
    assert first["iterations"] == second["iterations"] == 30
    assert content(one) == content(many)


@pytest.mark.slow
def test_scripted_model_gives_the_same_archive_for_any_number_of_workers(
    campaign: Callable[..., tuple[dict[str, Any], Path]], tmp_path: Path
) -> None:
    """Replies from a script are told in the order of asking."""
    script = tmp_path / "replies.json"
    script.write_text(json.dumps([REPLY.format(factor=n) for n in range(1, 13)]))
    sections = {"model": [{"spec": f"scripted/{script}"}], "budget": {"iterations": 12}}
    first, one = campaign("one", run={"workers": 1}, **sections)
    _, many = campaign("many", run={"workers": 4}, **sections)
    assert first["evaluations"] > 5
    assert content(one) == content(many)


def test_seconds_end_the_same_trajectory_earlier(
    campaign: Callable[..., tuple[dict[str, Any], Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a time budget tells is a prefix of what a longer run tells."""
    monkeypatch.setattr("gapsmith.app.compose.keep_preparation", lambda store, began: None)
    long, whole = campaign("long", budget={"iterations": 60})
    short, part = campaign("short", budget={"iterations": 60, "seconds": 0.3})
    assert short["stop_reason"] == "seconds"
    assert short["iterations"] < long["iterations"]
    told = {row[0]: row for row in content(whole)["iterations"]}
    rows = content(part)["iterations"]
    assert rows
    assert all(told[row[0]] == row for row in rows)
