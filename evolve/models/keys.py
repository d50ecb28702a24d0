"""Keys as secrets: refused when no header can carry them, and hidden in whatever others say of a call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

from .base import ErrorKind, ModelError

HIDDEN = "***"
SHORTEST = 8
"""Shorter values are stand-ins such as `EMPTY` for local servers; hiding them would garble sentences."""
_KEY_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)(_|$)")


def check_key(spec: str, variable: str, key: str) -> str:
    """The key, if a header can carry it.

    Raises:
        ModelError: `KEY`, naming the variable and never its value.
    """
    if all("!" <= character <= "~" for character in key):
        return key
    raise ModelError(
        ErrorKind.KEY,
        f"{spec}: {variable} holds characters that no header can carry (expected printable ASCII without "
        f"spaces or line breaks); export {variable}=… with the key alone",
    )


class Keys:
    """Keys that must not be shown or stored.

    Args:
        keys: their values; those shorter than `SHORTEST` are left alone.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        forms = {form for key in keys if len(key) >= SHORTEST for form in _forms(key)}
        self._forms = sorted(forms, key=len, reverse=True)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Keys:
        """Every variable that by its name holds a key, for packages that look their keys up themselves."""
        return cls(value for name, value in environment.items() if _KEY_NAMES.search(name.upper()))

    def hide(self, text: str) -> str:
        """The text with `***` in the place of each key; to be called before a text is cut."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return text


NO_KEYS = Keys()
"""Hides nothing."""


def _forms(key: str) -> Iterable[str]:
    """How a key may be written: as it is, stripped, in Python's or JSON's notation, or in an address."""
    bare = key.strip()
    for form in (key, bare):
        yield from (form, repr(form)[1:-1], repr(form.encode(errors="replace"))[2:-1])
        yield from (json.dumps(form)[1:-1], quote(form, safe="", errors="replace"))
