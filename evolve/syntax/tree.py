"""The nodes of a tree in one list, parents first; names and numbers of what lies below a node.

Questions about a part of a tree (what it holds, whether it reads a name) are answered by positions in the
list, so that a question costs no walk and nesting does not multiply the work.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property

# Fields that hold no node that matters here: texts, contexts and the operators of single-operator nodes.
_PLAIN = frozenset(("ctx", "op", "id", "attr", "arg", "name", "type_comment", "kind", "level", "asname"))
_PARTS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


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


class NodeOrder:
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


# Which names a piece of a program binds and reads.

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


# Numbers for syntax trees: two trees have the same number exactly when they are the same program text.


class Forms:
    """Numbers every node of some trees, from the leaves up, so that comparing parts costs nothing."""

    def __init__(self) -> None:
        """Starts without trees."""
        self._numbers: dict[object, int] = {}
        self._of: dict[int, int] = {}
        self._trees: list[ast.AST] = []

    def add(self, tree: ast.AST) -> int:
        """Takes a tree, which must not change, and returns its number."""
        self._trees.append(tree)  # kept, for a node's number is found by its id
        for node in reversed(walk(tree)):
            values = tuple(self._value(value) for _, value in ast.iter_fields(node))
            self._of[id(node)] = self._numbers.setdefault((type(node), values), len(self._numbers))
        return self._of[id(tree)]

    def __getitem__(self, node: ast.AST) -> int:
        return self._of[id(node)]

    def _value(self, value: object) -> object:
        if isinstance(value, list):
            return tuple(self._value(each) for each in value)
        if isinstance(value, ast.AST):
            number = self._of.get(id(value))
            return type(value).__name__ if number is None else number  # a context or an operator
        return type(value), repr(value)
