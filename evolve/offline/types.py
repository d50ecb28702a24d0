"""Types of an entry point's parameters, for programs that write no annotations.

A problem's `signature` says them; where it is silent, the training instances do. They are lent to a tree
while operators work on it and taken back before its text is written, so a program keeps its author's style.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...problems.base import Driven, Instance, Interactive, Problem
from ..syntax.tree import walk

Types = tuple[tuple[str, str, str], ...]
"""Rows of function (`Class.method` of a method), parameter (`return` for the result) and annotation."""
RESULT = "return"
_LONGEST = 10_000
"""Characters of a signature that is read."""
_NESTED = 4
"""Levels of lists that are looked into."""
_SCALARS = (bool, int, float, str)
_LENT = "lent"
_TYPE = re.compile(r"[\w.\[\], |]{1,200}")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def types_of(problem: Problem, instances: Iterable[Instance]) -> Types:
    """What a problem's signature says of its entry point, and what its instances say beside that."""
    entry = problem.entry_point
    written = tuple(_written(_stub(problem.signature), entry))
    if isinstance(problem, Driven | Interactive):  # a driver's calls are not made of the instance's fields
        return written
    there = {(function, name) for function, name, _ in written}
    seen = _seen([instance.public for instance in instances], {n for f, n in there if f == entry})
    return written + tuple((entry, name, type) for name, type in seen)


def lend(tree: ast.Module, types: Types) -> None:
    """Annotates parameters and results that have no annotation."""
    if not types:
        return
    known: dict[str, dict[str, str]] = {}
    for owner, name, type in types:
        known.setdefault(owner, {})[name] = type
    for title, function in _functions(tree):
        own = known.get(title, {})
        for argument in _arguments(function):
            if argument.annotation is None and argument.arg in own:
                argument.annotation = _marked(own[argument.arg])
        if function.returns is None and RESULT in own:
            function.returns = _marked(own[RESULT])


def take_back(tree: ast.Module) -> None:
    """Removes every annotation that was lent, wherever operators have copied it."""
    for node in walk(tree):
        if isinstance(node, _Function) and hasattr(node.returns, _LENT):
            node.returns = None
        elif isinstance(node, ast.arg) and hasattr(node.annotation, _LENT):
            node.annotation = None


def is_type(text: str) -> bool:
    """Whether a text can be read as an annotation: short, of names, brackets and bars alone."""
    if not _TYPE.fullmatch(text):
        return False
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def _marked(type: str) -> ast.expr:
    annotation = ast.parse(type, mode="eval").body
    setattr(annotation, _LENT, True)
    return annotation


def _functions(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    """Functions at the top level, and the methods of classes there, each with its title in `Types`."""
    for node in tree.body:
        if isinstance(node, _Function):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{p.name}", p) for p in node.body if isinstance(p, _Function))


def _arguments(function: _Function) -> list[ast.arg]:
    parts = function.args
    return [*parts.posonlyargs, *parts.args, *parts.kwonlyargs]


def _stub(signature: str) -> ast.Module | None:
    """A signature as a tree; None if it is not written as Python writes one."""
    text = signature.strip()[: _LONGEST + 1]
    if len(text) > _LONGEST:
        return None
    for whole in (text, f"{text.removesuffix(':')}: ...", f"def {text.removesuffix(':')}: ..."):
        try:
            return ast.parse(whole)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _written(tree: ast.Module | None, entry: str) -> Iterator[tuple[str, str, str]]:
    """Rows of the annotations that the entry point has in a signature."""
    for node in () if tree is None else tree.body:
        if getattr(node, "name", None) != entry:
            continue
        for title, function in _functions(ast.Module([node], [])):
            for argument in _arguments(function):
                yield from _row(title, argument.arg, argument.annotation)
            yield from _row(title, RESULT, function.returns)


def _row(function: str, name: str, annotation: ast.expr | None) -> Iterator[tuple[str, str, str]]:
    if annotation is not None and is_type(type := ast.unparse(annotation)):
        yield function, name, type


def _seen(rows: list[Any], known: set[str]) -> Iterator[tuple[str, str]]:
    """Fields of instances, without those that are known, whose values all have one type."""
    for name in rows[0] if rows else ():
        if name in known:
            continue
        type = _common([row[name] for row in rows if name in row])
        if type:
            yield name, type


def _common(values: list[Any], level: int = 0) -> str:
    """The type that all values have as an annotation; empty if they have none in common."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return "float"
    if len(kinds) != 1:
        return ""
    kind = kinds.pop()
    if kind in _SCALARS:
        return str(kind.__name__)
    if kind is not list or level >= _NESTED:
        return ""
    inner = _common([item for value in values for item in value], level + 1)
    return f"list[{inner}]" if inner else ""
