"""Scopes that share their bindings, and the places in them that can be changed.

A block keeps one log of its bindings, and a scope is a position in that log: later bindings are appended, and
earlier scopes do not see them. So a scope costs the same for any number of names.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from .tree import NodeOrder
from .types import ARRAY, NUMBER, OTHER, Lookup


class _Log:
    """What one block binds, in order.

    Attributes:
        outer: the scope around the block, None for a module.
        hidden: names of the scope around it that are not to be seen.
        better: kinds of names whose kind the scope does not know.
        names: name → the kinds that it took, each with the position from which it holds.
        length: bindings so far (count).
    """

    __slots__ = ("_of_kind", "better", "hidden", "length", "names", "outer")

    def __init__(
        self, outer: Scope | None, hidden: Set[str] = frozenset(), better: Lookup | None = None
    ) -> None:
        self.outer = outer
        self.hidden = hidden
        self.better = better
        self.names: dict[str, list[tuple[int, str]]] = {}
        self.length = 0
        self._of_kind: dict[tuple[str, int], list[str]] = {}

    def at(self, name: str, position: int) -> str | None:
        """The kind of a name at a position; None if the block has not bound it before."""
        kinds = self.names.get(name)
        place = bisect_left(kinds, (position,)) if kinds else 0
        return kinds[place - 1][1] if kinds and place else None

    def of_kind(self, kind: str, position: int) -> list[str]:
        """Names that the block has bound before a position and that have a kind there."""
        if (kind, position) not in self._of_kind:
            self._of_kind[kind, position] = [name for name, own in self.until(position) if own == kind]
        return self._of_kind[kind, position]

    def until(self, position: int) -> Iterator[tuple[str, str]]:
        """Names bound before a position with their kinds there, in order of their first binding."""
        for name, kinds in self.names.items():
            if kinds[0][0] >= position:
                return
            yield name, kinds[bisect_left(kinds, (position,)) - 1][1]


class Scope(Mapping[str, str]):
    """Names that are surely bound at a place, each with its kind, in order of binding."""

    __slots__ = ("_log", "_position")

    def __init__(self, log: _Log, position: int) -> None:
        self._log = log
        self._position = position

    @classmethod
    def empty(cls) -> Scope:
        """The scope at the beginning of a module."""
        return cls(_Log(None), 0)

    def inner(self, hidden: Set[str] = frozenset(), better: Lookup | None = None) -> Scope:
        """The scope at the beginning of a block inside; `hidden` and `better` as for the block's log."""
        return Scope(_Log(self, hidden, better), 0)

    def bind(self, names: Iterable[tuple[str, str]]) -> Scope:
        """The scope after further bindings (name, kind)."""
        scope = self
        for name, kind in names:
            if scope._found(name)[0] != kind:
                scope = scope._with(name, kind)
        return scope

    def _with(self, name: str, kind: str) -> Scope:
        if self._position != self._log.length:  # something else was bound after this position
            return self.inner()._with(name, kind)
        self._log.names.setdefault(name, []).append((self._position, kind))
        self._log.length += 1
        return Scope(self._log, self._log.length)

    def shared(self, names: Mapping[str, str]) -> Scope:
        """The scope with further names that many scopes have in common; nothing is bound in it."""
        log = _Log(self)
        log.names = {name: [(0, kind)] for name, kind in names.items()}
        log.length = 1
        return Scope(log, 1)

    def joined(self, ends: list[Scope]) -> Scope:
        """The scope after alternative blocks that began here, one of which ran to its end."""
        if not ends or ends[0] is self:
            return self
        scope = self
        for name, kind in ends[0]._log.until(ends[0]._position):
            if all(name in end for end in ends[1:]):
                scope = scope._with(name, kind)
        return scope

    def holds(self, kind: str) -> bool:
        """Whether a name of a kind is bound."""
        scope: Scope | None = self
        while scope is not None:
            if any(self.get(name) == kind for name in scope._log.of_kind(kind, scope._position)):
                return True
            scope = scope._log.outer
        return False

    def _found(self, name: str) -> tuple[str | None, Lookup | None]:
        """The kind of a name as a block bound it, and kinds that may be better known."""
        scope: Scope | None = self
        better: Lookup | None = None
        while scope is not None:
            log = scope._log
            better = better or log.better
            if (kind := log.at(name, scope._position)) is not None:
                return kind, better
            scope = None if name in log.hidden else log.outer
        return None, None

    def get(self, name: str, default: Any = None, /) -> Any:
        """The kind of a name, or the default if it may be unbound."""
        kind, better = self._found(name)
        if kind is None:
            return default
        return better.get(name, OTHER) if better is not None and kind == OTHER else kind

    def __getitem__(self, name: str) -> str:
        kind: str | None = self.get(name)
        if kind is None:
            raise KeyError(name)
        return kind

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._found(name)[0] is not None

    def __iter__(self) -> Iterator[str]:
        names: dict[str, None] = {}
        scopes: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            scopes.append(scope)
            scope = scope._log.outer
        for scope in reversed(scopes):
            for name in scope._log.hidden:
                names.pop(name, None)
            names.update((name, None) for name, _ in scope._log.until(scope._position))
        return iter(names)

    def __len__(self) -> int:
        return sum(1 for _ in self)


# Places of a text: expressions and lists of statements that can be changed, as one analysis finds them.

DECISION_WEIGHT = 4
SCORE_WEIGHT = 16


@dataclass(frozen=True, slots=True)
class Spot:
    """One expression in its place.

    Attributes:
        owner, field, index: the parent node, its field and the position in it (None: the field itself).
        kind: rough type of the expression.
        scope: names surely bound there, with their kinds, in order of binding.
        structural: whether it is part of a subscript, a range or what a loop runs over.
        deciding: whether it decides something (a sort key, a comparison, a returned value).
        recurrent: whether it feeds the name that it is assigned to (`t = t + p`), inside a loop.
    """

    owner: ast.AST
    field: str
    index: int | None
    kind: str
    scope: Scope
    structural: bool
    deciding: bool
    recurrent: bool

    @property
    def node(self) -> Any:
        """The expression that is there now."""
        value = getattr(self.owner, self.field)
        return value if self.index is None else value[self.index]

    def put(self, node: ast.expr) -> None:
        """Replaces the expression."""
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node

    @property
    def weight(self) -> int:
        """How often it should be drawn, relative to others; most often a whole score or key."""
        if not self.deciding:
            return 1
        whole = isinstance(self.owner, ast.Return | ast.Lambda | ast.Assign) and self.kind in (NUMBER, ARRAY)
        return SCORE_WEIGHT if whole else DECISION_WEIGHT


@dataclass(frozen=True, slots=True)
class Block:
    """A list of statements in its place; `scopes[i]` holds the names surely bound before statement i."""

    owner: ast.AST
    field: str
    scopes: list[Scope]

    @property
    def body(self) -> list[ast.stmt]:
        """The statements that are there now."""
        body: list[ast.stmt] = getattr(self.owner, self.field)
        return body


@dataclass(slots=True)
class Analysis:
    """All places of a text.

    Attributes:
        order: the nodes of the text as it was.
        spots, blocks: its expressions and lists of statements.
        unbound: uses of names that may be unbound, (function, name), with their number.
    """

    order: NodeOrder
    spots: list[Spot] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    unbound: Counter[tuple[str, str]] = field(default_factory=Counter)
