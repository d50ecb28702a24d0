"""Campaigns on a small problem, run in this process or as a process of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.config import parse

Done = subprocess.CompletedProcess[str]
PROBLEM = str(Path(__file__).parent / "flow_time.py")


@pytest.fixture(scope="module", autouse=True)
def lent_slots(slots: Callable[..., Any]) -> Iterator[None]:
    """Campaigns of this folder take sandbox slots that are open already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gapsmith.sandbox.slot.open_sandbox", slots)
        yield


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
        sections.setdefault("run", {"workers": 1})
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True, exist_ok=True)
        return compose.run(parse(sections, "test"), folder), folder

    return run


@pytest.fixture
def command(tmp_path: Path, gapsmith: Callable[..., Done]) -> Callable[..., Done]:
    """Runs `gapsmith` with its runs in the test's folder."""

    def run(*words: str, **environment: str) -> Done:
        surroundings = {"GAPSMITH_RUNS": str(tmp_path / "runs"), "COLUMNS": "80", "OPENAI_API_KEY": None}
        return gapsmith(*words, **{**surroundings, **environment})

    return run


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished campaign of four iterations, for tests that look at one; not to be changed."""
    place = tmp_path_factory.mktemp("finished")
    folder = place / "runs" / "20260101-000000-smtt-aaaa"
    folder.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(place / "cache"))
        compose.run(parse({"campaign": {"problem": PROBLEM}, "budget": {"iterations": 4}}, "test"), folder)
    return folder


@pytest.fixture
def finished(finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the finished campaign among the test's runs, for the user who made it."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(finished_run.parents[1] / "cache"))
    return Path(shutil.copytree(finished_run, tmp_path / "runs" / finished_run.name))


@pytest.fixture
def document(command: Callable[..., Done]) -> Callable[..., dict[str, Any]]:
    """Runs a verb with --json and returns its one document."""

    def run(*words: str) -> dict[str, Any]:
        done = command(*words, "--json")
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run
