"""Checks of what a line of JSON holds: it comes from another process or machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

MOST_CHARACTERS = 1 << 24
"""Longest line of a worker; one of ten thousand scores has a third of that."""
TEXT = (str,)
MAYBE = (str, type(None))
COUNT = (int, type(None))


class LineError(ValueError):
    """A line is no message of a driver or worker; says what is wrong with it."""


def columns(row: Any, kinds: Sequence[tuple[type, ...]], what: str) -> Any:
    """A row whose columns are of some types."""
    if len(row) != len(kinds) or not all(type(v) in kind for v, kind in zip(row, kinds, strict=True)):
        raise LineError(f"{what}: got {row!r:.120}, expected {len(kinds)} columns of other types")
    return row


def typed(document: Mapping[str, Any], key: str, kind: type) -> Any:
    """The value of a key, which is of a type."""
    value = document[key]
    if type(value) is not kind:
        raise LineError(f"{key}: got {value!r:.60}, expected {kind.__name__}")
    return value


def texts_by_path(document: Mapping[str, Any]) -> dict[str, str]:
    """The files of a message: path → text."""
    files: dict[str, str] = typed(document, "files", dict)
    if not all(type(text) is str for text in files.values()):
        raise LineError("files: expected path → text")
    return files


def _refused(text: str) -> NoReturn:
    raise LineError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refused)


def document_of(line: str) -> dict[str, Any]:
    """The JSON object of a line."""
    if len(line) > MOST_CHARACTERS:
        raise LineError(f"a line of more than {MOST_CHARACTERS} characters")
    document = _DECODER.decode(line)
    if type(document) is not dict:
        raise LineError(f"got {line!r:.60}, expected a JSON object")
    return document


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turns whatever a damaged line raises into a `LineError`."""
    try:
        yield
    except LineError as error:
        raise LineError(f"{what}: {error}") from None
    except KeyError as error:
        raise LineError(f"{what}: {error} is missing or not known") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise LineError(f"{what}: damaged: {error}") from None
