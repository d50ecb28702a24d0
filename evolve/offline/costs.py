"""Source texts of an order's cost: a sum over an accumulating vector, for phases over lists and over arrays.

Phases over lists know one item `j` and where it ends, `end`; phases over arrays know many, `jobs` and `ends`.
The problem says which forms a cost may have.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Sequence
from itertools import accumulate

from ...problems.base import CostShape
from ..syntax.kinds import INDEX, NUMBER, VECTOR
from ..syntax.order import walk
from . import grow
from .work import Work, parse_expression

_COST = "cost"
_ARRAYS = {"j": "jobs", "end": "ends", "max": "np.maximum", "min": "np.minimum"}
_LISTS = {text: name for name, text in _ARRAYS.items()}
_BRANCHING = (ast.IfExp, ast.Compare, ast.BoolOp, ast.comprehension, ast.Lambda)
# Probabilities.
_AS_BEFORE = 0.7
_WEIGHT_IS_APART = 0.8


def added_cost(work: Work, vectors: list[str], shapes: Sequence[CostShape]) -> tuple[str, str]:
    """The accumulating vector and the cost of item j that ends at `end`: those of the text, or new ones."""
    known = known_cost(work)
    if known is not None and work.rng.random() < _AS_BEFORE:
        return known
    rng = work.rng
    weight = rng.choice(vectors)
    other = _other(rng, vectors, weight)
    text = _shape(rng, shapes)
    if not text:
        scope = {**dict.fromkeys(vectors, VECTOR), "j": INDEX, "end": NUMBER}
        return weight, ast.unparse(grow.number(work, scope, 2))
    factor = rng.choice(vectors) if "{factor}" in text else ""
    return weight, text.format(other=other, factor=factor)


def cost_of_many(work: Work, arrays: list[str], weight: str, shapes: Sequence[CostShape]) -> str:
    """Cost of the items `jobs` that end at `ends`."""
    other, factor = _other(work.rng, arrays, weight), work.rng.choice(arrays)
    text = _shape(work.rng, shapes)
    number = ast.unparse(grow.constant(work)) if "{number}" in text else ""
    return text.format(other=other, factor=factor, number=number)


def _other(rng: random.Random, vectors: list[str], weight: str) -> str:
    others = [name for name in vectors if name != weight] if rng.random() < _WEIGHT_IS_APART else vectors
    return rng.choice(others or vectors)


def _shape(rng: random.Random, shapes: Sequence[CostShape]) -> str:
    """Text of a form, drawn by its share."""
    drawn = rng.random()
    ends = accumulate(shape.share for shape in shapes)
    return next((s.text for s, end in zip(shapes, ends, strict=True) if drawn < end), shapes[-1].text)


def known_cost(work: Work) -> tuple[str, str] | None:
    """Weight and cost of one item, from a phase of the text; None if the text has no such phase."""
    for node in walk(work.tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        costs = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == _COST]
        last = costs[0].body[-1] if costs else None
        if isinstance(last, ast.Return) and last.value is not None:
            names, text = _weights(node), ast.unparse(last.value)
            ours = [argument.arg for argument in costs[0].args.args] == ["j", "end"]
            cost = text if ours else _translated(text, _LISTS)
            if names and cost is not None:
                return names[0], cost
    return None


def for_arrays(text: str) -> str | None:
    """The cost of one item rewritten for arrays of items; None if numpy cannot express it."""
    return _translated(text, _ARRAYS)


def _weights(phase: ast.FunctionDef) -> list[str]:
    """Names of the vectors that accumulate in a phase: `end += v[...]` or `weight = v[...]`."""
    found = []
    for part in walk(phase):
        match part:
            case (
                ast.AugAssign(target=ast.Name(id="end"), value=ast.Subscript(value=ast.Name(id=name)))
                | ast.Assign(targets=[ast.Name(id="weight")], value=ast.Subscript(value=ast.Name(id=name)))
            ):
                found.append(name)
    return found


class _Translation(ast.NodeTransformer):
    """Replaces names, and functions of two numbers, by others."""

    def __init__(self, words: dict[str, str]) -> None:
        self._words = words

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self._words[node.id], ast.Load()) if node.id in ("j", "end", "jobs", "ends") else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        name = self._words.get(ast.unparse(node.func))
        if name is not None and len(node.args) == 2 and not node.keywords:
            node.func = parse_expression(name)
        return node


def _translated(text: str, words: dict[str, str]) -> str | None:
    tree = parse_expression(text)
    if any(isinstance(part, _BRANCHING) for part in walk(tree)):
        return None
    return ast.unparse(_Translation(words).visit(tree))
