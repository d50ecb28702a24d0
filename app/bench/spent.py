"""What a workbench's operations may use, and have used."""

from __future__ import annotations

from typing import Any

from ...evolve.store.operations import Counts, counts
from ...evolve.store.reader import Reader
from ..errors import USAGE, UserError
from .sitting import Sitting

EXPERIMENT_CPU_SECONDS = 900.0
"""CPU seconds that all experiments of a workbench may use together, unless its user names another sum."""
KINDS = ("submit", "probe", "experiment", "instance", "compare", "read", "note")


def operation_counts(reader: Reader) -> dict[str, int]:
    """Kind → operations that were not refused, the one under way and those that a kill ended too (counts)."""
    found = counts(reader)
    return {kind: (made := found.get(kind, Counts())).done + made.broken for kind in KINDS}


def experiment_seconds_left(reader: Reader) -> float:
    """CPU seconds that experiments may still use."""
    allowed = (reader.record("bench") or {}).get("experiment_cpu_seconds", EXPERIMENT_CPU_SECONDS)
    return float(allowed) - counts(reader).get("experiment", Counts()).cpu_seconds


def budget_document(sitting: Sitting) -> dict[str, Any]:
    """What was used, and of how much; None where there is no limit."""
    read, usage, budget = sitting.store.read, sitting.campaign.usage(), sitting.campaign.budget
    made = counts(read)
    beside = sum(count.executions for count in made.values())
    return {
        "evaluations": [usage.evaluations, budget.evaluations],
        "iterations": [usage.iterations, budget.iterations],
        "executions": [usage.executions + beside, budget.executions],
        "execution_cpu_seconds": [usage.cpu_seconds, budget.cpu_seconds],
        "experiment_cpu_seconds": [
            made.get("experiment", Counts()).cpu_seconds,
            (read.record("bench") or {}).get("experiment_cpu_seconds"),
        ],
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
