"""A knob of a component: its default, its range and one sentence of meaning, all at its field.

A component declares its knobs as a frozen dataclass. The sections of a configuration file inherit from these
dataclasses, so that the file, `gapsmith config explain` and the component read the same field. To add a knob,
add a field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

SEARCH_VERSION = 2
"""Raised when campaigns with models take other decisions; a run records the one that it began with."""


def knob(default: Any, meaning: str, **limits: Any) -> Any:
    """A field of a component's settings.

    Args:
        default: the value where a configuration says nothing.
        meaning: one sentence with unit and range; users read it.
        limits: the range in pydantic's words (`ge`, `gt`, `le`, `lt` and others); a value of another
            type is an error unless `strict` says otherwise; a `Literal` takes `strict=None`.
    """
    return dataclasses.field(default=default, metadata={"description": meaning, "strict": True, **limits})


def constant(default: Any, meaning: str, **limits: Any) -> Any:
    """A field that no configuration sets: a constant of the search, which each run records.

    Earlier versions let users set it, so a stored run may hold another value, which is kept.

    Args:
        default, meaning, limits: as for `knob`.
    """
    return knob(default, meaning, constant=True, **limits)


LEFT: Mapping[str, tuple[Any, ...]] = {
    "search.simplify": (),
    "search.directives": (False,),
    "search.opening": (0, None),
    "search.stall_after": (0,),
    "prompts.programs": (1,),
    "prompts.choice": ("weights",),
}
"""Key of earlier versions → values at which its mechanism was off; empty if the key decided nothing."""


def mechanisms_left(document: Mapping[str, Any]) -> list[str]:
    """Keys of a recorded configuration whose mechanism worked in the run and has left since."""
    found = []
    for key, off in LEFT.items():
        section, _, name = key.partition(".")
        table = document.get(section)
        if off and isinstance(table, Mapping) and name in table and table[name] not in off:
            found.append(key)
    return found
