"""The Python API beside the command line: `run_campaign` and `evaluate`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..sandbox.base import MAIN_FILE
from . import compose
from .assignments import override
from .audit.evaluation import evaluate_program
from .config import parse, resolve_budget
from .opening.setup import Setup
from .proposers import check_models
from .record.runs import new_folder, new_name, runs_folder


def run_campaign(
    problem: str,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    start: str | None = None,
    runs: str | Path | None = None,
    settings: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Runs a campaign to its end, as `gapsmith run` does, and returns its JSON document.

    Args:
        problem: a built-in's name, a file, or `module:attribute`.
        iterations: budget in iterations (count).
        seconds: budget in wall seconds of search.
        seed: of the search's random streams.
        start: source text of a start program; the problem's own by default.
        runs: folder for the run; `GAPSMITH_RUNS` or `./runs` by default.
        settings: further configuration by dotted path (`{"archive.islands": 2}`).

    Raises:
        UserError: whatever a person can mend, with an exit code and a hint.
    """
    budget = {"iterations": iterations, "seconds": seconds}
    document: dict[str, Any] = {
        "campaign": {"problem": problem, "seed": seed},
        "budget": {key: value for key, value in budget.items() if value is not None},
    }
    for path, value in (settings or {}).items():
        section, _, key = path.partition(".")
        document.setdefault(section, {})[key] = value
    config = resolve_budget(parse(document, "run_campaign"))
    place = runs_folder(None if runs is None else Path(runs))
    config = check_models(config, place)
    programs = None if start is None else {"start": {MAIN_FILE: start}}
    with new_folder(place, new_name(Path(problem).stem, seed, time.time())) as folder:
        return compose.run(config, folder, start=programs)


def evaluate(
    problem: str, source: str, *, instances: str = "test", settings: list[str] | None = None
) -> dict[str, Any]:
    """Scores a program's source text, as `gapsmith evaluate` does, and returns its JSON document.

    Args:
        problem: a built-in's name, a file, or `module:attribute`.
        source: Python text that defines the problem's entry point.
        instances: `train`, `valid`, `test`, a named set, or a path of an instance file.
        settings: configuration as `section.key=value`.

    Raises:
        UserError: whatever a person can mend, with an exit code and a hint.
    """
    config = parse(override({"campaign": {"problem": problem}}, settings or []), "evaluate")
    setup = Setup.from_problem(config, sets=[instances])
    return evaluate_program(setup, setup.instances_from, {MAIN_FILE: source}, "source", False)
