"""The example of circle packing: a campaign improves it, and a kill changes nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.check import check_task

TASK = f"openevolve:{Path(__file__).parents[3] / 'examples' / 'circle_packing'}"
TIMES = ("seconds", "at", "started")


def call(*words: str) -> str:
    """What a command prints."""
    done = subprocess.run([sys.executable, "-m", "gapsmith.cli", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(runs: Path) -> list[dict[str, Any]]:
    """The candidates of the one campaign in a folder, without times."""
    text = call("export", "latest", "--what", "candidates", "--format", "jsonl", "--runs", str(runs))
    documents = [json.loads(line) for line in text.splitlines()]
    return [{k: v for k, v in row.items() if not k.endswith(TIMES)} for row in documents]


def test_example_passes_its_check() -> None:
    """Packages are there, and three evaluations give one score."""
    report = check_task(TASK, {}, lambda line: None)
    assert report.passed
    assert report.measured["score_least"] == report.measured["score_most"]


@pytest.mark.slow
def test_killed_campaign_ends_like_a_whole_one(tmp_path: Path) -> None:
    """Thirty iterations improve the start program; killed in between and resumed, they find the same."""
    words = ["run", TASK, "--workers", "2", "--json", "--runs"]
    whole = json.loads(call(*words, str(tmp_path / "whole")))
    assert whole["iterations"] == 30
    assert whole["best"]["splits"]["test"]["change"] > 0.05
    expected, runs = rows(tmp_path / "whole"), tmp_path / "killed"
    process = subprocess.Popen(
        [sys.executable, "-m", "gapsmith.cli", *words, str(runs)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if any(runs.glob("*/archive.sqlite")) and len(rows(runs)) >= 8:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert 8 <= len(rows(runs)) < len(expected)
    assert (
        json.loads(call("resume", "latest", "--json", "--runs", str(runs)))["best"]["candidate"]
        == (whole["best"]["candidate"])
    )
    assert rows(runs) == expected
