"""What may stand in an instance, names and plain JSON, and how messages show what may not."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from typing import TypeGuard

from .unseen import unseen

MOST_CHARACTERS = 500
NAME = f"a text of 1 to {MOST_CHARACTERS} characters on one line, without control or invisible characters"
"""What `is_name` accepts, for messages."""
PLAIN = "int, finite float, str, bool, None, and lists and dictionaries (with texts as keys) of these"
"""What JSON can hold, for messages."""

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxlong = _repr.maxother = 60


def is_name(value: object) -> TypeGuard[str]:
    """Whether a value can name an instance, a set or a stratum: names are printed and stored as they are."""
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS or not value.strip():
        return False
    return not any(map(unseen, value))


def plain_fault(part: object) -> str | None:
    """One sentence on why a public or hidden part is no mapping of plain JSON values, or None.

    It starts with the key at fault in brackets, or with a colon.
    """
    if not isinstance(part, Mapping):
        return f": got {brief(part)}, expected a mapping of names to values"
    for key, value in part.items():
        if not isinstance(key, str):
            return f": got the key {brief(key)}, expected texts as keys"
        try:
            json.dumps({key: value}, sort_keys=True, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError) as error:
            return f"[{brief(key)}]: got {brief(value)} ({error}), expected plain JSON: {PLAIN}"
    return None


def brief(value: object) -> str:
    """A value in a few characters on one line, whatever it is; never raises."""
    try:
        return " ".join(_repr.repr(value).split())
    except Exception:  # integers of thousands of digits, and classes whose own text fails
        return f"a value of type {type(value).__name__}"
