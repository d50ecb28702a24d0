"""Mutations of expressions, reshaping included; a family of operators of `proposer`."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable

from ..syntax.scope import Spot
from ..syntax.tree import names_in, walk
from ..syntax.types import ARRAY, BOOLEAN, FUNCTION, INDEX, MASK, NUMBER, OTHER
from ..types import Origin
from . import grow
from .mutation import Mutation, Operator, parse_expression

_ORDERS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE),
    ast.LtE: (ast.Lt, ast.GtE, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE),
    ast.GtE: (ast.Gt, ast.LtE, ast.Lt),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}


_LARGEST_LIMIT = 10_000
# Probabilities; those of the forms of one mutation are cumulative, the rest is the last form.
# else by a factor
_STEP = 0.15
_SIGN = 0.2
_ROUND_NUMBER = 0.3
_WHOLE_STAYS_WHOLE = 0.3
# else joined by another condition
_OTHER_WORD = 0.2
_ONE_SIDE = 0.5
_NEGATED = 0.65
# else the last key dropped
_KEYS_EXCHANGED = 0.3
_KEY_ADDED = 0.5
_KEYS_WEIGHED = 0.85
_SECOND_KEY_ASCENDING = 0.7


def is_value(spot: Spot) -> bool:
    """Whether an expression is a number or an array that may be changed."""
    return spot.kind in (NUMBER, ARRAY) and not spot.structural


def _is_literal(spot: Spot) -> bool:
    node = spot.node
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and not isinstance(spot.owner, ast.Subscript | ast.AugAssign | ast.List)
    )


def perturb_number(work: Mutation) -> bool:
    """A constant on a log scale, by a small step, or its sign."""
    spot = work.spot(_is_literal)
    if spot is None:
        return False
    value = spot.node.value
    rng = work.rng
    form = rng.random()
    if value == 0 or form < _STEP:
        changed: float = value + rng.choice((-1, 1)) * rng.choice((0.1, 0.5, 1, 1, 2))
    elif form < _SIGN:
        changed = -value
    elif form < _ROUND_NUMBER:
        changed = rng.choice((0, 1, 2, 0.5, 10))
    else:
        changed = value * math.exp(rng.gauss(0, rng.choice((0.05, 0.2, 0.7, 1.5))))
    if not math.isfinite(changed):
        return False
    if spot.structural or (isinstance(value, int) and rng.random() < _WHOLE_STAYS_WHOLE):
        changed = max(1, round(changed)) if spot.structural else round(changed)
    if abs(changed) > 1e12 or float(f"{changed:.3g}") == value:
        return False
    if isinstance(spot.owner, ast.BinOp) and isinstance(spot.owner.op, ast.Pow) and abs(changed) > 4:
        return False
    spot.put(grow.number_node(changed))
    return True


def scale_limit(work: Mutation) -> bool:
    """A whole number that says how often or how far (`range(8)`, `order[:25]`), by a large factor."""
    spot = work.spot(
        lambda s: (
            isinstance(s.node, ast.Constant)
            and type(s.node.value) is int
            and s.node.value > 1
            and (isinstance(s.owner, ast.Slice) or _is_range(s.owner))
        )
    )
    if spot is None:
        return False
    limit = max(1, round(spot.node.value * work.rng.choice((0.25, 0.5, 0.7, 1.4, 2, 4))))
    if limit > _LARGEST_LIMIT or limit == spot.node.value:
        return False
    spot.put(ast.Constant(limit))
    return True


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def change_operator(work: Mutation) -> bool:
    """Another arithmetic operator; a new division is protected."""
    spot = work.spot(lambda s: is_value(s) and isinstance(s.node, ast.BinOp))
    if spot is None:
        return False
    node: ast.BinOp = spot.node
    known = (ast.Add, ast.Sub, ast.Mult, ast.Div)
    kind = work.rng.choice([k for k in known if not isinstance(node.op, k)])
    if kind is ast.Mult and spot.recurrent:
        return False
    spot.put(
        grow.ratio(node.left, node.right) if kind is ast.Div else ast.BinOp(node.left, kind(), node.right)
    )
    return True


def swap_operands(work: Mutation) -> bool:
    """The two sides of an operator or comparison, or two arguments of a call."""
    spot = work.spot(
        lambda s: (
            (is_value(s) and isinstance(s.node, ast.BinOp) and isinstance(s.node.op, ast.Sub | ast.Div))
            or (isinstance(s.node, ast.IfExp) and not s.structural)
            or (_is_where(s.node) and not s.structural)
        )
    )
    if spot is None:
        return False
    node = spot.node
    if isinstance(node, ast.IfExp):
        node.body, node.orelse = node.orelse, node.body
    elif isinstance(node, ast.Call):
        node.args[1], node.args[2] = node.args[2], node.args[1]
    elif isinstance(node.op, ast.Div):
        spot.put(grow.ratio(node.right, node.left, spot.kind))
    else:
        node.left, node.right = node.right, node.left
    return True


def _is_where(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "where"
        and len(node.args) == 3
    )


def change_comparison(work: Mutation) -> bool:
    """Another comparison operator of the same family."""
    spot = work.spot(lambda s: isinstance(s.node, ast.Compare) and type(s.node.ops[0]) in _ORDERS)
    if spot is None:
        return False
    spot.node.ops[0] = work.rng.choice(_ORDERS[type(spot.node.ops[0])])()
    return True


def change_logic(work: Mutation) -> bool:
    """`and` ↔ `or`, one side dropped, a condition negated or joined by another."""
    spot = work.spot(
        lambda s: s.kind == BOOLEAN and not s.structural and not isinstance(s.node, ast.Constant)
    )
    if spot is None or isinstance(spot.owner, ast.While):
        return False
    node = spot.node
    form = work.rng.random()
    if isinstance(node, ast.BoolOp) and form < _ONE_SIDE:
        if form < _OTHER_WORD:
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        else:
            spot.put(work.rng.choice(node.values))
    elif form < _NEGATED:
        spot.put(ast.UnaryOp(ast.Not(), node))
    else:
        spot.put(ast.BoolOp(work.rng.choice((ast.And, ast.Or))(), [node, grow.boolean(work, spot.scope)]))
    return True


_EXTREMA = {
    "min": ("max",),
    "max": ("min", "mean"),
    "mean": ("max", "min"),
    "minimum": ("maximum",),
    "maximum": ("minimum",),
    "sum": ("max", "mean"),
}


def _function_name(node: ast.AST) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in ("min", "max"):
            return name
        case ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def swap_extremum(work: Mutation) -> bool:
    """`min` ↔ `max`, and the reductions of arrays."""
    spot = work.spot(lambda s: _function_name(s.node) in _EXTREMA)
    if spot is None:
        return False
    function = spot.node.func
    if isinstance(function, ast.Name):
        function.id = "min" if function.id == "max" else "max"
    else:
        function.attr = work.rng.choice(_EXTREMA[function.attr])
    return True


def reverse_order(work: Mutation) -> bool:
    """The direction of a sort."""
    spot = work.spot(lambda s: isinstance(s.node, ast.Call) and _is_sort(s.node))
    if spot is None:
        return False
    call: ast.Call = spot.node
    kept = [k for k in call.keywords if k.arg != "reverse"]
    if len(kept) == len(call.keywords):
        kept.append(ast.keyword("reverse", ast.Constant(True)))
    call.keywords = kept
    return True


def _is_sort(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr == "sort"
    return isinstance(call.func, ast.Name) and call.func.id == "sorted"


def break_ties(work: Mutation) -> bool:
    """A second key after a sort key, two keys exchanged, or made one by a weight: `(a, b)` to `a + w * b`."""
    spot = work.spot(lambda s: isinstance(s.owner, ast.Lambda) and s.deciding and s.field == "body")
    if spot is None:
        return False
    node = spot.node
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        form = work.rng.random()
        if form < _KEYS_EXCHANGED:
            node.elts[0], node.elts[1] = node.elts[1], node.elts[0]
        elif form < _KEY_ADDED:
            node.elts.insert(work.rng.randint(1, len(node.elts)), grow.number(work, spot.scope, 1))
        elif form < _KEYS_WEIGHED:
            first, second, *others = node.elts
            one = _weighed(first, second, math.exp(work.rng.gauss(-1.5, 2)))
            spot.put(ast.Tuple([one, *others], ast.Load()) if others else one)
        else:
            node.elts.pop()
        return True
    second = grow.number(work, spot.scope, 1)
    ascending = work.rng.random() < _SECOND_KEY_ASCENDING
    spot.put(ast.Tuple([node, second if ascending else ast.UnaryOp(ast.USub(), second)], ast.Load()))
    return True


def _weighed(first: ast.expr, second: ast.expr, weight: float) -> ast.expr:
    """A sum in place of a lexicographic pair: what comes second counts before the first is equal."""
    order = ast.Sub() if isinstance(second, ast.UnaryOp) and isinstance(second.op, ast.USub) else ast.Add()
    value = second.operand if isinstance(order, ast.Sub) and isinstance(second, ast.UnaryOp) else second
    return ast.BinOp(first, order, ast.BinOp(grow.number_node(weight), ast.Mult(), value))


def replace_expression(work: Mutation) -> bool:
    """An expression by another one of the text with the same kind whose names are bound there."""
    spot = work.spot(lambda s: not s.structural and s.kind not in (OTHER, FUNCTION))
    if spot is None:
        return False
    size = work.analysis.order.size
    most = 3 * size(spot.node) + 10
    others = [
        other.node
        for other in work.analysis.spots
        if other.kind == spot.kind
        and other.node is not spot.node
        and size(other.node) <= most
        and _movable(other, spot)
    ]
    chosen = work.choice(others)
    if chosen is None:
        return False
    spot.put(copy.deepcopy(chosen))
    return True


def _movable(part: Spot, spot: Spot) -> bool:
    """Whether an expression reads at another place what it reads now, or what is bound nowhere near it."""
    same = part.scope is spot.scope
    return same or all(name in spot.scope or name not in part.scope for name in names_in([part.node]))


def _fits(work: Mutation, spot: Spot, name: str) -> bool:
    """Whether a name may take another's place in a subscript."""
    if not isinstance(spot.owner, ast.Subscript):
        return True
    parts = {"value": spot.owner.value, "slice": spot.owner.slice, spot.field: ast.Name(name, ast.Load())}
    return work.domains.sound(ast.Subscript(parts["value"], parts["slice"], ast.Load()))


def replace_name(work: Mutation) -> bool:
    """A name by another one in scope of the same kind (`d[j]` → `p[j]`)."""
    spot = work.spot(lambda s: isinstance(s.node, ast.Name) and s.kind not in (OTHER, FUNCTION))
    if spot is None or isinstance(spot.owner, ast.For):
        return False
    others = [n for n, kind in spot.scope.items() if kind == spot.kind and n != spot.node.id]
    chosen = work.choice([name for name in others if _fits(work, spot, name)])
    if chosen is None:
        return False
    spot.put(parse_expression(chosen))
    return True


def grow_expression(work: Mutation) -> bool:
    """A new random expression in place of one."""
    spot = work.spot(
        lambda s: (
            not s.structural
            and s.kind in (NUMBER, BOOLEAN, ARRAY, MASK)
            and not isinstance(s.owner, ast.While)
        )
    )
    if spot is None:
        return False
    new = grow.expression(work, spot.scope, spot.kind)
    if new is None:
        return False
    spot.put(new)
    return True


def hoist(work: Mutation) -> bool:
    """An expression by one of its own parts: shorter, and often as good."""
    spot = work.spot(
        lambda s: is_value(s) and isinstance(s.node, ast.BinOp | ast.Call | ast.IfExp | ast.UnaryOp)
    )
    if spot is None:
        return False
    inside = {id(node) for node in walk(spot.node)[1:]}
    parts = [
        s.node
        for s in work.analysis.spots
        if s.kind == spot.kind and not s.structural and id(s.node) in inside and _movable(s, spot)
    ]
    chosen = work.choice(parts)
    if chosen is None:
        return False
    spot.put(chosen)
    return True


def change_index(work: Mutation) -> bool:
    """The index of an element by another index in scope."""
    spot = work.spot(
        lambda s: s.kind == INDEX and isinstance(s.owner, ast.Subscript) and isinstance(s.node, ast.Name)
    )
    if spot is None:
        return False
    others = [n for n, kind in spot.scope.items() if kind == INDEX and n != spot.node.id]
    chosen = work.choice([name for name in others if _fits(work, spot, name)])
    if chosen is None:
        return False
    spot.put(parse_expression(chosen))
    return True


OPERATORS = (
    Operator("number", Origin.MUTATE, 3.0, perturb_number),
    Operator("limit", Origin.MUTATE, 2.0, scale_limit),
    Operator("arithmetic", Origin.MUTATE, 1.0, change_operator),
    Operator("swap-operands", Origin.MUTATE, 0.5, swap_operands),
    Operator("comparison", Origin.MUTATE, 1.0, change_comparison),
    Operator("logic", Origin.MUTATE, 0.7, change_logic),
    Operator("extremum", Origin.MUTATE, 0.7, swap_extremum),
    Operator("direction", Origin.MUTATE, 0.3, reverse_order),
    Operator("tie-break", Origin.MUTATE, 0.7, break_ties),
    Operator("replace", Origin.MUTATE, 1.5, replace_expression),
    Operator("name", Origin.MUTATE, 1.0, replace_name),
    Operator("index", Origin.MUTATE, 0.2, change_index),
    Operator("hoist", Origin.MUTATE, 1.0, hoist),
    Operator("grow", Origin.GROW, 2.5, grow_expression),
)


# Mutations that wrap a numeric expression: a factor, a term, a power, a bound, a condition, an offset.

# Probabilities.
_WEIGHTED_TERM = 0.7
_SQUARE = 0.5
_PLAIN_RATIO = 0.5
_FRESH_ALTERNATIVE = 0.6


def _reshape(make: Callable[[Mutation, Spot, ast.expr], ast.expr]) -> Callable[[Mutation], bool]:
    def apply(work: Mutation) -> bool:
        spot = work.spot(lambda s: is_value(s) and not s.recurrent and not isinstance(s.node, ast.Constant))
        if spot is None:
            return False
        spot.put(make(work, spot, spot.node))
        return True

    return apply


def _coefficient(work: Mutation, spot: Spot, node: ast.expr) -> ast.expr:
    factor = math.exp(work.rng.gauss(0, work.rng.choice((0.05, 0.1, 0.3, 0.8))))
    return ast.BinOp(grow.number_node(factor), ast.Mult(), node)


def _term(work: Mutation, spot: Spot, node: ast.expr) -> ast.expr:
    term = grow.number(work, spot.scope, work.rng.choice((0, 1, 1, 2)), spot.kind)
    if work.rng.random() < _WEIGHTED_TERM:
        weight = math.exp(work.rng.gauss(-1.5, 1.2))
        term = ast.BinOp(grow.number_node(weight), ast.Mult(), term)
    return ast.BinOp(node, work.rng.choice((ast.Add, ast.Sub))(), term)


def _power(work: Mutation, spot: Spot, node: ast.expr) -> ast.expr:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return node.left
    if work.rng.random() < _SQUARE:
        return ast.BinOp(node, ast.Pow(), ast.Constant(2))
    return ast.BinOp(grow.call("abs", node), ast.Pow(), ast.Constant(0.5))


def _ratio(work: Mutation, spot: Spot, node: ast.expr) -> ast.expr:
    other = grow.terminal(work, spot.scope, spot.kind)
    if work.rng.random() < _PLAIN_RATIO:
        return grow.ratio(node, other, spot.kind)
    part = grow.ratio(other, grow.terminal(work, spot.scope, spot.kind), spot.kind)
    return ast.BinOp(node, ast.Mult(), ast.BinOp(ast.Constant(1), ast.Add(), part))


def _clip(work: Mutation, spot: Spot, node: ast.expr) -> ast.expr:
    other = grow.number(work, spot.scope, 1, spot.kind)
    return grow.extremum(work.rng.choice(("max", "min")), node, other, spot.kind)


def _choice(work: Mutation, spot: Spot, node: ast.expr) -> ast.expr:
    fresh = work.rng.random() < _FRESH_ALTERNATIVE
    other = (
        grow.number(work, spot.scope, 1, spot.kind)
        if fresh
        else _coefficient(work, spot, copy.deepcopy(node))
    )
    return grow.conditional(work, spot.scope, node, other, spot.kind)


def _number(work: Mutation) -> ast.expr:
    """A positive number of any magnitude from hundredths to thousands, since the unit is unknown."""
    return grow.number_node(math.exp(work.rng.gauss(1, 2.5)))


def _threshold(work: Mutation, spot: Spot, node: ast.expr) -> ast.expr:
    bent = ast.BinOp(grow.number_node(math.exp(work.rng.gauss(0, 1))), ast.Mult(), copy.deepcopy(node))
    order = work.rng.choice((ast.Lt, ast.Gt))()
    return grow.either(ast.Compare(copy.deepcopy(node), [order], [_number(work)]), bent, node, spot.kind)


def add_offset(work: Mutation) -> bool:
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


RESHAPING_OPERATORS = (
    Operator("coefficient", Origin.MUTATE, 2.0, _reshape(_coefficient)),
    Operator("term", Origin.MUTATE, 2.5, _reshape(_term)),
    Operator("power", Origin.MUTATE, 0.5, _reshape(_power)),
    Operator("ratio", Origin.MUTATE, 1.0, _reshape(_ratio)),
    Operator("clip", Origin.MUTATE, 1.0, _reshape(_clip)),
    Operator("choice", Origin.MUTATE, 1.2, _reshape(_choice)),
    Operator("threshold", Origin.MUTATE, 0.7, _reshape(_threshold)),
    Operator("offset", Origin.MUTATE, 0.7, add_offset),
)
