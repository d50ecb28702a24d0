"""Numbers of an answer's form that depend on the instance: `40`, `"crossings"` or `"len(times)"`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from types import CodeType
from typing import Any

from ..plain import brief

MOST = 10_000_000
"""Items of a form (count): a list of more needs more memory than an answer may take."""
_MOST_BITS = 4096
"""Of a power or a shifted number."""


def _power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`, of whole numbers only as far as the result fits; `9**9**9` would never end.

    Raises:
        ValueError: the result is too large.
    """
    if type(base) is type(exponent) is int and base.bit_length() * exponent > _MOST_BITS:
        raise ValueError(f"a power beyond {_MOST_BITS} bits")
    return base**exponent


def _shifted(number: int, places: int) -> int:
    """`number << places`, as far as the result fits.

    Raises:
        ValueError: the result is too large.
    """
    if places > _MOST_BITS:
        raise ValueError(f"a number beyond {_MOST_BITS} bits")
    return number << places


def _range(*bounds: int) -> range:
    """`range`, of at most `MOST` numbers.

    Raises:
        ValueError: there are more.
    """
    if (items := range(*bounds))[MOST:]:
        raise ValueError(f"a range of more than {MOST:,} numbers")
    return items


_PLAIN = (abs, float, int, len, list, max, min, round, sorted, sum)
_FUNCTIONS: dict[str, Any] = {**{f.__name__: f for f in _PLAIN}, "range": _range}
_BOUNDED = {ast.Pow: _power, ast.LShift: _shifted}
"""Operators that make a short text a number without end → what is done in their place."""
_OPERATORS = {f.__name__: f for f in _BOUNDED.values()}
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
        return eval(_code(stated), {"__builtins__": {**_FUNCTIONS, **_OPERATORS}}, dict(names))
    except Exception as error:
        raise FormError(
            f"{stated!r}: {type(error).__name__}: {error}; expected an expression over {', '.join(names)}"
        ) from error


def count(stated: float | str, names: Mapping[str, Any]) -> int:
    """How many things a number or an expression states, ≥ 0; a list stands for its length.

    Raises:
        FormError: the value is no such number, or more than `MOST`.
    """
    found = value(stated, names)
    if isinstance(found, list | tuple | dict | range):
        found = len(found)
    if type(found) is not int or not 0 <= found <= MOST:
        expected = f"a whole number from 0 to {MOST:,}, or a list"
        raise FormError(f"{stated!r}: got {brief(found)}, expected {expected}")
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
    tree = ast.parse(text.strip(), "<form>", "eval")
    return compile(ast.fix_missing_locations(_Bounding().visit(tree)), "<form>", "eval")


class _Bounding(ast.NodeTransformer):
    """Puts bounded functions in the place of operators."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """A power or a shift becomes a call."""
        self.generic_visit(node)
        bounded = _BOUNDED.get(type(node.op))
        if bounded is None:
            return node
        name = ast.Name(bounded.__name__, ast.Load())
        return ast.copy_location(ast.Call(name, [node.left, node.right], []), node)
