"""What OpenEvolve's evaluators and configurations mean here, clause by clause."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.errors import UserError
from gapsmith.app.plugins.foreign import evaluate_start, load_foreign, start_score
from gapsmith.evaluators.evaluator import execution_seed
from gapsmith.problems.foreign.driver import fitness_of, plain
from gapsmith.problems.foreign.task import ReportedTask, entry_of
from gapsmith.sandbox.base import Execution, ExecutionStatus

Make = Callable[..., Path]
Run = Callable[..., Execution]


def metrics_of(execution: Execution) -> dict[str, Any]:
    """Metrics that an evaluation reported."""
    assert execution.status is ExecutionStatus.OK, execution
    assert isinstance(execution.answer, dict)
    return execution.answer["metrics"]  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("metrics", "features", "score"),
    [
        ({"combined_score": 0.5, "valid": 7}, (), 0.5),
        ({"combined_score": "0.25"}, (), 0.25),
        ({"combined_score": True, "x": 9}, (), 1.0),
        ({"combined_score": "none", "x": 2, "y": 4}, (), 3.0),
        ({"x": 2, "ok": True, "name": "a", "lost": float("nan")}, (), 2.0),
        ({"x": 2, "complexity": 100}, ("complexity",), 2.0),
        ({"complexity": 100}, ("complexity",), 100.0),
        ({"name": "a"}, (), 0.0),
        ({"x": float("inf")}, (), math.inf),
        ({}, (), 0.0),
    ],
)
def test_fitness_rule(metrics: dict[str, Any], features: tuple[str, ...], score: float) -> None:
    """`combined_score` where it is a number, else the mean of numbers that are no features, else of all."""
    assert fitness_of({name: plain(value) for name, value in metrics.items()}, features) == score


def test_results_of_every_form(evaluated: Run) -> None:
    """Numpy scalars, texts, booleans and values that are not finite come through."""
    metrics = metrics_of(
        evaluated(
            "import numpy\n"
            "def evaluate(path):\n"
            "    r = load(path).radius()\n"
            "    return {'combined_score': numpy.float64(r), 'n': numpy.int64(3), 'ok': numpy.bool_(True),\n"
            "            'nan': float('nan'), 'inf': float('-inf'), 'text': 'x', 'none': None,\n"
            "            'big': 10**400}"
        )
    )
    assert metrics["combined_score"] == pytest.approx(0.33)
    assert (metrics["n"], metrics["ok"], metrics["text"]) == (3, True, "x")
    assert (metrics["nan"], metrics["inf"], metrics["big"]) == (
        {"float": "nan"},
        {"float": "-inf"},
        {"float": "inf"},
    )


def test_result_class_coroutine_and_artifacts(evaluated: Run) -> None:
    """An object of OpenEvolve's own class is read, a coroutine awaited, artifacts are texts within a cap."""
    done = evaluated(
        "from openevolve.evaluation_result import EvaluationResult\n"
        "async def evaluate(path):\n"
        "    return EvaluationResult({'combined_score': 1}, {'log': b'bytes', 'long': 'x' * 90000})"
    )
    assert isinstance(done.answer, dict)
    assert done.answer["metrics"] == {"combined_score": 1}
    artifacts: Any = done.answer["artifacts"]
    assert artifacts["log"] == "bytes"
    assert len(artifacts["long"]) < 20_000


def test_artifacts_of_a_dictionary_are_no_metrics(evaluated: Run) -> None:
    """A nested dictionary `artifacts` is split off."""
    done = evaluated("def evaluate(path):\n    return {'score': 2.0, 'artifacts': {'note': 'hello'}}")
    assert done.answer == {"metrics": {"score": 2.0}, "artifacts": {"note": "hello"}, "stages": 1}


def test_program_can_be_imported_by_name_and_neighbours_too(task: Make) -> None:
    """The program's name is an identifier, and the evaluator's folder is on the path."""
    folder = task(
        "import os, sys, neighbour\n"
        "def evaluate(path):\n"
        "    sys.path.insert(0, os.path.dirname(path))\n"
        "    module = __import__(os.path.splitext(os.path.basename(path))[0])\n"
        "    assert os.path.exists(os.path.join(os.path.dirname(__file__), 'neighbour.py'))\n"
        "    return {'combined_score': neighbour.twice(module.radius())}"
    )
    (folder / "neighbour.py").write_text("def twice(x):\n    return 2 * x\n")
    problem = load_foreign(f"openevolve:{folder}", {}).problem
    assert isinstance(problem, ReportedTask)
    assert start_score(problem, problem.instances("train", 1)[0]) == pytest.approx(0.66)


STAGES = """
def evaluate_stage1(path):
    return {"combined_score": %s, "one": 1}
def evaluate_stage2(path):
    %s
def evaluate_stage3(path):
    return {"combined_score": 0.9, "three": 1, "error": 5}
def evaluate(path):
    return {"combined_score": 100}
"""


@pytest.mark.parametrize(
    ("first", "second", "expected", "stages"),
    [
        ("0.4", "return {}", {"combined_score": 0.4, "one": 1}, 1),
        ("0.5", "return {'combined_score': 0.7}", {"combined_score": 0.7, "one": 1}, 2),
        ("0.5, 'error': 2", "return {'combined_score': 0.7}", {"combined_score": 0.7, "one": 1}, 2),
        (
            "0.5",
            "return {'combined_score': 0.75, 'error': 3}",
            {"combined_score": 0.9, "one": 1, "three": 1},
            3,
        ),
        (
            "0.6",
            "raise ValueError('late')",
            {"combined_score": 0.6, "one": 1, "stage2_passed": 0.0},
            1,
        ),
        (
            "0.6",
            "import os; os._exit(1)",
            {"combined_score": 0.6, "one": 1, "stage2_passed": 0.0},
            1,
        ),
    ],
)
def test_cascade(first: str, second: str, expected: dict[str, Any], stages: int, evaluated: Run) -> None:
    """A stage is run from its threshold on; numbers are merged, and a failure leaves the earlier ones."""
    done = evaluated(STAGES % (first, second))
    assert metrics_of(done) == expected
    assert isinstance(done.answer, dict)
    assert done.answer["stages"] == stages


def test_cascade_can_be_off(evaluated: Run) -> None:
    """Without the cascade `evaluate` is called, though there are stages."""
    pytest.importorskip("yaml")
    done = evaluated(STAGES % ("0.4", "return {}"), "evaluator:\n  cascade_evaluation: false\n")
    assert metrics_of(done) == {"combined_score": 100}


def test_exceptions_are_tried_again(evaluated: Run) -> None:
    """An evaluator that fails twice is called a third time."""
    done = evaluated(
        "calls = []\ndef evaluate(path):\n    calls.append(1)\n"
        "    if len(calls) < 3: raise RuntimeError('shy')\n    return {'combined_score': len(calls)}"
    )
    assert metrics_of(done) == {"combined_score": 3}


@pytest.mark.parametrize(
    ("evaluator", "status"),
    [
        ("def evaluate(path): raise RuntimeError('always')", ExecutionStatus.RAISED),
        ("def evaluate(path): return 3", ExecutionStatus.RAISED),
        ("def evaluate(path:", ExecutionStatus.RAISED),
        ("", ExecutionStatus.RAISED),
    ],
)
def test_failures_have_no_score(evaluator: str, status: ExecutionStatus, evaluated: Run) -> None:
    """A failure is a reason and no score of 0, which would be the best of negative scores."""
    done = evaluated(evaluator)
    assert done.status is status
    assert done.answer is None


@pytest.mark.slow
def test_time_limit_of_the_configuration(evaluated: Run) -> None:
    """`evaluator.timeout` ends an evaluation."""
    pytest.importorskip("yaml")
    done = evaluated("import time\ndef evaluate(path): time.sleep(60)", "evaluator:\n  timeout: 1\n")
    assert done.status is ExecutionStatus.TIMEOUT


def test_score_that_is_not_finite_is_a_failure(task: Make) -> None:
    """Infinity and NaN are no scores."""
    folder = task("def evaluate(path): return {'combined_score': float('inf')}")
    problem = load_foreign(f"openevolve:{folder}", {}).problem
    assert isinstance(problem, ReportedTask)
    with pytest.raises(UserError, match="expected a finite number"):
        start_score(problem, problem.instances("train", 1)[0])


@pytest.mark.parametrize(
    "evaluator",
    [
        "import package_that_is_missing\ndef evaluate(path): return {}",
        "def evaluate(path):\n    try:\n        import package_that_is_missing\n"
        "    except Exception as error:\n        return {'combined_score': 0.0, 'error': str(error)}",
    ],
)
def test_missing_package_is_named(evaluator: str, task: Make) -> None:
    """Also where an evaluator reports it as a score of 0: the package, and the command that installs it."""
    problem = load_foreign(f"openevolve:{task(evaluator)}", {}).problem
    assert isinstance(problem, ReportedTask)
    with pytest.raises(UserError, match="package_that_is_missing") as caught:
        start_score(problem, problem.instances("train", 1)[0])
    assert caught.value.code == 4
    assert "-m pip install package_that_is_missing" in (caught.value.hint or "")


def test_repeats_are_seeded(task: Make) -> None:
    """The same repetition has the same random numbers, another one others."""
    folder = task("import random\ndef evaluate(path): return {'combined_score': random.random()}")
    problem = load_foreign(f"openevolve:{folder}", {}).problem
    assert isinstance(problem, ReportedTask)
    one, other = problem.instances("valid", 1)[:2]
    scores = [
        metrics_of(evaluate_start(problem, instance, execution_seed(1, instance.id)))["combined_score"]
        for instance in (one, one, other)
    ]
    assert scores[0] == scores[1] != scores[2]


def test_entry_point_is_what_the_evaluator_uses() -> None:
    """The first function that the evaluator mentions, else the first of all."""
    assert entry_of("def a(): pass\ndef b(x: int = 1) -> int: return x", "m.b(2)") == (
        "b",
        "def b(x: int=1) -> int:",
    )
    assert entry_of("def a(): pass", "")[0] == "a"
    with pytest.raises(ValueError, match="defines no function"):
        entry_of("x = 1", "")
