"""Campaigns on a small problem, run in this process or as a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.config import parse

PROBLEM = str(Path(__file__).parent / "flow_time.py")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("GAPSMITH_CACHE", str(folder))
    return folder


@pytest.fixture
def problem() -> str:
    """The small problem's file."""
    return PROBLEM


@pytest.fixture
def campaign(tmp_path: Path) -> Callable[..., tuple[dict[str, Any], Path]]:
    """Runs a campaign in this process; sections as keyword arguments."""

    def run(name: str = "run", **sections: Any) -> tuple[dict[str, Any], Path]:
        sections["campaign"] = {"problem": PROBLEM, **sections.get("campaign", {})}
        sections.setdefault("budget", {"iterations": 30})
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True, exist_ok=True)
        return compose.run(parse(sections, "test"), folder), folder

    return run


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `gapsmith` as a process with its runs in the test's folder."""

    def run(*words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        surroundings = {**os.environ, "GAPSMITH_RUNS": str(tmp_path / "runs"), "COLUMNS": "80"}
        surroundings.pop("OPENAI_API_KEY", None)
        return subprocess.run(
            [sys.executable, "-m", "gapsmith.cli", *words],
            capture_output=True,
            text=True,
            env={**surroundings, **(environment or {})},
            timeout=240,
        )

    return run


@pytest.fixture
def document(command: Callable[..., subprocess.CompletedProcess[str]]) -> Callable[..., dict[str, Any]]:
    """Runs a verb with --json and returns its one document."""

    def run(*words: str) -> dict[str, Any]:
        done = command(*words, "--json")
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run
