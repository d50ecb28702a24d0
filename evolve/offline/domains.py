"""Says which index belongs to which list: where `costs[t]` and `counts[b]` stand, no `costs[b]` may arise.

Names that meet in a subscript or a loop over a list's length share a domain; a name that never does fits
everywhere. The function in which a name stands is ignored: two uses of one name only
make the answer more permissive.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ..syntax.order import walk

_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


class Domains:
    """Groups of names that index one another (union-find)."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Joins names pair by pair."""
        self._parents: dict[str, str] = {}
        for first, second in pairs:
            self._join(first, second)

    def sound(self, expression: ast.AST) -> bool:
        """Whether the domains allow every subscript of an expression."""
        return all(self.fits(*pair) for pair in pairs_in(expression))

    def fits(self, values: str, index: str) -> bool:
        """Whether `values[index]` makes sense, as far as is known."""
        known = self._parents
        return values not in known or index not in known or self._root(values) == self._root(index)

    def _join(self, first: str, second: str) -> None:
        for name in (first, second):
            self._parents.setdefault(name, name)
        self._parents[self._root(first)] = self._root(second)

    def _root(self, name: str) -> str:
        parents = self._parents
        while parents[name] != name:
            parents[name] = parents[parents[name]]  # halves the way for whoever asks next
            name = parents[name]
        return name


def pairs_in(tree: ast.AST) -> list[tuple[str, str]]:
    """Lists and indices that a tree brings together, by subscripts and loops."""
    nodes = walk(tree)
    names: dict[int, str] = {}
    for node in reversed(nodes):  # what lies below a node comes behind it
        if isinstance(node, _NAMED) and (name := _list_name(node, names)):
            names[id(node)] = name
    return [pair for node in nodes for pair in _pairs(node, names)]


def _pairs(node: ast.AST, names: dict[int, str]) -> list[tuple[str, str]]:
    """Lists and indices that one node brings together."""
    match node:
        case ast.Subscript(value=value, slice=ast.Name(id=index)) if name := names.get(id(value)):
            return [(name, index)]
        case (
            ast.For(target=ast.Name(id=index), iter=source)
            | ast.comprehension(target=ast.Name(id=index), iter=source)
        ):
            match source:
                case ast.Call(
                    func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[values])]
                ):
                    return [(whole, index)] if (whole := names.get(id(values))) else []
                case ast.Name(id=name):
                    return [(f"item of {name}", index)]
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=index), *_]), iter=ast.Call(args=[values, *_]) as call
        ):
            if isinstance(call.func, ast.Name) and call.func.id == "enumerate":
                return [(whole, index)] if (whole := names.get(id(values))) else []
    return []


def _list_name(node: ast.AST, names: dict[int, str]) -> str:
    """Name of a list, with a mark for each level inside it; empty when it has none, by the names below it."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return f"self.{name}"
        case ast.Subscript(value=value) if id(value) in names:
            return f"{names[id(value)]}[]"
    return ""
