"""A task of another tool becomes a problem of one's own, with the checks of its evaluator."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.door.plugins import load_problem
from gapsmith.app.door.takeover import literal, takeover
from gapsmith.app.errors import ProblemError

Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
Make = Callable[..., Path]
CIRCLES = Path(__file__).parents[3] / "examples" / "circle_packing"
EVALUATOR = """
import math, os, subprocess
LIMIT = 2.0
HOME = os.getcwd()
def too_large(size):
    return math.floor(size) > LIMIT
def logged(size):
    open("log", "w").write(str(size))
def both(size):
    logged(size)
    return too_large(size)
def evaluate(path):
    return {"combined_score": 1.0 - both(load(path).radius())}
"""


def test_only_what_computes_is_taken_over(task: Make) -> None:
    """Functions that open files or call such functions stay; constants and imports come as far as needed."""
    taken = takeover(f"openevolve:{task(EVALUATOR)}")
    assert taken.functions == ("too_large",)
    assert set(taken.left) == {"load", "logged", "both", "evaluate"}
    assert taken.imports == "import math"
    assert "LIMIT = 2.0" in taken.checks
    assert "HOME" not in taken.checks
    assert taken.entry == "radius"


ORDERED = """
import functools, os
HERE = os.getcwd()
DATA = HERE + "/data"
def square(x):
    return x * x
NINE = square(3)
class Point:
    def __init__(self, x):
        self.x = x
@functools.lru_cache
def value(x):
    return NINE - Point(x).x
def evaluate(path):
    return {"combined_score": 1.0}
"""


def test_what_is_taken_over_runs(task: Make) -> None:
    """Constants, classes and decorated functions stand in their order; what needs the outside stays away."""
    taken = takeover(f"openevolve:{task(ORDERED)}")
    names: dict[str, Any] = {}
    exec(f"{taken.imports}\n{taken.checks}", names)
    assert names["value"](2) == 7
    assert hasattr(names["value"], "cache_info")
    assert "DATA" not in names


def test_an_evaluator_that_is_no_python_is_named(task: Make) -> None:
    """An evaluator with an error of syntax is the user's error with the path of its file."""
    with pytest.raises(ProblemError, match=r"evaluator\.py: the evaluator is no Python"):
        takeover(f"openevolve:{task('def evaluate(:')}")


def test_a_task_under_home_has_a_digest(task: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task that is named by `~` changes its version with its files, as every task does."""
    folder = task(ORDERED)
    monkeypatch.setenv("HOME", str(folder.parent))
    versions = []
    for text in (ORDERED, EVALUATOR):
        (folder / "evaluator.py").write_text(text)
        versions.append(load_problem(f"openevolve:~/{folder.name}").problem.version)
    assert "" not in versions
    assert versions[0] != versions[1]


@pytest.mark.parametrize("text", ["plain\n", "a '''quoted''' text\n", "back\\slash\n", "ends with '"])
def test_any_text_becomes_source(text: str) -> None:
    """The written literal is the text, whatever quotes it holds."""
    assert eval(literal(text)) == text


def test_written_problem_loads_and_is_unfinished(gapsmith: Gapsmith, tmp_path: Path) -> None:
    """The file loads as a problem, holds the evaluator's checks, and refuses answers until it is finished."""
    words = ("problems", "new", "my-circles", "--from", f"openevolve:{CIRCLES}", "--folder", str(tmp_path))
    done = gapsmith(*words)
    assert done.returncode == 0, done.stderr
    assert "TO DO" in done.stdout
    file = tmp_path / "my_circles.py"
    assert "def faults_of(circles):" in file.read_text()
    assert "importlib" not in file.read_text()
    loaded = load_problem(str(file))
    verdict = loaded.problem.verify(loaded.instances("train", 1)[0], [[0.5, 0.5, 0.5]])
    assert verdict.objective is None
    assert "not finished" in verdict.violations[0]
    assert "EVOLVE-BLOCK-START" in next(iter(loaded.problem.start_programs().values()))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "circle_packing"), "expected openevolve:PATH or skydiscover:PATH or shinka:PATH"),
        (("--from", f"openevolve:{CIRCLES}", "--kind", "rule"), "neither --package nor --kind"),
        (("--from", "openevolve:/no/such/folder"), "no such folder"),
        (("--from", "shinka:/no/such/folder"), "initial.py and evaluate.py"),
    ],
)
def test_wrong_sources_are_named(
    words: tuple[str, ...], said: str, gapsmith: Gapsmith, tmp_path: Path
) -> None:
    """A wrong source is the user's error, and nothing is written."""
    done = gapsmith("problems", "new", "my-circles", *words, "--folder", str(tmp_path))
    assert done.returncode in (2, 3)
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []
