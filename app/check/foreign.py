"""Checks a task of another tool: three evaluations of its start program, and what they say."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from ...problems.foreign.task import ReportedTask
from ...sandbox.base import ExecutionStatus
from ..door.foreign import check_packages, evaluate_start, load_foreign
from ..errors import MISSING, ProblemError
from .findings import Report

_RUNS = 3


def check_task(
    spec: str, parameters: Mapping[str, Any], notify: Callable[[str], None], limit: float = inf
) -> Report:
    """Evaluates the start program three times in a workshop, but begins nothing after `limit` wall seconds.

    Raises:
        ProblemError: the folder is no task.
        SandboxError: no evaluator can be run safely here.
    """
    loaded = load_foreign(spec, parameters)
    problem = loaded.problem
    assert isinstance(problem, ReportedTask)
    report = Report(loaded.name, checks=["packages", "start-program", "repeats"])
    scores, seconds = [], []
    instances = [one for split in ("train", "valid") for one in problem.instances(split, 1)]
    started = time.monotonic()
    for number, instance in enumerate(instances[:_RUNS], 1):
        what = f"evaluation {number} of {_RUNS}"
        if time.monotonic() - started > limit:
            report.left_out.append(what)
            continue
        notify(what)
        execution = evaluate_start(problem, instance, number)
        seconds.append(execution.wall_seconds)
        try:
            check_packages(problem, execution)
        except ProblemError as error:
            if error.code != MISSING:
                raise
            report.add(
                "packages",
                sent="the start program",
                got=error.message,
                why="many evaluators report that as a score of 0, so every candidate would have that score",
                fix=error.hint or "",
            )
            break
        verdict = problem.verify(instance, execution.answer)
        if execution.status is not ExecutionStatus.OK or verdict.objective is None:
            report.add(
                "start-program",
                sent="the start program",
                got=f"{execution.status}: {execution.error or '; '.join(verdict.violations)}",
                why="candidates are compared with the start program's score, and there is none",
                fix="correct the task, raise `evaluator.timeout` in its configuration, or "
                "--set problem.python=PATH",
            )
            break
        scores.append(float(verdict.objective))
    if scores:
        report.measured |= {"score_least": min(scores), "score_most": max(scores)}
    report.measured["seconds"] = round(sum(seconds), 3)
    report.measured["evaluation_seconds"] = round(max(seconds), 3)
    report.unseen += _unseen(problem, scores)
    return report


def _unseen(problem: ReportedTask, scores: list[float]) -> list[str]:
    """What a person should know of the task, and what no check of a reported score can see."""
    lines = ["a score that the evaluator reports is unverified: a program can forge its own"]
    if scores and min(scores) < max(scores):
        lines.append(
            f"the score of one program differs from run to run: {min(scores):.6g} to {max(scores):.6g}"
        )
    if problem.configuration.unused:
        lines.append(
            f"keys of the configuration that are not used: {', '.join(problem.configuration.unused)}"
        )
    return lines
