"""What is kept of evaluated baselines, and what is evaluated again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest
from gapsmith.app.config import Config
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.baselines import evaluate_baselines
from gapsmith.app.setup.prepare import setup_over
from gapsmith.app.setup.setup import Setup
from gapsmith.cli import app
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, Score, ScoreStatus
from gapsmith.evolve.executor import EvaluationJob
from typer.testing import CliRunner

Planted = Callable[..., Path]


class Ending:
    """An executor whose executions all end in one way, without a sandbox; it counts its jobs."""

    def __init__(self, setup: Setup, status: ScoreStatus) -> None:
        """Takes whose instances are scored and how each execution ends."""
        self.jobs = 0
        self._setup, self._status = setup, status

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """Ends a job at once."""
        self.jobs += 1
        scores = tuple(
            Score(id, self._status, None, known.value, known.kind, None, None, 0.1, None, "x")
            for id, known in self._setup.evaluator.references.items()
        )
        done: Future[Evaluation] = Future()
        done.set_result(Evaluation(job.split, scores, EvaluationStatus.FAILED, None))
        return done

    def close(self) -> None:
        """Nothing is open."""


def opened(path: Path, **parameters: object) -> Setup:
    """The training split of a problem; its instances are those of 30 jobs whatever the parameters."""
    instances = load_problem(str(path)).instances("train", 1)[:2]
    loaded = load_problem(str(path), parameters)
    return setup_over(loaded, Config(), {"train": instances})


def jobs(setup: Setup, status: ScoreStatus, splits: Sequence[str] = ("train",)) -> int:
    """How many baselines had to be evaluated."""
    executor = Ending(setup, status)
    evaluate_baselines(setup, executor, splits, lambda what, done, total: None)
    return executor.jobs


@pytest.mark.parametrize(
    ("status", "again"),
    [
        (ScoreStatus.TIMEOUT, 2),
        (ScoreStatus.MEMORY, 2),
        (ScoreStatus.CRASHED, 2),
        (ScoreStatus.INFEASIBLE, 0),
        (ScoreStatus.RAISED, 0),
    ],
)
def test_what_the_machine_may_have_spoilt_is_not_kept(
    planted: Planted, status: ScoreStatus, again: int
) -> None:
    """A failure of the machine is evaluated again the next time, one of the program is kept."""
    setup = opened(planted())
    assert jobs(setup, status) == 2
    assert jobs(setup, status) == again


def test_another_verify_or_parameter_is_another_evaluation(planted: Planted) -> None:
    """A corrected `verify` of the same version, or another parameter on the same instances, counts anew."""
    path = planted()
    assert jobs(opened(path), ScoreStatus.INFEASIBLE) == 2
    assert jobs(opened(path), ScoreStatus.INFEASIBLE) == 0
    assert jobs(opened(path, machines=7), ScoreStatus.INFEASIBLE) == 2
    corrected = planted(("Verdict.valid(max(loads))", "Verdict.valid(loads[0])"))
    assert jobs(opened(corrected), ScoreStatus.INFEASIBLE) == 2


def test_a_failed_baseline_says_why(planted: Planted) -> None:
    """The first instance that failed and its message stand in the document and under the table."""
    path = str(planted(("    return plan\n'''\n\nMOVES", "    return plan[1:]\n'''\n\nMOVES")))
    words = ["baselines", path, "--split", "train", "--workers", "1"]
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)["baselines"]
    assert found["shortest-first"]["failure"] is None
    failure = found["longest-first"]["failure"]
    assert (failure["instance"], failure["status"]) == ("train-000", "invalid_answer")
    assert "expected a list of 30 machines" in failure["message"]
    shown = CliRunner().invoke(app, words).stdout
    assert f"longest-first failed on train-000: invalid_answer: {failure['message']}" in shown
