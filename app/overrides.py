"""What the command line changes in a configuration: `--set section.key=value` and `--model SPEC`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .errors import INVALID, USAGE, UserError


def override(
    document: dict[str, Any],
    assignments: Iterable[str],
    parameters: Callable[[], Iterable[str]] = tuple,
) -> dict[str, Any]:
    """A copy with `section.key=value` assignments applied; values are TOML, bare words are strings.

    `model.key=value` holds for every model, `model.0.key=value` for the first. What is no table where one
    belongs is left as it is, for `parse` to name.

    Args:
        document: as read from a file.
        assignments: as on the command line.
        parameters: returns the names of the problem's parameters; called only to mend an assignment.

    Raises:
        UserError: an assignment has another form.
    """
    result = {key: dict(value) if isinstance(value, dict) else value for key, value in document.items()}
    tables = document.get("model", [])
    misread = not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables)
    models: list[dict[str, Any]] = [] if misread else [dict(table) for table in tables]
    if models:
        result["model"] = models
    for text in assignments:
        path, equals, value = text.partition("=")
        section, dot, key = path.strip().partition(".")
        if not (equals and dot and key):
            hint = _example(path.strip(), text, parameters)
            raise UserError(INVALID, f"--set {text}: expected section.key=value", hint)
        if section == "model":
            for model, name in [] if misread else _models(text, models, key):
                model[name] = _value(value.strip())
        elif isinstance(result.setdefault(section, {}), dict):
            result[section][key] = _value(value.strip())
    return result


def _example(key: str, text: str, parameters: Callable[[], Iterable[str]]) -> str:
    """What to write in place of `key=value`: with its section if the problem has that parameter."""
    if "=" in text and key in parameters():
        return f"write --set problem.{text.strip()}"
    return "e.g. --set sandbox.cpu_seconds=5"


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


def choose_models(document: dict[str, Any], given: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """A copy whose models are those that the command line names, and the specifications left out.

    Tables of a name stay as they are (address, prices, key), but for a weight that is named; a name without
    one becomes a table of its own. What is no list of tables is left as it is, for `parse` to name.

    Args:
        document: as read from a file.
        given: `SPEC` or `SPEC=weight`, in order.

    Raises:
        UserError: a weight is no number, or a table is named twice.
    """
    old = document.get("model", [])
    if not isinstance(old, list) or not all(isinstance(table, dict) for table in old):
        return document, []
    named = [_named(text) for text in given]
    models: list[dict[str, Any]] = []
    for number, table in enumerate(named):
        namesakes = [other for other in old if other.get("spec") == table["spec"]]
        if namesakes and any(other["spec"] == table["spec"] for other in named[:number]):
            raise UserError(
                USAGE,
                f"--model {given[number]}: named twice, and the configuration has a [[model]] table for it",
                "name it once: all tables of that specification are taken",
            )
        models += [{**other, **table} for other in namesakes] or [table]
    specs = [table["spec"] for table in named]
    dropped = [str(other.get("spec")) for other in old if other.get("spec") not in specs]
    return {**document, "model": models}, dropped


def _named(text: str) -> dict[str, Any]:
    """The keys that `SPEC` or `SPEC=weight` sets; a command's arguments may hold equals signs."""
    from ..evolve.llm.settings import PROGRAMS

    if text.startswith(PROGRAMS):
        return {"spec": text}
    name, equals, weight = text.rpartition("=")
    if not equals:
        return {"spec": text}
    try:
        return {"spec": name, "weight": float(weight)}
    except ValueError:
        raise UserError(USAGE, f"--model {text}: got weight {weight!r}, expected a number > 0") from None


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
