"""Writes configurations as TOML, which the standard library only reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def dump(document: Mapping[str, Any]) -> str:
    """TOML text of a configuration mapping; keys without a value and empty sections are left out."""
    import tomli_w

    return tomli_w.dumps({name: _set(part) for name, part in document.items() if part})


def toml_value(value: Any) -> str:
    """TOML text of a text, number, truth value or a list of them, on one line."""
    import tomli_w

    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").removesuffix("\n")


def _set(value: Any) -> Any:
    """A value without the keys of tables that have no value."""
    if isinstance(value, Mapping):
        return {key: _set(part) for key, part in value.items() if part is not None}
    return [_set(part) for part in value] if isinstance(value, list | tuple) else value
