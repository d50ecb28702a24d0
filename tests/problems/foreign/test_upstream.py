"""OpenEvolve's own examples give the same metrics in a workshop and by OpenEvolve itself; opt-in.

`GAPSMITH_OPENEVOLVE=/path/to/openevolve GAPSMITH_OPENEVOLVE_PYTHON=/path/to/venv/bin/python python -m pytest
-m slow tests/problems/foreign/test_upstream.py`: a checkout with the examples, and an interpreter that has
OpenEvolve, numpy and scipy installed. Nothing of OpenEvolve is kept here. OpenEvolve runs the evaluators
without a jail, so give a checkout that you trust.
"""

from __future__ import annotations

import ast
import json
import os
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.plugins.foreign import MEMORY_MB, load_foreign, workshop_task
from gapsmith.evolve.llm.edits import START
from gapsmith.evolve.offline.proposer import change, spliced
from gapsmith.problems.foreign.driver import fitness_of, plain
from gapsmith.problems.foreign.task import ReportedTask
from gapsmith.sandbox.base import Limits, Program
from gapsmith.sandbox.trusted_evaluator import environment, open_workshop

CHECKOUT = os.environ.get("GAPSMITH_OPENEVOLVE", "")
PYTHON = os.environ.get("GAPSMITH_OPENEVOLVE_PYTHON", sys.executable)
PLACES = (
    "circle_packing",
    "circle_packing_with_artifacts",
    "alphaevolve_math_problems/hexagon_packing/11",
    "alphaevolve_math_problems/hexagon_packing/12",
    "alphaevolve_math_problems/heilbronn_convex/13",
    "alphaevolve_math_problems/heilbronn_convex/14",
    "alphaevolve_math_problems/minimizing_max_min_dist/2",
    "alphaevolve_math_problems/minimizing_max_min_dist/3",
    "alphaevolve_math_problems/kissing_number",
    "k_module_problem",
    "signal_processing",
)
MUTANTS = 5
SEED = 7
OWN = """
import asyncio, json, random, sys
from openevolve.config import load_config
from openevolve.evaluator import Evaluator
from openevolve.utils.metrics_utils import get_fitness_score
evaluator, configuration, cascade, seed, result, *programs = sys.argv[1:]
config = load_config(configuration or None)
config.evaluator.max_retries = 0
if not int(cascade):
    config.evaluator.cascade_evaluation = False
found = []
for number, path in enumerate(programs):
    tool = Evaluator(config.evaluator, evaluator)
    random.seed(int(seed))
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(int(seed) % 2**32)
    metrics = asyncio.run(tool.evaluate_program(open(path).read(), f"p{number}"))
    score = get_fitness_score(metrics, config.database.feature_dimensions)
    found.append({"score": repr(score), "metrics": {name: repr(value) for name, value in metrics.items()}})
with open(result, "w") as file:
    json.dump(found, file)
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not CHECKOUT, reason="GAPSMITH_OPENEVOLVE names no checkout"),
]


def programs(problem: ReportedTask) -> list[str]:
    """The start program and changes of it: another constant and the offline proposer's, in turns."""
    texts, rng = [problem.start], random.Random(SEED)
    for attempt in range(40 * MUTANTS):
        if attempt % 2:
            text: str | None = with_another_constant(problem.start, rng)
        else:
            made = change(problem.start, problem.entry_point, rng)
            text = None if made is None else made[1]
        if text is not None and START in problem.start:
            text = spliced(problem.start, text)
        if text is not None and text not in texts:
            texts.append(text)
        if len(texts) > MUTANTS:
            break
    return texts


def with_another_constant(text: str, rng: random.Random) -> str:
    """A program with one larger number (by one, or by a tenth), or without numbers one other word."""
    constants = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)]
    numbers = [node for node in constants if type(node.value) in (int, float)]
    words = re.findall(r"'(\w+)'", text)
    node = rng.choice(numbers or [node for node in constants if node.value in words])
    value: Any = node.value
    if isinstance(value, str):
        value = rng.choice(words)
    else:
        value = value + 1 if isinstance(value, int) else 1.1 * value
    lines = text.splitlines(keepends=True)
    line = lines[node.lineno - 1].encode()
    changed = line[: node.col_offset] + repr(value).encode() + line[node.end_col_offset :]
    lines[node.lineno - 1] = changed.decode()
    return "".join(lines)


def steady(metrics: dict[str, Any]) -> dict[str, str]:
    """Metrics as texts without those that measure time; a whole number equals the same one as a float."""
    return {
        name: str(float(value) if type(value) is int else value)
        for name, value in metrics.items()
        if not {"time", "duration"} & set(name.split("_"))
    }


@pytest.mark.parametrize("place", PLACES)
def test_same_metrics_as_openevolve_reports(place: str, tmp_path: Path) -> None:
    """Start program and mutants, by `evaluate` and by the task's stages: the same metrics and score."""
    folder = Path(CHECKOUT) / "examples" / place
    problem = load_foreign(f"openevolve:{folder}", {"python": PYTHON}).problem
    assert isinstance(problem, ReportedTask)
    evaluator = (problem.folder / problem.evaluator).read_text("utf-8-sig")
    texts = programs(problem)
    assert len(texts) == 1 + MUTANTS
    staged = problem.configuration.cascade and "def evaluate_stage1" in evaluator
    for cascade in (False, True)[: 1 + staged]:
        reports = by_openevolve(problem, texts, cascade, tmp_path)
        compare(problem, texts, cascade, reports)


def compare(problem: ReportedTask, texts: list[str], cascade: bool, reports: list[dict[str, Any]]) -> None:
    """Evaluates programs in a workshop; each has metrics and score of its report, or failed there too."""
    options = {**problem.workshop_options, "cascade": cascade, "retries": 0}
    limits = Limits(problem.cpu_seconds, MEMORY_MB << 20)
    with open_workshop(replace(workshop_task(problem), options=options)) as workshop:
        for number, (text, report) in enumerate(zip(texts, reports, strict=True)):
            done = workshop.execute(Program({"h.py": text}, "f"), b'{"repeat": 1}', limits, SEED)
            expected = {name: plain(_value(value)) for name, value in report["metrics"].items()}
            expected.pop("artifacts", None)  # nested ones are no metric here
            if done.answer is None:  # a mutant may fail in every way
                assert number, done
                assert set(expected) <= {"error", "stage1_passed", "timeout"}, (number, expected, done)
                continue
            metrics = problem.metrics(done.answer)
            assert steady(metrics) == steady(expected), (number, text)
            if "combined_score" in metrics or len(steady(metrics)) == len(metrics):
                assert fitness_of(metrics, problem.configuration.features) == _value(report["score"])


def by_openevolve(
    problem: ReportedTask, texts: list[str], cascade: bool, place: Path
) -> list[dict[str, Any]]:
    """What OpenEvolve reports of programs: metrics and score, each as the text of a Python value."""
    paths = [place / f"program_{number}.py" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    file = problem.configuration.file
    configuration = str(problem.folder / file) if file else ""
    result = place / "result.json"
    words = [
        str(problem.folder / problem.evaluator),
        configuration,
        str(int(cascade)),
        str(SEED),
        str(result),
    ]
    done = subprocess.run(
        [PYTHON, "-c", OWN, *words, *map(str, paths)],
        env=environment(str(place), PYTHON),
        cwd=place,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    reports: list[dict[str, Any]] = json.loads(result.read_text())
    return reports


def _value(text: str) -> Any:
    """A metric from its text: numpy writes `np.float64(1.0)`."""
    inner = text.partition("(")[2].rstrip(")") if text.startswith("np.") else text
    names = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf"), "True": True, "False": False}
    if inner in names:
        return names[inner]
    try:
        return json.loads(inner)
    except ValueError:
        return inner.strip("'\"")
