"""Small tasks in OpenEvolve's format, one clause or trap each."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.plugins.foreign import evaluate_start, load_foreign
from gapsmith.evaluators.evaluator import execution_seed
from gapsmith.problems.foreign.task import ReportedTask
from gapsmith.sandbox.base import Execution

START = """# EVOLVE-BLOCK-START
def radius():
    \"\"\"How large the circle is.\"\"\"
    size = 0.1 + 0.2
    for step in range(3):
        size = size + 0.01 * step
    return size
# EVOLVE-BLOCK-END


def area():
    return radius() ** 2
"""
LOAD = """import importlib.util
def load(path):
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
"""
EVALUATOR = """
def evaluate(path):
    size = load(path).radius()
    return {"combined_score": -abs(size - 1.0), "artifacts": {"radius": str(size)}}
"""
Make = Callable[..., Path]
Run = Callable[..., Execution]


@pytest.fixture
def task(tmp_path: Path) -> Make:
    """Writes a task: the evaluator's text, its configuration (none by default) and its start program."""

    def make(evaluator: str, config: str = "", start: str = START) -> Path:
        folder = tmp_path / "circle_task"
        folder.mkdir()
        (folder / "initial_program.py").write_text(start)
        (folder / "evaluator.py").write_text(LOAD + evaluator)
        if config:
            (folder / "config.yaml").write_text(config)
        return folder

    return make


@pytest.fixture
def evaluated(task: Make) -> Run:
    """Evaluates a task's start program once, and returns how that ended."""

    def run(evaluator: str, config: str = "", start: str = START) -> Execution:
        problem = load_foreign(f"openevolve:{task(evaluator, config, start)}", {}).problem
        assert isinstance(problem, ReportedTask)
        return evaluate_start(problem, problem.instances("train", 1)[0], execution_seed(1, "train-1"))

    return run


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a task in `circle_task`, a finished campaign on it in `runs` and its output in `out`."""
    place = tmp_path_factory.mktemp("foreign")
    folder = place / "circle_task"
    folder.mkdir()
    (folder / "initial_program.py").write_text(START)
    (folder / "evaluator.py").write_text(LOAD + EVALUATOR)
    words = ["run", f"openevolve:{folder}", "--iterations", "16", "--workers", "2", "--runs", "runs"]
    command = [sys.executable, "-m", "gapsmith.cli", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=place, check=False)
    assert done.returncode == 0, done.stderr
    (place / "out").write_text(done.stdout)
    return place
