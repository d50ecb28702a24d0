"""Writes TOML, which the standard library only reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def dump(document: Mapping[str, Any]) -> str:
    """TOML text of a configuration mapping; keys without a value are left out."""
    lines: list[str] = []
    for section, table in document.items():
        if section == "model":
            for entry in table:
                lines += ["[[model]]", *_rows(entry), ""]
        elif table:
            lines += [f"[{section}]", *_rows(table), ""]
    return "\n".join(lines)


def toml_value(value: Any) -> str:
    """TOML text of a plain value: JSON's form of texts, numbers, booleans and lists is TOML's too."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml_value(v)}" for k, v in value.items() if v is not None) + " }"
    return json.dumps(value, ensure_ascii=False)


def _rows(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {toml_value(value)}" for key, value in table.items() if value is not None]
