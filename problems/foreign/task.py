"""A folder in OpenEvolve's format as a problem whose scores are reported by the folder's evaluator."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ...sandbox.unseen import clean
from ..base import Instance, Json, Sense, Verdict
from .configuration import Configuration
from .driver import fitness_of
from .packages import shareable

_DRIVER = Path(__file__).with_name("driver.py")
_REPEATS = {"train": range(1, 2), "valid": range(2, 5), "test": range(5, 10)}
_SETS = {
    "train": "one evaluation, which steers the search",
    "valid": "three evaluations anew, against lucky noise; they choose the champion",
    "test": "five evaluations anew, of the champion and the start program alone",
}
_FEEDBACK = 20_000


class ReportedTask:
    """One task; `name` and `version` come from its folder.

    Args:
        name: lower case with hyphens.
        version: a text that changes with the files of the task.
        folder: of the task.
        evaluator: path of the evaluator in the folder.
        start: text of the start program.
        configuration: what the task's own configuration says.
        python: interpreter with the evaluator's packages.
        tool: whose rules count, `openevolve`, `skydiscover` or `shinka`.
    """

    sense = Sense.MAXIMISE
    unit = "reported score"

    def __init__(
        self,
        name: str,
        version: str,
        folder: Path,
        evaluator: str,
        start: str,
        configuration: Configuration,
        python: str,
        tool: str = "openevolve",
    ) -> None:
        self.name = name
        self.version = version
        self.folder = folder
        self.evaluator = evaluator
        self.start = start
        self.configuration = configuration
        self.python = python
        self.tool = tool
        self.cpu_seconds = configuration.timeout
        self.entry_point, self.signature = entry_of(start, (folder / evaluator).read_text("utf-8-sig"))

    @property
    def statement(self) -> str:
        """The task in the words of its configuration, and who scores it."""
        message = self.configuration.message or f"Improve the program of the task {self.name}."
        return (
            f"{message}\n\nThe task's own evaluator runs the program and reports a score; larger is better. "
            "Nothing verifies that score."
        )

    @cached_property
    def workshop_driver(self) -> str:
        """Source that runs the evaluator in a workshop."""
        return _DRIVER.read_text()

    @property
    def workshop_options(self) -> dict[str, Json]:
        """Options of the driver."""
        configuration = self.configuration
        return {
            "tool": self.tool,
            "evaluator": self.evaluator,
            "cascade": configuration.cascade,
            "thresholds": list(configuration.thresholds),
            "retries": configuration.retries,
            "artifact_bytes": configuration.artifact_bytes,
        }

    @cached_property
    def workshop_packages(self) -> tuple[str, ...]:
        """Modules that one process imports for all evaluations."""
        return shareable([(self.folder / self.evaluator).read_text("utf-8-sig"), self.start])

    def sets(self) -> Mapping[str, str]:
        """Every set holds repetitions of one evaluation."""
        return _SETS

    def instances(self, set: str, seed: int) -> Sequence[Instance]:
        """The repetitions of a set; the seed changes nothing, for the task is one and the same."""
        source = f"evaluator {self.evaluator} of {self.name}"
        return [
            Instance(f"{set}-{number}", set, "repeats", {"repeat": number}, 1, source)
            for number in _REPEATS[set]
        ]

    def start_programs(self) -> Mapping[str, str]:
        """The task's start program."""
        return {"initial-program": self.start}

    def baselines(self) -> Mapping[str, str]:
        """None: a task brings no other programs."""
        return {}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Checks the form of what was reported and takes the score from it; verifies nothing."""
        metrics = answer.get("metrics") if isinstance(answer, dict) else None
        if not isinstance(metrics, dict):
            return Verdict.invalid("the evaluator reported no metrics")
        try:
            score = fitness_of(metrics, self.configuration.features)
        except (TypeError, ValueError, OverflowError):
            return Verdict.invalid("the evaluator reported metrics that give no score")
        if not math.isfinite(score) or abs(score) > 1e300:
            return Verdict.invalid(f"the reported score is {score}, expected a finite number")
        return Verdict.valid(float(score))

    def metrics(self, answer: Json) -> Mapping[str, Any]:
        """Name → value of what the evaluator measured."""
        metrics = answer.get("metrics") if isinstance(answer, dict) else None
        return dict(metrics) if isinstance(metrics, dict) else {}

    def feedback(self, answer: Json) -> str:
        """Metrics and artifacts as text for whoever writes the next program: cleaned, within a cap."""
        artifacts = answer.get("artifacts") if isinstance(answer, dict) else None
        lines = [f"{name}: {_shown(value)}" for name, value in self.metrics(answer).items()]
        for name, text in artifacts.items() if isinstance(artifacts, dict) else ():
            lines += [f"{name}:", *(f"  {line}" for line in str(text).splitlines())]
        return clean("\n".join(lines)).encode("utf-8", "replace")[:_FEEDBACK].decode("utf-8", "ignore")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return str(value.get("float", value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def entry_of(start: str, evaluator: str) -> tuple[str, str]:
    """Name and signature of the function or class that the evaluator uses of a start program.

    It is the first one at the top level whose name the evaluator's text mentions, else the first one.

    Raises:
        ValueError: the start program is no Python, or defines nothing.
    """
    try:
        body = ast.parse(start).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"the start program is no Python: {error}") from error
    kinds = (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)
    defined = [node for node in body if isinstance(node, kinds)]
    if not defined:
        raise ValueError("the start program defines no function and no class at its top level")
    words = set(re.findall(r"\w+", evaluator))
    node = next((one for one in defined if one.name in words), defined[0])
    if isinstance(node, ast.ClassDef):
        return node.name, f"class {node.name}:"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return node.name, f"def {node.name}({ast.unparse(node.args)}){returns}:"
