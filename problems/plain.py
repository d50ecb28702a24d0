"""How messages show values that came from elsewhere."""

from __future__ import annotations

import reprlib

_repr = reprlib.Repr()
_repr.maxstring = _repr.maxlong = _repr.maxother = 60


def brief(value: object) -> str:
    """A value in a few characters on one line, whatever it is; never raises."""
    try:
        return " ".join(_repr.repr(value).split())
    except Exception:  # integers of thousands of digits, and classes whose own text fails
        return f"a value of type {type(value).__name__}"
