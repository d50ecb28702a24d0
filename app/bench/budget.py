"""What a workbench's operations may use, and have used."""

from __future__ import annotations

import math
from typing import Any

from ...evolve.store.course import counts
from ...evolve.store.reader import Reader
from ..errors import USAGE, UserError
from ..runs.summary import experiment_seconds, operation_counts
from .sitting import Sitting

EXPERIMENT_CPU_SECONDS = 900.0
"""CPU seconds that all experiments of a workbench may use together, unless its user names another sum."""


def experiment_seconds_left(reader: Reader) -> float:
    """CPU seconds that experiments may still use."""
    used, allowed = experiment_seconds(reader)
    return math.inf if allowed is None else allowed - used


def budget_document(sitting: Sitting, executions: int = 0, experiment: float = 0.0) -> dict[str, Any]:
    """What was used, and of how much; None where there is no limit.

    Args:
        sitting: at the workbench.
        executions: of the operation under way (count), which are not recorded yet.
        experiment: its CPU seconds beyond those that are reserved for it.
    """
    read = sitting.store.read
    usage = sitting.campaign.usage()
    budget = sitting.campaign.budget
    beside = executions + sum(count.executions for count in counts(read).values())
    used, allowed = experiment_seconds(read)
    return {
        "evaluations": [usage.evaluations, budget.evaluations],
        "iterations": [usage.iterations, budget.iterations],
        "executions": [usage.executions + beside, budget.executions],
        "execution_cpu_seconds": [usage.cpu_seconds, budget.cpu_seconds],
        "experiment_cpu_seconds": [used + experiment, allowed],
        "operations": operation_counts(read),
    }


def refuse_spent(sitting: Sitting) -> None:
    """Refuses an evaluation beyond the budget.

    Raises:
        UserError: the budget is spent.
    """
    reason = sitting.campaign.budget.exhausted(sitting.campaign.usage())
    if reason is not None:
        raise UserError(
            USAGE,
            f"{sitting.folder.name}: the budget of {reason.value} is spent",
            f"`gapsmith bench finish {sitting.folder.name}` chooses the champion and tests it",
        )
