"""Numbers of an answer's form that depend on the instance: `40`, `"crossings"` or `"len(times)"`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from ..plain import brief

_FUNCTIONS = {f.__name__: f for f in (abs, float, int, len, list, max, min, range, round, sorted, sum)}
ITEM = "i"
"""Name of the item's number in an expression for each item."""


class FormError(ValueError):
    """The form of an answer is stated wrongly, which only the problem's author can mend."""


def value(stated: float | str, names: Mapping[str, Any]) -> Any:
    """The value of a number or of an expression over named values.

    Args:
        stated: a number, or Python text of the problem's author with the functions len, sum, min, max and
            their like.
        names: the public part of an instance, or what a decision is asked with.

    Raises:
        FormError: the expression cannot be computed; says of which names it may speak.
    """
    if not isinstance(stated, str):
        return stated
    try:
        return eval(_code(stated), {"__builtins__": _FUNCTIONS}, dict(names))
    except Exception as error:
        raise FormError(
            f"{stated!r}: {type(error).__name__}: {error}; expected an expression over {', '.join(names)}"
        ) from error


def count(stated: float | str, names: Mapping[str, Any]) -> int:
    """How many things a number or an expression states, ≥ 0; a list stands for its length.

    Raises:
        FormError: the value is no such number.
    """
    found = value(stated, names)
    if isinstance(found, list | tuple | dict | range):
        return len(found)
    if type(found) is not int or found < 0:
        raise FormError(f"{stated!r}: got {brief(found)}, expected a whole number ≥ 0, or a list")
    return found


def number(stated: float | str, names: Mapping[str, Any]) -> int | float:
    """The number that is stated.

    Raises:
        FormError: the value is no finite number.
    """
    found = value(stated, names)
    if type(found) not in (int, float) or not abs(found) < float("inf"):
        raise FormError(f"{stated!r}: got {brief(found)}, expected a finite number")
    return found  # type: ignore[no-any-return]


def counted(stated: float | str, names: Mapping[str, Any]) -> str:
    """Python text of a count, for programs: `crossings`, `len(times)`, `40`."""
    text = str(stated)
    return text if type(value(stated, names)) is int else f"len({text})"


def last(stated: float | str, names: Mapping[str, Any]) -> str:
    """The last number below a count, for statements: "`crossings - 1`", "39"."""
    text = counted(stated, names)
    return str(int(text) - 1) if text.isdigit() else f"`{text} - 1`"


def worded(stated: float | str, names: Mapping[str, Any]) -> str:
    """A count for statements: "`crossings`", "40"."""
    text = counted(stated, names)
    return text if text.isdigit() else f"`{text}`"


def checked(stated: object, what: str) -> None:
    """Refuses what is neither a number nor an expression.

    Raises:
        FormError: it is not; names the place.
    """
    if isinstance(stated, str):
        try:
            _code(stated)
        except (SyntaxError, ValueError) as error:
            raise FormError(f"{what}: got {stated!r}, which is no Python expression ({error})") from error
    elif type(stated) not in (int, float):
        raise FormError(f"{what}: got {brief(stated)}, expected a number or an expression as text")


@lru_cache(maxsize=256)
def mentions(stated: float | str) -> frozenset[str]:
    """The names that an expression speaks of."""
    if not isinstance(stated, str):
        return frozenset()
    nodes = ast.walk(ast.parse(stated, mode="eval"))
    return frozenset(node.id for node in nodes if isinstance(node, ast.Name)) - set(_FUNCTIONS)


@lru_cache(maxsize=256)
def _code(text: str) -> CodeType:
    return compile(text.strip(), "<form>", "eval")
