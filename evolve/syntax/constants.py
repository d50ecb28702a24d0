"""The numbers that a program names; apart from their tuning, which reads no syntax.

A name says that the number may be another one. A number in the middle of an expression is as often a
guard (`if m <= 2`), an offset (`m - 1`) or part of a formula. Left alone are whole numbers that are an index,
a length or a range anywhere, names that only guard or bound, sentinels (compared by `==`), numbers in
arithmetic modulo something or with bits (seeds), tolerances, and numbers that stand for infinity: from a
million on, or from a thousand on and a thousand times as large as the next smaller one.
"""

from __future__ import annotations

import ast
import io
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .analysis import analyse
from .scope import Spot

MOST = 12
"""Most numbers of a program that are tuned (count)."""
_TOLERANCE = 1e-5
_INFINITE = 1e6
_FAR = 1e3
"""From this size on, a number that is this many times as large as the next smaller one is left alone."""
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.AugAssign)
_OF_BITS = (ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)


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
    entering = [node for name, node in defined if names.count(name) == 1 and _enters(node, uses[name])]
    return sorted(_near(entering), key=_place)[:MOST]


def _enters(node: ast.Constant, uses: Sequence[Spot]) -> bool:
    """Whether a name takes part in arithmetic and is no index, length, range, sentinel or seed.

    A fraction is no length, but may be a factor of one (`range(int(SHARE * n))`).
    """
    whole = isinstance(node.value, int)
    return any(isinstance(spot.owner, _ARITHMETIC) for spot in uses) and not any(
        (whole and spot.structural) or _exact(spot.owner) for spot in uses
    )


def _exact(owner: ast.AST) -> bool:
    """Whether a use asks for this number and no other: a test for equality, a modulus, bits."""
    if isinstance(owner, ast.Compare):
        return any(isinstance(operator, ast.Eq | ast.NotEq) for operator in owner.ops)
    return isinstance(owner, ast.BinOp | ast.AugAssign) and isinstance(owner.op, _OF_BITS)


def _near(nodes: Sequence[ast.Constant]) -> list[ast.Constant]:
    """The numbers, by size, before the first one that is far larger than the one before it."""
    values = sorted(float(str(node.value)) for node in nodes)
    end = next((high for low, high in pairwise(values) if high >= max(_FAR, _FAR * low)), math.inf)
    return [node for node in nodes if float(str(node.value)) < end]


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
        if _TOLERANCE <= magnitude < _INFINITE:
            yield name, value
