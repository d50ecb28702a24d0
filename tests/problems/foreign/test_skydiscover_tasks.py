"""What differs in SkyDiscover's tasks: the evaluator's folder, texts, errors and a missing score."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.plugins.foreign import evaluate_start, load_foreign, source_of_task
from gapsmith.problems.foreign.task import ReportedTask
from gapsmith.sandbox.base import Execution, ExecutionStatus

Gapsmith = Callable[..., "subprocess.CompletedProcess[str]"]
Make = Callable[..., Path]


@pytest.fixture
def moved(task: Make) -> Callable[[str], Path]:
    """Writes a task whose evaluator, with a neighbour, stands in a folder `evaluator`."""

    def make(evaluator: str) -> Path:
        folder = task(evaluator)
        (folder / "evaluator").mkdir()
        (folder / "evaluator.py").rename(folder / "evaluator" / "evaluator.py")
        (folder / "evaluator" / "neighbour.py").write_text("FACTOR = 2\n")
        return folder

    return make


def evaluated(folder: Path) -> Execution:
    """One evaluation of the start program."""
    problem = load_foreign(f"skydiscover:{folder}", {}).problem
    assert isinstance(problem, ReportedTask)
    return evaluate_start(problem, problem.instances("train", 1)[0])


def test_texts_are_artifacts_and_neighbours_are_found(moved: Callable[[str], Path]) -> None:
    """The evaluator's own folder comes first among those that modules are imported from."""
    done = evaluated(
        moved(
            "import neighbour\ndef evaluate(path):\n"
            "    return {'combined_score': neighbour.FACTOR * load(path).radius(), 'note': 'fine'}"
        )
    )
    assert done.answer == {
        "metrics": {"combined_score": pytest.approx(0.66)},
        "artifacts": {"note": "fine"},
        "stages": 1,
    }


def test_missing_score_is_zero_and_an_error_is_a_failure(moved: Callable[[str], Path]) -> None:
    """Without `combined_score` a program has the score 0; with `error` it has none."""
    folder = moved("def evaluate(path): return {'runs': 3}")
    done = evaluated(folder)
    assert isinstance(done.answer, dict)
    assert done.answer["metrics"] == {"combined_score": 0.0, "runs": 3}
    before = source_of_task(f"skydiscover:{folder}").digest
    file = folder / "evaluator" / "evaluator.py"
    file.write_text("def evaluate(path): return {'combined_score': 1, 'error': 'too slow'}")
    assert source_of_task(f"skydiscover:{folder}").digest != before
    done = evaluated(folder)
    assert done.status is ExecutionStatus.RAISED
    assert "too slow" in (done.error or "")


def test_verbs_take_the_name(moved: Callable[[str], Path], gapsmith: Gapsmith) -> None:
    """`problems show` and `check` accept `skydiscover:PATH`; OpenEvolve's rules refuse the folder."""
    folder = moved("def evaluate(path): return {'combined_score': load(path).radius()}")
    assert "circle-task" in gapsmith("problems", "show", f"skydiscover:{folder}").stdout
    assert gapsmith("problems", "check", f"skydiscover:{folder}").returncode == 0
    refused = gapsmith("problems", "show", f"openevolve:{folder}")
    assert refused.returncode == 3
    assert "no evaluator.py" in refused.stderr
