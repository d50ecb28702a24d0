"""What an evaluator measured is kept for each execution and shown for each split."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.record import MetricValues
from gapsmith.evaluators.base import checked_metrics
from gapsmith.evaluators.reported import metrics_of

from .conftest import LOAD, START

Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
EVALUATOR = """
import random
def evaluate(path):
    size = load(path).radius()
    noise = random.random()
    return {
        "combined_score": -abs(size - 1.0), "noise": noise, "half": noise / 2, "label": "fine [bold]",
        "worst": float("inf"), "passed": True, "artifacts": {"radius": str(size)},
    }
"""
NAMES = ["combined_score", "noise", "half", "label", "worst", "passed"]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a short campaign in `runs`, on a task whose metrics differ from run to run."""
    place = tmp_path_factory.mktemp("measured")
    folder = place / "noisy_task"
    folder.mkdir()
    (folder / "initial_program.py").write_text(START)
    (folder / "evaluator.py").write_text(LOAD + EVALUATOR)
    words = ["run", f"openevolve:{folder}", "--iterations", "3", "--runs", "runs"]
    command = [sys.executable, "-m", "gapsmith.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=place, check=False)
    assert done.returncode == 0, done.stderr
    return place / "runs"


@pytest.mark.slow
def test_every_execution_has_its_metrics(measured: Path, gapsmith: Gapsmith) -> None:
    """The export holds each repetition's own values; what is half of another metric is so in every row."""
    done = gapsmith("export", "latest", "--what", "scores", "--format", "jsonl", "--runs", str(measured))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(list(row["metrics"]) == NAMES for row in rows)
    assert all(row["metrics"]["half"] * 2 == row["metrics"]["noise"] for row in rows)
    assert all(row["metrics"]["combined_score"] == row["objective_number"] for row in rows)
    assert {(row["metrics"]["worst"], row["metrics"]["passed"]) for row in rows} == {("inf", True)}
    mine = [row for row in rows if row["program"] == rows[0]["program"]]
    assert len({row["metrics"]["noise"] for row in mine}) == len(mine) > 3


def test_show_prints_mean_and_spread(measured: Path, gapsmith: Gapsmith) -> None:
    """One value where there is one, mean and spread over repetitions; the document has the same figures."""
    place = ("--runs", str(measured))
    done = gapsmith("show", "latest", "best", "--json", *place)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    values = [r["metrics"]["noise"] for r in document["instances"] if r["split"] == "valid"]
    noise = document["metrics"]["valid"]["noise"]
    assert (noise["executions"], noise["least"], noise["most"]) == (3, min(values), max(values))
    assert noise["mean"] == pytest.approx(sum(values) / 3)
    label = document["metrics"]["train"]["label"]
    assert label == {"executions": 1, "mean": None, "least": None, "most": None}
    text = gapsmith("show", "latest", "best", *place).stdout
    assert "reported metrics (unverified)" in text
    assert f"{noise['mean']:.5g} ({noise['least']:.4g} to" in " ".join(text.split())
    assert "fine [bold]" in text


def test_a_record_without_metrics_is_shown(measured: Path, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """The store of a version that kept none is read, and shows scores alone."""
    shutil.copytree(measured, tmp_path / "runs")
    store = next((tmp_path / "runs").glob("*/*.sqlite"))
    with sqlite3.connect(store) as opened:
        opened.execute("DROP TABLE operations")
        opened.execute("ALTER TABLE executions DROP COLUMN metrics")
        opened.execute("PRAGMA user_version = 3")
    done = gapsmith("show", "latest", "best", "--runs", str(tmp_path / "runs"))
    assert done.returncode == 0, done.stderr
    assert "reported score (unverified)" in done.stdout
    assert "reported metrics" not in done.stdout


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1e999}', '{"a": [1]}', '{"a": null}', "[1]"])
def test_forged_metrics_are_damage(text: str, measured: Path, gapsmith: Gapsmith, tmp_path: Path) -> None:
    """Values that no run stores are named as damage."""
    shutil.copytree(measured, tmp_path / "runs")
    store = next((tmp_path / "runs").glob("*/*.sqlite"))
    with sqlite3.connect(store) as opened:
        opened.execute("UPDATE executions SET metrics = ?", (text,))
    done = gapsmith("show", "latest", "best", "--runs", str(tmp_path / "runs"))
    assert done.returncode == 3
    assert "the record is damaged: metric" in done.stderr


class Forging:
    """A problem whose evaluator reports too much."""

    def metrics(self, answer: Any) -> dict[str, Any]:
        """Long, many and odd values."""
        return {f"{n}\x1b[31m{'x' * 500}": {"float": "nan"} if n else "y" * 5000 for n in range(300)}


def test_metrics_are_cleaned_and_capped() -> None:
    """Names and texts lose what nobody sees and what is over their caps; the form stands its own check."""
    found = metrics_of(Forging(), {})  # type: ignore[arg-type]
    assert len(found) == 200
    assert max(map(len, found)) == 100
    assert not any("\x1b" in name for name in found)
    assert set(found.values()) == {"nan", "y" * 200}
    assert checked_metrics(json.loads(json.dumps(found))) == found


def test_cells_of_metrics() -> None:
    """Numbers give mean and spread, everything else its different values."""
    assert MetricValues((1, 1.0)).cell == "1"
    assert MetricValues((1, 2.5)).cell == "1.75 (1 to 2.5)"
    assert MetricValues((True, True)).cell == "True"
    assert MetricValues(("a", "b", "a")).cell == "a | b"
    assert MetricValues((1.0, "inf")).cell == "1.0 | inf"
    assert MetricValues((1e308, 1e308)).as_json()["mean"] == 1e308
