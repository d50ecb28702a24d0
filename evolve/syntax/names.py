"""Which names a piece of a program binds and reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from .kinds import FunctionNode
from .order import parts, walk

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def attributes_set(target: ast.expr) -> list[str]:
    """Attribute of `self` that a target sets, as it is written."""
    match target:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return [f"self.{name}"]
    return []


def names_stored(function: FunctionNode) -> frozenset[str]:
    """Names that a function's own statements assign, targets of comprehensions aside."""
    stored: set[str] = set()
    outside: set[str] = set()
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outside.update(node.names)
        elif isinstance(node, ast.comprehension):
            stack += [node.iter, *node.ifs]
        elif not isinstance(node, _DEFINITIONS):
            stack += parts(node)
    return frozenset(stored - outside)


def names_in(nodes: Iterable[ast.AST]) -> dict[str, None]:
    """Names read in some trees, each once, in order."""
    names: dict[str, None] = {}
    for root in nodes:
        for node in walk(root):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names[node.id] = None
    return names


def bound_in(node: ast.AST) -> set[str]:
    """Names that an expression binds inside itself (lambda arguments, comprehension targets)."""
    names: set[str] = set()
    for part in walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            names.add(part.id)
        elif isinstance(part, ast.arg):
            names.add(part.arg)
    return names


def module_names(tree: ast.Module) -> list[str]:
    """Names that a module binds at its top level, in order."""
    names: list[str] = []
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names += [(a.asname or a.name).split(".")[0] for a in aliases]
            case _:
                names += [
                    n.id for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                ]
    return names
