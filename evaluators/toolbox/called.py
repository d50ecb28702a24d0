"""Calls a method of the evaluators in a process that is killed when its time is over."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .process import SolverError, run_worker

Note = Callable[[Any], None]
"""Takes a result that holds already (JSON), for the case that the method is killed before its end."""
SPARE_SECONDS = 20.0
"""Wall seconds by which a method that has noted nothing may overrun its time before it is killed."""


def call(function: Callable[..., Any], arguments: Mapping[str, Any], seconds: float) -> Any:
    """What a function returns in a process of its own, or what it noted last before it was killed.

    Args:
        function: of a module; called with the arguments, `seconds`, and `note`, a `Note`.
        arguments: JSON.
        seconds: wall seconds, > 0, which the function keeps to by itself, more or less.

    Raises:
        SolverError: the process failed, or was killed before anything was noted.
    """
    name = f"{function.__module__}:{function.__qualname__}"
    report = run_worker(
        "call", json.dumps(arguments), {"function": name}, seconds, spare=SPARE_SECONDS, what=name
    )
    if report.result is None:
        raise SolverError(
            f"{name}: got no result within {seconds:g} s and {SPARE_SECONDS:g} s more ({report.note}); "
            "expected a first bound; give more seconds, or a smaller instance"
        )
    return report.result
