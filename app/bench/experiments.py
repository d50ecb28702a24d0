"""`experiment`: a sealed script of the experimenter's own."""

from __future__ import annotations

from typing import Any

from ...evolve.store.operations import Operation
from ..errors import USAGE, UserError
from .sitting import Sitting


def experiment(at: Sitting, operation: Operation, text: str, cpu_seconds: float) -> dict[str, Any]:
    """Runs a script."""
    raise UserError(USAGE, "experiment: not yet")
