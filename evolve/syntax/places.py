"""Places of a text: expressions and lists of statements that can be changed, as one analysis finds them."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .bindings import Scope
from .kinds import ARRAY, NUMBER
from .order import Order

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

    order: Order
    spots: list[Spot] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    unbound: Counter[tuple[str, str]] = field(default_factory=Counter)
