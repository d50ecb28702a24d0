"""The nodes of a tree in one list, parents first: what lies below a node is a slice of it.

Questions about a part of a tree (what it holds, whether it reads a name) are answered by positions in the
list, so that a question costs no walk and nesting does not multiply the work.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from functools import cached_property

# Fields that hold no node that matters here: texts, contexts and the operators of single-operator nodes.
_PLAIN = frozenset(("ctx", "op", "id", "attr", "arg", "name", "type_comment", "kind", "level", "asname"))
_PARTS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def _parts(kind: type[ast.AST]) -> tuple[str, ...]:
    """Fields of a kind of node that may hold nodes, last first."""
    names = _PARTS[kind] = tuple(name for name in reversed(kind._fields) if name not in _PLAIN)
    return names


def parts(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node that are no contexts and no operators, in no particular order."""
    nodes: list[ast.AST] = []
    kind = node.__class__
    for name in _PARTS[kind] if kind in _PARTS else _parts(kind):
        value = getattr(node, name, None)
        if isinstance(value, list):
            nodes += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST):
            nodes.append(value)
    return nodes


def walk(root: ast.AST) -> list[ast.AST]:
    """All nodes of a tree, parents first, siblings in order of the text (faster than `ast.walk`)."""
    nodes: list[ast.AST] = []
    stack = [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        kind = node.__class__
        for name in _PARTS[kind] if kind in _PARTS else _parts(kind):
            value = getattr(node, name, None)
            if isinstance(value, list):
                stack += [part for part in reversed(value) if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                stack.append(value)
    return nodes


class Order:
    """A tree's nodes, parents first. A tree that is changed needs a new one."""

    def __init__(self, root: ast.AST) -> None:
        """Walks the tree once."""
        self.nodes: list[ast.AST] = []
        self._start: dict[int, int] = {}
        owners: list[int] = []
        stack = [(root, 0)]
        while stack:
            node, owner = stack.pop()
            here = len(self.nodes)
            self.nodes.append(node)
            owners.append(owner)
            self._start[id(node)] = here
            kind = node.__class__
            for name in _PARTS[kind] if kind in _PARTS else _parts(kind):
                value = getattr(node, name, None)
                if isinstance(value, list):
                    stack += [(part, here) for part in reversed(value) if isinstance(part, ast.AST)]
                elif isinstance(value, ast.AST):
                    stack.append((value, here))
        self._size = [1] * len(self.nodes)
        for here in range(len(self.nodes) - 1, 0, -1):
            self._size[owners[here]] += self._size[here]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Positions of a node of the tree and of the end of what lies below it."""
        start = self._start[id(node)]
        return start, start + self._size[start]

    def size(self, node: ast.AST) -> int:
        """Nodes in a part (count); a part that the tree does not hold is walked."""
        start = self._start.get(id(node))
        return len(walk(node)) if start is None else self._size[start]

    def below(self, node: ast.AST) -> list[ast.AST]:
        """A node of the tree and all nodes below it."""
        start, end = self.span(node)
        return self.nodes[start:end]

    def reads(self, node: ast.AST, name: str) -> bool:
        """Whether a part of the tree reads a name."""
        return self._within(self._loads.get(name), node)

    def compares(self, node: ast.AST, name: str) -> bool:
        """Whether a part of the tree compares a name as it is."""
        return self._within(self._compared.get(name), node)

    def first_returned(self, function: ast.AST) -> ast.expr | None:
        """What the first `return` with a value in a function returns, functions inside it included."""
        start, end = self.span(function)
        place = bisect_left(self._returns, start)
        if place == len(self._returns) or self._returns[place] >= end:
            return None
        node = self.nodes[self._returns[place]]
        return node.value if isinstance(node, ast.Return) else None

    def _within(self, places: list[int] | None, node: ast.AST) -> bool:
        if places is None:
            return False
        start, end = self.span(node)
        place = bisect_left(places, start)
        return place < len(places) and places[place] < end

    @cached_property
    def _loads(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for here, node in enumerate(self.nodes):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                places.setdefault(node.id, []).append(here)
        return places

    @cached_property
    def _compared(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for here, node in enumerate(self.nodes):
            if isinstance(node, ast.Compare):
                for side in (node.left, *node.comparators):
                    if isinstance(side, ast.Name):
                        places.setdefault(side.id, []).append(here)
        return places

    @cached_property
    def _returns(self) -> list[int]:
        return [
            here
            for here, node in enumerate(self.nodes)
            if isinstance(node, ast.Return) and node.value is not None
        ]
