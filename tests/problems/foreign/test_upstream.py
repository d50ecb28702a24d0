"""OpenEvolve's own examples give the same metrics in a workshop and bare; opt-in, over a user's checkout.

`GAPSMITH_OPENEVOLVE=/path/to/openevolve python -m pytest -m slow tests/problems/foreign/test_upstream.py`,
with an interpreter that has numpy and scipy in `GAPSMITH_OPENEVOLVE_PYTHON` if this one has not. Nothing of
OpenEvolve is kept here. The evaluators run bare too, so give a checkout that you trust.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.door.foreign import MEMORY_MB, load_foreign, workshop_task
from gapsmith.evolve.edits import START
from gapsmith.evolve.offline.blocks import spliced
from gapsmith.evolve.offline.proposer import change
from gapsmith.problems.foreign.driver import plain
from gapsmith.problems.foreign.task import ReportedTask
from gapsmith.sandbox.base import Limits, Program
from gapsmith.sandbox.workshop import environment, open_workshop

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
BARE = """
import asyncio, importlib.util, inspect, json, os, random, sys, types
folder, path, seed = sys.argv[1:4]
sys.path[:0] = [folder]
class EvaluationResult:
    def __init__(self, metrics=None, artifacts=None):
        self.metrics, self.artifacts = metrics or {}, artifacts or {}
for name in ("openevolve", "openevolve.evaluation_result"):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].EvaluationResult = EvaluationResult
spec = importlib.util.spec_from_file_location("evaluation_module", os.path.join(folder, "evaluator.py"))
module = sys.modules["evaluation_module"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
random.seed(int(seed))
if "numpy" in sys.modules:
    sys.modules["numpy"].random.seed(int(seed) % 2**32)
try:
    found = module.evaluate(path)
    found = getattr(found, "metrics", found)
    found = {str(name): repr(value) for name, value in found.items() if name != "artifacts"}
except Exception as error:
    found = {"raised": type(error).__name__}
with open(path + ".json", "w") as file:
    json.dump(found, file)
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not CHECKOUT, reason="GAPSMITH_OPENEVOLVE names no checkout"),
]


def programs(problem: ReportedTask) -> list[str]:
    """The start program, and changes of it by the offline proposer."""
    texts, rng = [problem.start], random.Random(SEED)
    for _ in range(40 * MUTANTS):
        made = change(problem.start, problem.entry_point, rng)
        text = None if made is None else made[1]
        if text is not None and START in problem.start:
            text = spliced(problem.start, text)
        if text is not None and text not in texts:
            texts.append(text)
        if len(texts) > MUTANTS:
            break
    return texts


def steady(metrics: dict[str, Any]) -> dict[str, str]:
    """Metrics without those that measure time."""
    return {
        name: str(value) for name, value in metrics.items() if not {"time", "duration"} & set(name.split("_"))
    }


@pytest.mark.parametrize("place", PLACES)
def test_same_metrics_in_and_outside_the_workshop(place: str, tmp_path: Path) -> None:
    """Start program and mutants: the same numbers, or an exception of the same kind."""
    folder = Path(CHECKOUT) / "examples" / place
    problem = load_foreign(f"openevolve:{folder}", {"python": PYTHON}).problem
    assert isinstance(problem, ReportedTask)
    options = {**problem.workshop_options, "cascade": False, "retries": 0}
    task = replace(workshop_task(problem), options=options)
    for number, text in enumerate(programs(problem)):
        path = tmp_path / f"program_{number}.py"
        path.write_text(text)
        command = [PYTHON, "-c", BARE, str(folder), str(path), str(SEED)]
        subprocess.run(command, env=environment(str(tmp_path), PYTHON), cwd=tmp_path, timeout=300, check=True)
        bare = json.loads(Path(f"{path}.json").read_text())
        with open_workshop(task) as workshop:
            limits = Limits(300.0, MEMORY_MB << 20)
            done = workshop.execute(Program({"h.py": text}, "f"), b'{"repeat": 1}', limits, SEED)
        if "raised" in bare:  # the offline proposer's mutants fail in every way
            assert (done.error or "").startswith(bare["raised"])
            continue
        assert isinstance(done.answer, dict), (number, bare, done)
        metrics: Any = done.answer["metrics"]
        expected = {name: plain(_value(text_)) for name, text_ in bare.items()}
        assert steady(metrics) == steady(expected), (number, text)


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
