"""Which names a piece of a program binds, reads and compares."""

from __future__ import annotations

import ast

from .kinds import FunctionNode, Walk, walk


def attributes_set(target: ast.expr) -> list[str]:
    """Attribute of `self` that a target sets, as it is written."""
    match target:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return [f"self.{name}"]
    return []


def names_stored(function: FunctionNode, walk: Walk = walk) -> frozenset[str]:
    """Names that a function's body assigns, targets of comprehensions aside; only asked for membership."""
    nodes = [node for part in function.body for node in walk(part)]
    inner = [id(n) for c in nodes if isinstance(c, ast.comprehension) for n in walk(c.target)]
    outside = {name for n in nodes if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    stores = [
        n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in inner
    ]
    return frozenset(n.id for n in stores if n.id not in outside)


def names_read(node: ast.AST) -> list[str]:
    """Names that an assignment reads (its own target, when it adds to it)."""
    parts = [node.target, node.value] if isinstance(node, ast.AugAssign) else [node]
    loads = isinstance(node, ast.AugAssign)
    return [
        n.id
        for part in parts
        for n in walk(part)
        if isinstance(n, ast.Name) and (loads or isinstance(n.ctx, ast.Load))
    ]


def names_compared(function: FunctionNode, walk: Walk = walk) -> frozenset[str | None]:
    """Names that a function compares as they are; only asked for membership."""
    sides = [s for n in walk(function) if isinstance(n, ast.Compare) for s in (n.left, *n.comparators)]
    return frozenset(side.id for side in sides if isinstance(side, ast.Name))


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
