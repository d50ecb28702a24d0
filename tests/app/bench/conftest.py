"""Workbenches on a small problem, in this process or as processes of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.bench.creation import open_bench
from gapsmith.app.bench.workbench import Workbench
from gapsmith.app.config import parse

Done = subprocess.CompletedProcess[str]
PROBLEM = str(Path(__file__).parents[1] / "campaign" / "flow_time.py")


@pytest.fixture(scope="module", autouse=True)
def lent_slots(slots: Callable[..., Any]) -> Iterator[None]:
    """Workbenches of this folder take sandbox slots that are open already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gapsmith.sandbox.slot.open_sandbox", slots)
        yield


@pytest.fixture(scope="session")
def opened_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workbench that was just opened, for copies; not to be changed."""
    place = tmp_path_factory.mktemp("opened")
    folder = place / "runs" / "20260101-000000-flow-time-aaaa"
    folder.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(place / "cache"))
        document = {"campaign": {"problem": PROBLEM}, "budget": {"iterations": 40}, "run": {"workers": 1}}
        open_bench(parse(document, "test"), folder, experiment_cpu_seconds=60.0)
    return folder


@pytest.fixture
def folder(opened_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the open workbench among the test's runs, for the user who opened it."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(opened_run.parents[1] / "cache"))
    monkeypatch.setenv("GAPSMITH_RUNS", str(tmp_path / "runs"))
    return Path(shutil.copytree(opened_run, tmp_path / "runs" / opened_run.name))


@pytest.fixture
def bench(folder: Path) -> Workbench:
    """The Python object over that workbench."""
    return Workbench(folder, wait=60.0)


@pytest.fixture
def document(gapsmith: Callable[..., Done], folder: Path) -> Callable[..., dict[str, Any]]:
    """Runs a verb with --json and returns its one document."""

    def run(*words: str) -> dict[str, Any]:
        done = gapsmith(*words, "--json", COLUMNS="80")
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    return run
