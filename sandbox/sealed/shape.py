"""The shape of a text: what stays when names are exchanged, numbers rounded and comments dropped."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator

_DIGITS = 3
_SKIPPED = ("ctx", "annotation", "returns", "type_comment", "kind", "type_params")


def shape_digest(tree: ast.Module, docstrings: bool = False) -> str:
    """Hex SHA-256 of a syntax tree without annotations and, unless they count, without docstrings.

    The names that the text itself binds are numbered by first appearance, and floats are rounded to three
    significant digits.

    Two texts of one shape compute the same, or nearly: they differ in names or in the last digits of numbers.
    """
    numbers: dict[str, int] = {}
    bound = set(_bound(tree))

    def words(node: ast.AST) -> Iterator[str]:
        yield type(node).__name__
        for field, value in ast.iter_fields(node):
            if field in _SKIPPED:
                continue
            values = value if isinstance(value, list) else [value]
            if field == "body" and isinstance(value, list) and not docstrings:
                values = [one for one in values if not _is_docstring(one)]
            yield f"{field}{len(values)}"
            for one in values:
                if isinstance(one, ast.AST):
                    yield from words(one)
                elif isinstance(one, str) and field in ("id", "arg") and one in bound:
                    yield f"name {numbers.setdefault(one, len(numbers))}"
                else:
                    yield _plain(one)

    return hashlib.sha256("\0".join(words(tree)).encode("utf-8", "surrogatepass")).hexdigest()


def _bound(tree: ast.AST) -> Iterator[str]:
    """Local names: arguments and assigned variables, but no argument that a call names."""
    named = {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    shared = {
        name for node in ast.walk(tree) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in shared:
            yield node.id
        elif isinstance(node, ast.arg) and node.arg not in named:
            yield node.arg


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"float {value:.{_DIGITS}g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"int {value:x}"
    return f"{type(value).__name__} {value!r}"


def _is_docstring(node: object) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
