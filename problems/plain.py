"""Checks the names and plain JSON values of an instance, and shows wrong values in messages."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from typing import TypeGuard

from ..sandbox.unseen import unseen

MOST_CHARACTERS = 500
NAME = f"a text of 1 to {MOST_CHARACTERS} characters on one line, without control or invisible characters"
"""The names that `is_name` accepts, for messages."""
PLAIN = "int, finite float, str, bool, None, and lists and dictionaries (with texts as keys) of these"
"""The values that JSON can hold, for messages."""

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxlong = _repr.maxother = 60


def is_name(value: object) -> TypeGuard[str]:
    """Whether a value can name an instance, a set or a stratum; names are printed and stored unchanged."""
    if not isinstance(value, str) or len(value) > MOST_CHARACTERS or not value.strip():
        return False
    return not any(map(unseen, value))


def plain_fault(part: object) -> str | None:
    """One sentence on why a public or hidden part is not a mapping of plain JSON values; None if it is.

    The sentence starts with the faulty key in brackets, or with a colon.
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
    """Any value in a few characters on one line; never raises."""
    try:
        return " ".join(_repr.repr(value).split())
    except Exception:  # integers of thousands of digits, and classes whose `repr` fails
        return f"a value of type {type(value).__name__}"
