"""Typed growth of random expressions over names in scope and the problem's declared primitives.

Strongly typed genetic programming (Montana, Evolutionary Computation 3(2), 1995,
doi:10.1162/evco.1995.3.2.199) with protected division (Koza, Genetic Programming, 1992).
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Mapping
from functools import lru_cache

from ...problems.base import Primitive
from ..syntax.tree import bound_in, names_in, walk
from ..syntax.types import ARRAY, BOOLEAN, FUNCTION, INDEX, INDICES, MASK, NUMBER, OTHER, VECTOR, kind_of
from .mutation import Domains, Mutation, parse_expression, read_only

_BUILTINS = frozenset(dir(builtins))
_FIRST_ROUND = (0.1, 0.25, 0.5, 1, 1, 2, 2, 3, 5, 10)
MAX_DEPTH = 3
# Probabilities; those of the forms of a number are cumulative, the rest is a choice by a condition.
_OPERATION = 0.55
_RATIO = 0.7
_EXTREMUM = 0.86
_SCALED = 0.92
_LOGARITHM = 0.95
_CONSTANT_IS_SCALED = 0.5
_ARRAY_FOR_ARRAY = 0.75
_DECLARED = 0.6
_DECLARED_CONDITION = 0.3
_CONSTANT = 0.1
_STOPS_EARLY = 0.3
_MOST_NAMES = 40
"""Names of a kind that are combined with those of another (count): pairs of all would take all memory."""


@lru_cache(maxsize=4096)
def free_names(text: str) -> tuple[str, ...]:
    """Names that an expression needs, `self.name` for a part of an object's state."""
    node = parse_expression(text)
    bound = bound_in(node)
    state = [
        f"self.{part.attr}"
        for part in walk(node)
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "self"
    ]
    return (*(name for name in names_in([node]) if name not in bound and name not in _BUILTINS), *state)


def fits(primitive: Primitive, scope: Mapping[str, str]) -> bool:
    """Whether every name of a primitive is bound in a scope."""
    return all(name in scope for name in free_names(primitive.text))


def constant(work: Mutation) -> ast.expr:
    """A small positive number: a round one, or log-normal around it."""
    value = float(work.rng.choice(_FIRST_ROUND))
    if work.rng.random() < _CONSTANT_IS_SCALED:
        value *= math.exp(work.rng.gauss(0, 0.7))
    return number_node(value)


def number_node(value: float) -> ast.expr:
    """A literal with three significant digits; a whole number is written as an int."""
    short = float(f"{value:.3g}")
    literal = ast.Constant(int(short) if short == int(short) and abs(short) < 1e9 else abs(short))
    if short < 0:
        literal.value = abs(literal.value)  # type: ignore[arg-type]
        return ast.UnaryOp(ast.USub(), literal)
    return literal


def number_texts(scope: Mapping[str, str], domains: Domains) -> list[list[str]]:
    """Texts of numeric terminals in groups: elements, plain names, aggregates."""
    visible = [(name, kind) for name, kind in scope.items() if not name.startswith("_")]
    vectors = [name for name, kind in visible if kind == VECTOR][:_MOST_NAMES]
    indices = [name for name, kind in visible if kind == INDEX][:_MOST_NAMES]
    lists = [name for name, kind in visible if kind == INDICES][:_MOST_NAMES]
    arrays = [name for name, kind in visible if kind == ARRAY][:_MOST_NAMES]
    elements = [f"{v}[{i}]" for v in vectors for i in indices if domains.fits(v, i)]
    plain = [name for name, kind in visible if kind == NUMBER]
    totals = [f"{f}({v})" for v in vectors for f in ("sum", "len")]
    totals += [f"{f}({v}, default=0)" for v in vectors for f in ("max", "min")]
    totals += [f"len({r})" for r in lists]
    totals += [f"sum({v}[k] for k in {r})" for r in lists for v in vectors]
    totals += [
        f"{f}(({v}[k] for k in {r}), default=0)" for r in lists for v in vectors for f in ("max", "min")
    ]
    totals += [f"{a}.{f}()" for a in arrays for f in ("sum", "max", "min", "mean")]
    return [group for group in (elements, elements, plain, totals) if group]


def declared(work: Mutation, scope: Mapping[str, str], kind: str) -> list[str]:
    """Texts of the declared primitives of a kind that can be written in a scope."""
    found = []
    for primitive in work.primitives:
        if fits(primitive, scope):
            seen = kind_of(read_only(primitive.text), scope)
            if (primitive.kind if seen in (OTHER, INDEX) else seen) == kind:
                found.append(primitive.text)
    return found


def terminal(work: Mutation, scope: Mapping[str, str], kind: str = NUMBER) -> ast.expr:
    """A number (or, where an array stands, an array or a number) read off where it is."""
    rng = work.rng
    if kind == ARRAY and rng.random() < _ARRAY_FOR_ARRAY:
        texts = declared(work, scope, ARRAY)
        names = [name for name, known in scope.items() if known == ARRAY]
        if texts and (not names or rng.random() < _DECLARED):
            return parse_expression(rng.choice(texts))
        if names:
            return parse_expression(rng.choice(names))
    texts = declared(work, scope, NUMBER)
    if texts and rng.random() < _DECLARED:
        return parse_expression(rng.choice(texts))
    groups = number_texts(scope, work.domains)
    if not groups or rng.random() < _CONSTANT:
        return constant(work)
    return parse_expression(rng.choice(rng.choice(groups)))


def number(work: Mutation, scope: Mapping[str, str], depth: int = MAX_DEPTH, kind: str = NUMBER) -> ast.expr:
    """A numeric expression of at most `depth` levels of operators; of arrays where `kind` says so."""
    rng = work.rng
    if depth <= 0 or rng.random() < _STOPS_EARLY:
        return terminal(work, scope, kind)
    form = rng.random()
    first = number(work, scope, depth - 1, kind)
    if form < _OPERATION:
        operator = rng.choice((ast.Add, ast.Sub, ast.Mult))()
        return ast.BinOp(first, operator, number(work, scope, depth - 1, kind))
    if form < _RATIO:
        return ratio(first, terminal(work, scope, kind), kind)
    if form < _EXTREMUM:
        return extremum(rng.choice(("max", "min")), first, number(work, scope, depth - 1, kind), kind)
    if form < _SCALED:
        return ast.BinOp(constant(work), ast.Mult(), first)
    if form < _LOGARITHM and kind == ARRAY:
        # exp and log of what may be anything: bounded arguments instead of warnings and infinities.
        return parse_expression(f"np.log1p(np.abs({ast.unparse(first)}))")
    return conditional(work, scope, first, number(work, scope, depth - 1, kind), kind)


def boolean(work: Mutation, scope: Mapping[str, str], depth: int = 2, kind: str = BOOLEAN) -> ast.expr:
    """A condition over numbers in scope; a mask over arrays where `kind` says so."""
    rng = work.rng
    texts = declared(work, scope, kind)
    if texts and rng.random() < _DECLARED_CONDITION:
        return parse_expression(rng.choice(texts))
    operator = rng.choice((ast.Lt, ast.LtE, ast.Gt, ast.GtE))()
    sides = ARRAY if kind == MASK else NUMBER
    left = number(work, scope, depth - 1, sides)
    right = number(work, scope, depth - 1, sides)
    return ast.Compare(left, [operator], [right])


def expression(work: Mutation, scope: Mapping[str, str], kind: str) -> ast.expr | None:
    """An expression of a kind, or None when nothing of the kind can be written there."""
    if kind in (NUMBER, ARRAY):
        return number(work, scope, work.rng.choice((1, 2, 2, MAX_DEPTH)), kind)
    if kind in (BOOLEAN, MASK):
        return boolean(work, scope, 2, kind)
    texts = declared(work, scope, kind)
    texts += [name for name, known in scope.items() if known == kind and kind not in (FUNCTION, OTHER)]
    return parse_expression(work.rng.choice(texts)) if texts else None


def ratio(above: ast.expr, below: ast.expr, kind: str = NUMBER) -> ast.expr:
    """A quotient that cannot divide by zero."""
    if isinstance(below, ast.Constant) and below.value:
        return ast.BinOp(above, ast.Div(), below)
    return ast.BinOp(above, ast.Div(), extremum("max", ast.Constant(1), below, kind))


def extremum(name: str, first: ast.expr, second: ast.expr, kind: str = NUMBER) -> ast.expr:
    """The larger (`max`) or smaller (`min`) of two numbers, element by element where they are arrays."""
    if kind == ARRAY:
        function = ast.Attribute(ast.Name("np", ast.Load()), f"{name}imum", ast.Load())
        return ast.Call(function, [first, second], [])
    return call(name, first, second)


def conditional(
    work: Mutation, scope: Mapping[str, str], first: ast.expr, second: ast.expr, kind: str = NUMBER
) -> ast.expr:
    """One of two numbers by a random condition, element by element where they are arrays."""
    return either(boolean(work, scope, 2, MASK if kind == ARRAY else BOOLEAN), first, second, kind)


def either(test: ast.expr, first: ast.expr, second: ast.expr, kind: str = NUMBER) -> ast.expr:
    """One of two numbers by a condition, element by element where they are arrays."""
    if kind == ARRAY:
        function = ast.Attribute(ast.Name("np", ast.Load()), "where", ast.Load())
        return ast.Call(function, [test, first, second], [])
    return ast.IfExp(test, first, second)


def call(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of a builtin or a function of the text."""
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
