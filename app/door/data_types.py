"""Types of plain data, as a signature has them: `list[list[int]]` for a matrix of whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_MOST = 2000
"""Items of one list that are looked at (count)."""


def type_text(values: Iterable[Any]) -> str:
    """The type of plain values, as Python writes it; `object` where nothing tells.

    Args:
        values: what one argument is in several instances.
    """
    kinds = {kind for value in values if (kind := _kind(value)) != ""}
    return _joined(kinds) or "object"


def _kind(value: Any) -> str:
    """Type of one value; empty where it tells nothing of its items."""
    if value is None or isinstance(value, bool | int | float | str):
        return type(value).__name__ if value is not None else "None"
    if isinstance(value, list | tuple):
        inner = _joined({kind for item in value[:_MOST] if (kind := _kind(item)) != ""})
        return f"list[{inner}]" if inner else "list"
    if isinstance(value, dict):
        inner = _joined({kind for item in list(value.values())[:_MOST] if (kind := _kind(item)) != ""})
        return f"dict[str, {inner}]" if inner else "dict"
    return ""


def _joined(kinds: set[str]) -> str:
    """One type for values of several types; empty for none."""
    if "float" in kinds:
        kinds = kinds - {"int"}
    for outer in ("list", "dict"):
        inner = {kind for kind in kinds if kind == outer or kind.startswith(f"{outer}[")}
        if len(inner) > 1:
            inside = {kind[kind.index("[") + 1 : -1].removeprefix("str, ") for kind in inner if "[" in kind}
            item = _joined(inside)
            kinds = kinds - inner | {f"list[{item}]" if outer == "list" else f"dict[str, {item}]"}
    none = kinds & {"None"}
    return " | ".join([*sorted(kinds - none), *none])
