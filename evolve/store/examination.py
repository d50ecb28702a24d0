"""What the record of a run must look like: the shapes of its values, and what its rows say of each other."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .reader import Reader

_SECTION = {str: object}
SHAPES: dict[str, Any] = {
    "start": str,
    "starts": [str],
    "champion": str,
    "stop_reason": str,
    "created": str,
    "group": str,
    "members": int,
    "docstrings": bool,
    "search_seconds": float,
    "unsafe_without": [str],
    "evaluator": str,
    "versions": {str: object},
    "gates": [[int]],
    "given_starts": {str: {str: str}},
    "claims": [_SECTION],
    "problem": {
        **dict.fromkeys(("name", "version", "sense", "unit", "entry_point", "origin", "digest"), str),
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

_INFINITE = (
    "SELECT 1 FROM calls WHERE 9e999 IN (abs(seconds), abs(cost_usd), abs(at))",
    "SELECT 1 FROM iterations WHERE 9e999 IN (abs(asked_at), abs(told_at))",
    "SELECT 1 FROM evaluations WHERE 9e999 IN (abs(fitness), abs(cpu_seconds), abs(at))",
    "SELECT 1 FROM executions WHERE abs(cpu_seconds) = 9e999",
    "SELECT 1 FROM instance_references WHERE abs(seconds) = 9e999",
    "SELECT 1 FROM events WHERE abs(at) = 9e999",
)


def read_value(key: str, text: str) -> Any:
    """The value (JSON) of the run's record under a key.

    Raises:
        ValueError: it is no JSON, not finite, or not of the shape that the key has.
    """
    value = json.loads(text, parse_constant=_refused, parse_float=_finite)
    if key == "model" and isinstance(value, str):
        return value
    shape = [str] if key == "model" else SHAPES.get(key, object)
    if not _fits(value, shape):
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


def examine(reader: Reader) -> None:
    """Reads all rows of a store and what they say of each other.

    Raises:
        StoreError: a row is no object of a run, or contradicts another row.
    """
    for row in reader.rows("SELECT key FROM run"):
        reader.record(row["key"])
    reader.references()
    reader.events()
    with reader.sound("candidates"):
        _examine_candidates(reader)
        _examine_evaluations(reader)
        for call in reader.rows("SELECT parameters FROM calls"):
            json.loads(call["parameters"])
        for query in _INFINITE:
            if reader.rows(query):
                raise ValueError(f"a number is not finite in {query.split()[3]}")


def _examine_candidates(reader: Reader) -> None:
    iterations = {}
    for id in reader.candidate_ids():
        candidate = reader.candidate(id)
        if candidate is None:
            raise KeyError(id)
        iterations[id] = candidate.iteration
        for parent in candidate.parents:
            if iterations.get(parent, candidate.iteration) >= candidate.iteration:
                raise ValueError(f"candidate {id} is no younger than its parent {parent}")
    for step in reader.iterations():
        for id in (*step.parents, *step.inspirations, *filter(None, (step.rival, step.candidate))):
            _ = iterations[id]
    for id in (reader.record("start"), reader.record("champion"), *(reader.record("starts") or ())):
        _ = None if id is None else iterations[id]
    for event in reader.events():
        for id in (event.data.get("candidate"), *event.data.get("candidates", ())):
            _ = None if id is None else iterations[id]


def _examine_evaluations(reader: Reader) -> None:
    instances = reader.instances()
    for row in reader.rows("SELECT program, split FROM evaluations"):
        evaluation = reader.evaluation(row["program"], row["split"])
        for score in evaluation.scores if evaluation else ():
            if instances[score.instance].split != row["split"]:
                raise ValueError(f"{score.instance} is not an instance of the split {row['split'][:20]!r}")
