"""Tasks of ShinkaEvolve: a program that leaves two files, its shim, and what is shown of its metrics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.door.foreign import evaluate_start, load_foreign
from gapsmith.problems.foreign.task import ReportedTask
from gapsmith.sandbox.base import Execution, ExecutionStatus

START = """# EVOLVE-BLOCK-START
def radius():
    return 0.3
# EVOLVE-BLOCK-END


def run_experiment(random_inputs=None):
    return radius()
"""
WITH_SHIM = """
import argparse
from shinka.core import run_shinka_eval

def aggregate(results):
    score = sum(results) / len(results)
    return {"combined_score": score, "public": {"runs": len(results)}, "private": {"key": 7},
            "text_feedback": "grow it"}

def main(program_path, results_dir):
    run_shinka_eval(
        program_path=program_path, results_dir=results_dir, experiment_fn_name="run_experiment", num_runs=2,
        get_experiment_kwargs=lambda n: {"random_inputs": n},
        validate_fn=lambda result: (result < %s, "too large"), aggregate_metrics_fn=aggregate,
    )

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", default="initial.py")
    parser.add_argument("--results_dir", default="results")
    arguments = parser.parse_args()
    main(arguments.program_path, arguments.results_dir)
"""
Make = Callable[..., Path]


@pytest.fixture
def shinka(tmp_path: Path) -> Make:
    """Writes a task of ShinkaEvolve: evaluator, and the text of `run_evo.py`."""

    def make(evaluator: str, runner: str = "") -> Path:
        folder = tmp_path / "circle_task"
        folder.mkdir()
        (folder / "initial.py").write_text(START)
        (folder / "evaluate.py").write_text(evaluator)
        if runner:
            (folder / "run_evo.py").write_text(runner)
        return folder

    return make


def loaded(folder: Path) -> ReportedTask:
    """The task as a problem."""
    problem = load_foreign(f"shinka:{folder}", {}).problem
    assert isinstance(problem, ReportedTask)
    return problem


def evaluated(folder: Path) -> Execution:
    """One evaluation of the start program."""
    problem = loaded(folder)
    return evaluate_start(problem, problem.instances("train", 1)[0])


def test_public_metrics_and_feedback_are_shown_private_ones_not(shinka: Make) -> None:
    """The shim runs the program twice; the private metric stays in the workshop."""
    done = evaluated(shinka(WITH_SHIM % "1.0"))
    assert done.answer == {
        "metrics": {"runs": 2, "combined_score": 0.3},
        "artifacts": {"text_feedback": "grow it"},
        "stages": 1,
    }


def test_incorrect_is_a_failure_with_a_reason(shinka: Make) -> None:
    """A program that the evaluator calls incorrect has no score."""
    done = evaluated(shinka(WITH_SHIM % "0.1"))
    assert done.status is ExecutionStatus.RAISED
    assert "too large" in (done.error or "")


@pytest.mark.parametrize(
    "runner",
    [
        "MESSAGE = 'Grow the circle.'\nconfig = EvolutionConfig(task_sys_msg=MESSAGE)\n",
        "config = EvolutionConfig(task_sys_msg='Grow the circle.')\n",
        "task_sys_msg = 'Grow the circle.'\nraise SystemExit\n",
    ],
)
def test_statement_comes_from_the_runner_which_is_not_run(runner: str, shinka: Make) -> None:
    """`run_evo.py` is read and never run."""
    assert loaded(shinka("", runner)).statement.startswith("Grow the circle.")
