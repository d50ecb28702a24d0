"""Keys of a configuration that the command line sets: `--set section.key=value`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Any

from .errors import INVALID, UserError


def override(document: dict[str, Any], assignments: Iterable[str]) -> dict[str, Any]:
    """A copy with `section.key=value` assignments applied; values are TOML, bare words are strings.

    `model.key=value` holds for every model, `model.0.key=value` for the first. What is no table where one
    belongs is left as it is, for `parse` to name.

    Raises:
        UserError: an assignment has another form.
    """
    result = {key: dict(value) if isinstance(value, dict) else value for key, value in document.items()}
    given = document.get("model", [])
    misread = not isinstance(given, list) or not all(isinstance(table, dict) for table in given)
    models: list[dict[str, Any]] = [] if misread else [dict(table) for table in given]
    if models:
        result["model"] = models
    for text in assignments:
        path, equals, value = text.partition("=")
        section, dot, key = path.strip().partition(".")
        if not (equals and dot and key):
            raise UserError(
                INVALID, f"--set {text}: expected section.key=value", "e.g. --set sandbox.cpu_seconds=5"
            )
        if section == "model":
            for model, name in [] if misread else _models(text, models, key):
                model[name] = _value(value.strip())
        elif isinstance(result.setdefault(section, {}), dict):
            result[section][key] = _value(value.strip())
    return result


def _models(text: str, models: list[dict[str, Any]], key: str) -> list[tuple[dict[str, Any], str]]:
    """The models that an assignment is about, each with the name to set in it."""
    number, dot, rest = key.partition(".")
    if not models:
        raise UserError(
            INVALID, f"--set {text}: there is no model to set it for", "name one with --model SPEC"
        )
    if not (dot and number.isdecimal()):
        return [(model, key) for model in models]
    if int(number) >= len(models):
        raise UserError(
            INVALID,
            f"--set {text}: got model {number}, expected 0 to {len(models) - 1}",
            "models count from 0",
        )
    return [(models[int(number)], rest)]


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
