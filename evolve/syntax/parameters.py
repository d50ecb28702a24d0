"""The numbers that a program names: module constants and keyword defaults that enter its arithmetic.

Whoever names a number says that it may be another one. A number in the middle of an expression is as often a
guard (`if m <= 2`), an offset (`m - 1`) or part of a formula. Left alone are names that are an index, a
length or a range anywhere, names that only guard, and tolerances.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Iterator, Sequence

from .scope import Spot, analyse

MOST = 12
"""Numbers of a program that are tuned at most (count)."""
_TOLERANCE = 1e-5
_LARGEST = 1e15
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.AugAssign)


def named_constants(text: str) -> list[float]:
    """Magnitudes of the named numbers of a text that can be tuned, in their order, at most `MOST`."""
    return [float(str(node.value)) for node in _nodes(text)]


def with_named_constants(text: str, values: Sequence[float]) -> str:
    """The text with other magnitudes (four significant digits) in place of its named numbers.

    Everything else stays as it is written, and integers stay integers, at least 1.

    Args:
        text: source within the sandbox's caps.
        values: one positive number for each of `named_constants(text)`.
    """
    lines = [line.encode() for line in io.StringIO(text, newline="").readlines()]
    changes = sorted(zip(_nodes(text), values, strict=True), key=lambda one: _place(one[0]), reverse=True)
    for node, value in changes:
        line = lines[node.lineno - 1]
        short = float(f"{value:.4g}")
        new = str(max(1, round(short))) if isinstance(node.value, int) else repr(short)
        lines[node.lineno - 1] = line[: node.col_offset] + new.encode() + line[node.end_col_offset :]
    return b"".join(lines).decode()


def _place(node: ast.Constant) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _nodes(text: str) -> list[ast.Constant]:
    """The numbers that can be tuned, in the order of the text."""
    tree = ast.parse(text)
    defined = list(_defined(tree))
    names = [name for name, _ in defined]
    uses: dict[str, list[Spot]] = {name: [] for name in names}
    for spot in analyse(tree).spots:
        if isinstance(spot.node, ast.Name) and spot.node.id in uses:
            uses[spot.node.id].append(spot)
    found = [node for name, node in defined if names.count(name) == 1 and _enters(uses[name])]
    return sorted(found, key=_place)[:MOST]


def _enters(uses: Sequence[Spot]) -> bool:
    """Whether a name takes part in arithmetic and is no index, length or range."""
    return any(isinstance(spot.owner, _ARITHMETIC) for spot in uses) and not any(
        spot.structural for spot in uses
    )


def _defined(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    """Names and numbers of module constants and of defaults of arguments."""
    for statement in tree.body:
        target: ast.expr | None = None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        elif isinstance(statement, ast.AnnAssign):
            target = statement.target
        if isinstance(target, ast.Name) and isinstance(statement, ast.Assign | ast.AnnAssign):
            yield from _numbered(target.id, statement.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            parts = node.args
            positional = [*parts.posonlyargs, *parts.args]
            defaults = parts.defaults
            for argument, default in zip(
                positional[len(positional) - len(defaults) :], defaults, strict=True
            ):
                yield from _numbered(argument.arg, default)
            for argument, value in zip(parts.kwonlyargs, parts.kw_defaults, strict=True):
                yield from _numbered(argument.arg, value)


def _numbered(name: str, value: ast.expr | None) -> Iterator[tuple[str, ast.Constant]]:
    """The name with its number, if it is one that can be tuned; a sign stays where it is."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        value = value.operand
    if isinstance(value, ast.Constant) and type(value.value) in (int, float):
        magnitude = value.value
        assert isinstance(magnitude, int | float)
        if _TOLERANCE <= magnitude <= _LARGEST:
            yield name, value
