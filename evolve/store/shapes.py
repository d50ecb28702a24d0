"""The keys of a run's record, and the shapes of their values."""

from __future__ import annotations

import json
import math
from typing import Any, Literal

_SECTION = {str: object}
_FIGURES = {
    **dict.fromkeys(("fitness", "mean_gap_percent"), float),
    **dict.fromkeys(("failed", "far_beyond"), int),
    "mean_gap_ci95_percent": [float],
    "reference_kinds": {str: int},
}
Key = Literal[
    "bench",  # where programs come from outside: what may be used beside the campaign's budget
    "champion",
    "claims",
    "config",
    "created",
    "docstrings",
    "drawing",
    "ending",
    "evaluator",
    "founder_seconds",
    "founders",
    "gates",
    "given_starts",
    "group",
    "layers",
    "left_out",  # elites that a budget of seconds had no time to validate
    "members",
    "model",
    "neighbours",  # how a workbench's champion does on the problem's other named sets
    "pool",
    "prepared_seconds",  # wall seconds before the search, all starts and resumes together
    "problem",
    "seal",
    "search_seconds",
    "simplified",
    "solver",
    "start",
    "start_given",  # whether a user gave the start programs
    "start_programs",
    "starts",
    "stop_reason",
    "timing",
    "types",  # of the entry point's parameters, which offline edits lend to programs without annotations
    "unsafe_without",
    "versions",
]
"""Every key of the table `run`: who writes or reads another one fails the type check."""
SHAPES: dict[Key, Any] = {
    "bench": {str: float},
    "neighbours": [_SECTION],
    "start": str,
    "start_given": bool,
    "starts": [str],
    "start_programs": [str],
    "founders": {str: str},
    "founder_seconds": {str: float},
    "timing": {str: float},
    "champion": str,
    "left_out": [str],
    "stop_reason": str,
    "ending": str,
    "created": str,
    "group": str,
    "members": int,
    "docstrings": bool,
    "types": [[str]],
    "search_seconds": float,
    "prepared_seconds": float,
    "unsafe_without": [str],
    "evaluator": str,
    "versions": {str: object},
    "gates": [[int]],
    "layers": {str: bool},
    "simplified": {str: {"files": {str: str}}},
    "solver": {
        str: {"effort": float, "time_seconds": float, "splits": {"valid": _FIGURES, "test": _FIGURES}}
    },
    "pool": [int],
    "given_starts": {str: {str: str}},
    "claims": [_SECTION],
    "drawing": object,
    "model": [str],
    "seal": object,
    "problem": {
        **dict.fromkeys(
            (
                *("name", "version", "sense", "unit", "entry_point", "origin", "digest", "driver"),
                *("statement", "strata"),
            ),
            str,
        ),
        "sets": {str: str},
        "parameters": _SECTION,
    },
    "config": {
        **dict.fromkeys(("campaign", "budget", "evaluation", "archive", "sandbox", "problem"), _SECTION),
        "model": [_SECTION],
    },
}
"""Shapes of the values of the table `run`: a type, a list of one shape, texts to one shape, or named fields.

None stands for a value that is not known yet, and fields that a shape does not name may be anything.
"""


def read_value(key: Key, text: str) -> Any:
    """The value (JSON) of the run's record under a key.

    Raises:
        ValueError: it is no JSON, not finite, or not of the shape that the key has.
    """
    value = json.loads(text, parse_constant=_refused, parse_float=_finite)
    if key == "model" and isinstance(value, str):
        return value
    if not _fits(value, SHAPES[key]):
        raise ValueError(f"{text[:60]!r} has not the shape of {key!r}")
    return value


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:60]} is not finite")
    return number


def _fits(value: Any, shape: Any) -> bool:
    if value is None or shape is object:
        return True
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(entry, shape[0]) for entry in value)
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return False
        each = shape.get(str, object)
        return all(_fits(entry, shape.get(name, each)) for name, entry in value.items())
    if isinstance(value, bool):
        return bool(shape is bool)
    return isinstance(value, (int, float) if shape is float else shape)
