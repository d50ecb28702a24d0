"""Mutations that wrap a numeric expression: a factor, a term, a power, a bound, a condition, an offset."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable

from ..base import Origin
from ..syntax.places import Spot
from . import grow
from .expressions import is_value
from .work import Operator, Work

# Probabilities.
_WEIGHTED_TERM = 0.7
_SQUARE = 0.5
_PLAIN_RATIO = 0.5
_FRESH_ALTERNATIVE = 0.6


def _reshape(make: Callable[[Work, Spot, ast.expr], ast.expr]) -> Callable[[Work], bool]:
    def apply(work: Work) -> bool:
        spot = work.spot(lambda s: is_value(s) and not s.recurrent and not isinstance(s.node, ast.Constant))
        if spot is None:
            return False
        spot.put(make(work, spot, spot.node))
        return True

    return apply


def _coefficient(work: Work, spot: Spot, node: ast.expr) -> ast.expr:
    factor = math.exp(work.rng.gauss(0, work.rng.choice((0.05, 0.1, 0.3, 0.8))))
    return ast.BinOp(grow.number_node(factor), ast.Mult(), node)


def _term(work: Work, spot: Spot, node: ast.expr) -> ast.expr:
    term = grow.number(work, spot.scope, work.rng.choice((0, 1, 1, 2)), spot.kind)
    if work.rng.random() < _WEIGHTED_TERM:
        weight = math.exp(work.rng.gauss(-1.5, 1.2))
        term = ast.BinOp(grow.number_node(weight), ast.Mult(), term)
    return ast.BinOp(node, work.rng.choice((ast.Add, ast.Sub))(), term)


def _power(work: Work, spot: Spot, node: ast.expr) -> ast.expr:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return node.left
    if work.rng.random() < _SQUARE:
        return ast.BinOp(node, ast.Pow(), ast.Constant(2))
    return ast.BinOp(grow.call("abs", node), ast.Pow(), ast.Constant(0.5))


def _ratio(work: Work, spot: Spot, node: ast.expr) -> ast.expr:
    other = grow.terminal(work, spot.scope, spot.kind)
    if work.rng.random() < _PLAIN_RATIO:
        return grow.ratio(node, other, spot.kind)
    part = grow.ratio(other, grow.terminal(work, spot.scope, spot.kind), spot.kind)
    return ast.BinOp(node, ast.Mult(), ast.BinOp(ast.Constant(1), ast.Add(), part))


def _clip(work: Work, spot: Spot, node: ast.expr) -> ast.expr:
    other = grow.number(work, spot.scope, 1, spot.kind)
    return grow.extremum(work.rng.choice(("max", "min")), node, other, spot.kind)


def _choice(work: Work, spot: Spot, node: ast.expr) -> ast.expr:
    fresh = work.rng.random() < _FRESH_ALTERNATIVE
    other = (
        grow.number(work, spot.scope, 1, spot.kind)
        if fresh
        else _coefficient(work, spot, copy.deepcopy(node))
    )
    return grow.conditional(work, spot.scope, node, other, spot.kind)


def _number(work: Work) -> ast.expr:
    """A positive number of any magnitude from hundredths to thousands, since the unit is unknown."""
    return grow.number_node(math.exp(work.rng.gauss(1, 2.5)))


def _threshold(work: Work, spot: Spot, node: ast.expr) -> ast.expr:
    bent = ast.BinOp(grow.number_node(math.exp(work.rng.gauss(0, 1))), ast.Mult(), copy.deepcopy(node))
    order = work.rng.choice((ast.Lt, ast.Gt))()
    return grow.either(ast.Compare(copy.deepcopy(node), [order], [_number(work)]), bent, node, spot.kind)


def add_offset(work: Work) -> bool:
    """Adds a number to a part of an expression; added to a whole score it would change nothing."""
    spot = work.spot(
        lambda s: (
            is_value(s)
            and not s.recurrent
            and isinstance(s.owner, ast.BinOp | ast.Call | ast.Compare | ast.IfExp)
            and not isinstance(s.node, ast.Constant)
        )
    )
    if spot is None:
        return False
    spot.put(ast.BinOp(spot.node, work.rng.choice((ast.Add, ast.Sub))(), _number(work)))
    return True


OPERATORS = (
    Operator("coefficient", Origin.MUTATE, 2.0, _reshape(_coefficient)),
    Operator("term", Origin.MUTATE, 2.5, _reshape(_term)),
    Operator("power", Origin.MUTATE, 0.5, _reshape(_power)),
    Operator("ratio", Origin.MUTATE, 1.0, _reshape(_ratio)),
    Operator("clip", Origin.MUTATE, 1.0, _reshape(_clip)),
    Operator("choice", Origin.MUTATE, 1.2, _reshape(_choice)),
    Operator("threshold", Origin.MUTATE, 0.7, _reshape(_threshold)),
    Operator("offset", Origin.MUTATE, 0.7, add_offset),
)
