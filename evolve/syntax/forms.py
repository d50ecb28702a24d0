"""Numbers for syntax trees: two trees have the same number exactly when they are the same program text."""

from __future__ import annotations

import ast

from .order import walk


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
