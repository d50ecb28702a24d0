"""Tasks of ShinkaEvolve: a program that leaves two files, its shim, and what is shown of its metrics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.errors import ProblemError
from gapsmith.app.plugins.foreign import evaluate_start, load_foreign, with_task_defaults
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


CONFIGURATION = """
max_evaluation_jobs: 2
db_config: {num_islands: 3, migration_interval: 7, archive_size: 40, island_elitism: true}
evo_config:
  task_sys_msg: Grow the circle, says the file.
  num_generations: 12
  max_api_costs: 0.5
  language: python
  llm_models: [gpt-5-mini]
  use_text_feedback: false
  seed_repo_path: ???
job_config: {time: "00:02:30"}
"""


def test_configuration_is_read(shinka: Make) -> None:
    """What means something here becomes a default, also from a file with a suffix; the rest is named."""
    pytest.importorskip("yaml")
    folder = shinka("", "task_sys_msg = 'Not this.'\n")
    (folder / "shinka_small.yaml").write_text(CONFIGURATION)
    problem = loaded(folder)
    found = problem.configuration
    assert problem.statement.startswith("Grow the circle, says the file.")
    assert found.defaults == {
        "budget": {"iterations": 12, "usd": 0.5},
        "archive": {"islands": 3},
    }
    assert (found.timeout, found.artifact_bytes, found.file) == (150.0, 0, "shinka_small.yaml")
    assert found.unused == (
        "max_evaluation_jobs",
        "db_config.migration_interval",
        "db_config.archive_size",
        "db_config.island_elitism",
        "evo_config.llm_models",
        "evo_config.seed_repo_path",
    )
    made, note = with_task_defaults({"campaign": {"problem": f"shinka:{folder}"}})
    assert made["budget"]["iterations"] == 12
    assert "keys of shinka_small.yaml that are not used: max_evaluation_jobs" in note
    assert "no address" in note


def test_statement_of_the_runner_counts_where_the_file_has_none(shinka: Make) -> None:
    """A configuration without a statement leaves that of `run_evo.py`; a time may be a number."""
    pytest.importorskip("yaml")
    folder = shinka("", "task_sys_msg = 'Grow the circle.'\n")
    (folder / "shinka.yaml").write_text("distributed_job_config:\n  time: 00:10:00\n")  # YAML 1.1: a number
    assert loaded(folder).statement.startswith("Grow the circle.")
    assert loaded(folder).configuration.timeout == 600.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("evo_config:\n  language: verilog\n", "expected python"),
        ("evo_config:\n  num_generations: many\n", "num_generations"),
        ("evo_config:\n  max_api_costs: -1\n", "max_api_costs"),
        ("job_config:\n  time: soon\n", "HH:MM:SS"),
        ("[1]", "expected a mapping"),
        ("a: [", "expected YAML"),
    ],
)
def test_wrong_configurations_are_named(text: str, words: str, shinka: Make) -> None:
    """A value that cannot be used is the user's error, with the file and the key."""
    pytest.importorskip("yaml")
    folder = shinka("")
    (folder / "shinka.yaml").write_text(text)
    with pytest.raises(ProblemError, match=r"shinka\.yaml") as caught:
        loaded(folder)
    assert words in str(caught.value)
