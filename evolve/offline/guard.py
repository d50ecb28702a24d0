"""What a child must keep: its interface, its imports, the size caps, bound names and loops that end."""

from __future__ import annotations

import ast
from collections import Counter

from ...sandbox.base import MAX_DEPTH, MAX_NODES, MAX_SOURCE_BYTES
from .kinds import walk
from .scope import Analysis
from .work import names_in

_CHANGING = (
    "remove",
    "pop",
    "append",
    "discard",
    "popleft",
    "clear",
    "insert",
    "extend",
    "add",
    "appendleft",
    "popitem",
)
_GROWING = ("append", "insert", "extend", "add", "appendleft")


def size(tree: ast.AST) -> tuple[int, int]:
    """Number of nodes (count) and largest depth (levels) of a tree."""
    nodes, depth = 0, 0
    level = [tree]
    while level:
        nodes += len(level)
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return nodes, depth


def within_caps(tree: ast.Module, text: str) -> bool:
    """Whether a text fits the caps that every candidate must fit."""
    nodes, depth = size(tree)
    return nodes <= MAX_NODES and depth <= MAX_DEPTH and len(text.encode()) <= MAX_SOURCE_BYTES


def interface(tree: ast.Module, entry: str) -> tuple[str, ...]:
    """Signatures of the entry point (of its methods, when it is a class); empty when it is missing."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return (_signature(node),)
        if isinstance(node, ast.ClassDef) and node.name == entry:
            return tuple(_signature(m) for m in node.body if isinstance(m, ast.FunctionDef))
    return ()


def _signature(node: ast.FunctionDef) -> str:
    returns = "" if node.returns is None else ast.unparse(node.returns)
    return f"{node.name}({ast.unparse(node.args)}) -> {returns}"


def imports(tree: ast.Module) -> tuple[str, ...]:
    """Texts of all import statements, sorted."""
    found = [ast.unparse(node) for node in walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return tuple(sorted(found))


def hazards(tree: ast.Module, analysis: Analysis) -> Counter[tuple[str, str]]:
    """Signs of trouble with their number: names that may be unbound, loops that may never end."""
    found: Counter[tuple[str, str]] = Counter(analysis.unbound)
    for node in walk(tree):
        if isinstance(node, ast.While):
            found["while", _progress(node)] += 1
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and _grows(node, node.iter.id):
            found["for", "grows while it runs"] += 1
        elif isinstance(node, ast.ClassDef):
            found.update(("class", f"self.{name} is never set") for name in _unset(node))
        elif isinstance(node, ast.Call | ast.BinOp) and _pointless(node):
            found["pointless", type(node).__name__] += 1
    found.pop(("while", "always"), None)
    return found


def _unset(node: ast.ClassDef) -> list[str]:
    """Attributes of `self` that a class reads and neither sets nor defines."""
    own = [n for n in walk(node) if isinstance(n, ast.Attribute)]
    own = [n for n in own if isinstance(n.value, ast.Name) and n.value.id == "self"]
    added = [n.target for n in walk(node) if isinstance(n, ast.AugAssign)]
    known = [n.attr for n in own if isinstance(n.ctx, ast.Store) and n not in added]
    known += [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
    read = {n.attr for n in own if isinstance(n.ctx, ast.Load) or n in added}
    return sorted(read - set(known))


def _progress(loop: ast.While) -> str:
    """Whether each round surely changes what the loop's condition reads."""
    watched = names_in([loop.test])
    if any(_changes(node, watched) for node in loop.body):
        return "always"
    for node in loop.body:
        for part in walk(node):
            if isinstance(part, ast.Break | ast.Return) or (
                isinstance(part, ast.stmt) and _changes(part, watched)
            ):
                return "sometimes"
    return "never"


def _changes(node: ast.stmt, watched: list[str]) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return any(isinstance(n, ast.Name) and n.id in watched for t in targets for n in walk(t))
        case ast.AugAssign(target=target):
            return any(isinstance(n, ast.Name) and n.id in watched for n in walk(target))
        case ast.Delete(targets=targets):
            return any(name in watched for name in names_in(targets))
        case ast.Expr(value=value) | ast.Assign(value=value):
            return _calls(value, watched, _CHANGING)
    return False


def _calls(node: ast.AST, watched: list[str], methods: tuple[str, ...]) -> bool:
    for part in walk(node):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
                if name in watched and attr in methods:
                    return True
    return False


def _grows(loop: ast.For, name: str) -> bool:
    return any(_calls(node, [name], _GROWING) for node in loop.body)


def _pointless(node: ast.Call | ast.BinOp) -> bool:
    """Whether an operation on two equal sides says nothing (`max(x, x)`, `x - x`)."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Sub | ast.Div) and ast.dump(node.left) == ast.dump(node.right)
    if isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and len(node.args) == 2:
        return ast.dump(node.args[0]) == ast.dump(node.args[1])
    return False
