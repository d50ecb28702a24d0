"""Runs to look at: true but made without a sandbox."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gapsmith.cli import app
from typer.testing import CliRunner


def _synthetic() -> ModuleType:
    name = "synthetic_run"
    if name not in sys.modules:
        path = Path(__file__).parents[3] / "benchmarks" / "synthetic_run.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture(scope="module", autouse=True)
def lent_slots(slots: Callable[..., Any]) -> Iterator[None]:
    """Campaigns of this folder take sandbox slots that are open already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gapsmith.sandbox.slot.open_sandbox", slots)
        yield


@pytest.fixture(scope="session")
def make_run() -> Callable[..., Path]:
    """A function that writes a run into a new folder: `make_run(folder, candidates=30, model=True, …)`."""
    module = _synthetic()

    def make(folder: Path, **shape: Any) -> Path:
        found: Path = module.make(folder, module.Shape(**shape))
        return found

    return make


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A runs folder with a finished offline run, a finished run of a model and one without any elite."""
    folder = tmp_path_factory.mktemp("runs")
    make_run(folder / "20260102-203301-smtt-aaaa", candidates=60)
    make_run(folder / "20260103-101500-smtt-bbbb", candidates=20, model=True, seed=2)
    make_run(folder / "20260104-090000-smtt-cccc", candidates=3, feasible=False, finished=False)
    return folder


@dataclass(frozen=True)
class Said:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


@pytest.fixture
def say(runs: Path) -> Callable[..., Said]:
    """Runs `gapsmith …` in this process on the prepared runs: `say("show", "latest", width=140)`."""

    def call(*words: str, width: int = 80, runs: Path = runs) -> Said:
        environment = {"GAPSMITH_RUNS": str(runs), "COLUMNS": str(width), "NO_COLOR": "1", "TERM": "dumb"}
        result = CliRunner().invoke(app, list(words), env=environment)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def snapshot() -> Callable[[str, str], None]:
    """Compares a text with the recorded one; `GAPSMITH_SNAPSHOTS=write` records anew."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "snapshots" / f"{name}.txt"
        if os.environ.get("GAPSMITH_SNAPSHOTS") == "write":
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8")

    return compare
