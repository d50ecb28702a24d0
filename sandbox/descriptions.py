"""Turns the report of a describe job into a `Description`; a child that died means that the text is too
large.
"""

from __future__ import annotations

from typing import Any

from .answers import clean
from .base import Constant, Description, Execution, ExecutionStatus, Statement


def read(execution: Execution) -> Description:
    """Turns the outcome of a describe job into a description."""
    if execution.status is not ExecutionStatus.OK:
        reason = f"the text could not be read within the limits ({execution.status}: {execution.error})"
        return Description(error=reason, too_large=True)
    raw: Any = execution.answer
    if raw["error"] is not None:
        return Description(
            error=clean(raw["error"]),
            error_line=raw["error_line"],
            too_large=raw["too_large"],
            nodes=raw.get("nodes", 0),
            depth=raw.get("depth", 0),
        )
    return Description(
        entry_point=raw["entry_point"],
        token_digest=raw["token_digest"],
        plain_digest=raw["plain_digest"],
        shape_digest=raw["shape_digest"],
        imports=tuple(raw["imports"]),
        nodes=raw["nodes"],
        depth=raw["depth"],
        descriptors=raw["descriptors"],
        constants=tuple(Constant(*row) for row in raw["constants"]),
        statements=tuple(Statement(*row) for row in raw["statements"]),
        internals=tuple(raw["internals"]),
    )
