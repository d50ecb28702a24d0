"""Crossover with a second parent; a family of operators of `proposer`.

Subtree crossover under types after Koza 1992 and Montana 1995 (doi:10.1162/evco.1995.3.2.199). An operator
draws a place in the first parent (deciding places more often) and a part of the second parent that has the
place's kind. The part may stand there if each name it reads is bound there with the same kind, or is one of
these:

- a name that the part binds itself (a lambda's argument, a comprehension's target) stays;
- an index or a number becomes another name of the same kind that is bound at the place;
- a helper of the second parent comes along, under its own name or a free one. A helper that does the same as
  one of the first parent's, whatever its name, is not copied.

Any other name ends the attempt; so does an index that would meet a list to which it does not belong.
`cross_tail` and `cross_function` move whole statements and bring the helpers that these call, and those that
the helpers call. As after every operator, the guard checks that all names are bound afterwards.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable
from typing import TypeVar

from ..syntax.scope import Spot
from ..syntax.tree import Forms, bound_in, names_in, walk
from ..syntax.types import ARRAY, FUNCTION, INDEX, NUMBER, OTHER
from ..types import Origin
from . import grow
from .mutation import Mutation, Operator

MOST_HELPERS = 4
# Probabilities; of the forms of a blend cumulative, the rest is a choice by a condition.
_WEIGHTED_SUM = 0.5
_EXTREMUM = 0.65
_REPLACES_STATEMENT = 0.5
Tree = TypeVar("Tree", bound=ast.AST)


def _transplant(work: Mutation, offer: Spot, spot: Spot) -> ast.expr | None:
    """A copy of the second parent's expression that can stand at a place, or None when it cannot.

    Indices and numbers may take the name of another one of the place; helpers that it calls come along.
    """
    assert work.donor is not None
    source = offer.scope
    target = spot.scope
    inside = bound_in(offer.node)
    helpers = {n.name: n for n in reversed(functions(work.donor.tree)) if n.name != work.entry}
    names: dict[str, str] = {}
    brought: list[ast.FunctionDef] = []
    for name in names_in([offer.node]):
        if name not in source or name in inside:
            continue
        kind = source[name]
        helper = helpers.get(name)
        if helper is not None:
            brought.append(helper)
        elif target.get(name) != kind:
            others = [n for n, k in target.items() if k == kind and k in (INDEX, NUMBER) and n.isidentifier()]
            chosen = work.choice(others)
            if chosen is None:
                return None
            names[name] = chosen
    shapes = _shapes(work) if brought else {}
    for helper in brought:
        known = shapes.get(_shape(helper))
        if known is None:
            known = _bring(work, helper)
            shapes = _shapes(work)
        if known is None:
            return None
        names[helper.name] = known
    fresh = _renamed(offer.node, names)
    return None if ast.dump(fresh) == ast.dump(spot.node) or not work.domains.sound(fresh) else fresh


def _renamed(node: Tree, names: dict[str, str]) -> Tree:
    fresh = copy.deepcopy(node)
    for part in walk(fresh):
        if isinstance(part, ast.Name) and part.id in names:
            part.id = names[part.id]
    return fresh


def _shape(helper: ast.FunctionDef) -> str:
    """A helper's syntax tree without its name, so that equal helpers compare equal."""
    fresh = _renamed(helper, {helper.name: ""})
    fresh.name = ""
    return ast.dump(fresh)


def _shapes(work: Mutation) -> dict[str, str]:
    """Shape → name of the text's functions."""
    return {_shape(own): own.name for own in reversed(functions(work.tree))}


def _bring(work: Mutation, helper: ast.FunctionDef) -> str | None:
    """Copies a helper of the second parent and returns its free name; None if the text has enough."""
    own = {n.name for n in functions(work.tree)}
    if len(own) > MOST_HELPERS:
        return None
    stem = helper.name.rstrip("_0123456789")
    names = (helper.name, *(f"{stem}_{number}" for number in range(2, MOST_HELPERS + 3)))
    name = next(n for n in names if n not in own)
    fresh = _renamed(helper, {helper.name: name})
    fresh.name = name
    work.tree.body.insert(_before_entry(work), fresh)
    _take_helpers(work)
    return name


def cross_expression(work: Mutation) -> bool:
    """Replaces an expression by one of the second parent's."""
    if work.donor is None:
        return False
    spot = work.spot(lambda s: not s.structural and s.kind not in (OTHER, FUNCTION, INDEX))
    if spot is None:
        return False
    offers = [s for s in work.donor.analysis.spots if s.kind == spot.kind and not s.structural]
    offers = [s for s in offers if not isinstance(s.node, ast.Constant)]
    if not offers:
        return False
    offer = work.rng.choices(offers, [s.weight for s in offers])[0]
    fresh = _transplant(work, offer, spot)
    if fresh is None:
        return False
    spot.put(fresh)
    return True


def _whole(spot: Spot) -> bool:
    """Whether an expression decides as a whole: a sort key, a score, a returned number."""
    owner = isinstance(spot.owner, ast.Lambda | ast.Assign | ast.Return)
    return spot.deciding and owner and not spot.structural


def _keys(work: Mutation, suits: Callable[[Spot], bool]) -> tuple[Spot, ast.expr] | None:
    """A whole deciding place and an expression of the second parent for it."""
    if work.donor is None:
        return None
    spot = work.spot(lambda s: _whole(s) and suits(s))
    if spot is None:
        return None
    offers = [s for s in work.donor.analysis.spots if _whole(s)]
    offers = [
        s for s in offers if s.kind == spot.kind or (isinstance(s.owner, type(spot.owner)) and suits(s))
    ]
    offer = work.choice(offers)
    fresh = None if offer is None else _transplant(work, offer, spot)
    return None if fresh is None else (spot, fresh)


def cross_key(work: Mutation) -> bool:
    """Replaces a whole deciding expression (sort key, score, returned number) by the second parent's."""
    found = _keys(work, lambda s: True)
    if found is None:
        return False
    found[0].put(found[1])
    return True


def cross_blend(work: Mutation) -> bool:
    """Joins both parents' scores: a weighted sum, the smaller or larger one, or one by a condition."""
    found = _keys(work, lambda s: s.kind in (NUMBER, ARRAY) and not s.recurrent)
    if found is None:
        return False
    spot, other = found
    form = work.rng.random()
    if form < _WEIGHTED_SUM:
        weight = grow.number_node(math.exp(work.rng.gauss(-0.7, 1.2)))
        mixed: ast.expr = ast.BinOp(spot.node, ast.Add(), ast.BinOp(weight, ast.Mult(), other))
    elif form < _EXTREMUM:
        mixed = grow.extremum(work.rng.choice(("max", "min")), spot.node, other, spot.kind)
    else:
        mixed = grow.conditional(work, spot.scope, spot.node, other, spot.kind)
    spot.put(mixed)
    return True


def cross_statement(work: Mutation) -> bool:
    """Inserts a statement of the second parent, or puts it in place of another statement."""
    if work.donor is None:
        return False
    fixed = (ast.FunctionDef, ast.ClassDef, ast.Return, ast.Import, ast.ImportFrom)
    offers = [
        node
        for block in work.donor.analysis.blocks
        for node in block.body
        if not isinstance(node, fixed)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]
    statement = work.choice(offers)
    block = work.block(lambda b: bool(b.body))
    if statement is None or block is None:
        return False
    place = work.rng.randrange(len(block.body))
    replaces = work.rng.random() < _REPLACES_STATEMENT and not isinstance(block.body[place], fixed)
    block.body[place : place + replaces] = [copy.deepcopy(statement)]
    return True


def cross_tail(work: Mutation) -> bool:
    """The entry point's beginning with the second parent's end, and the helpers that the end calls."""
    if work.donor is None:
        return False
    first = _function(work.tree, work.entry)
    second = _function(work.donor.tree, work.entry)
    if first is None or second is None:
        return False
    head = work.rng.randint(1, len(first.body))
    tail = work.rng.randint(0, len(second.body) - 1)
    first.body[head:] = copy.deepcopy(second.body[tail:])
    _take_helpers(work)
    return True


def cross_function(work: Mutation) -> bool:
    """Replaces a function by the second parent's of the same name and arguments."""
    if work.donor is None:
        return False
    own = {node.name: node for node in walk(work.tree) if isinstance(node, ast.FunctionDef)}
    forms = Forms()
    for tree in (work.tree, work.donor.tree):
        forms.add(tree)
    offers = [
        node
        for node in walk(work.donor.tree)
        if isinstance(node, ast.FunctionDef)
        and node.name in own
        and forms[node.args] == forms[own[node.name].args]
        and [forms[part] for part in node.body] != [forms[part] for part in own[node.name].body]
    ]
    inner = [node for node in offers if node.name != work.entry]
    chosen = work.choice(inner) or work.choice(offers)
    if chosen is None:
        return False
    own[chosen.name].body = copy.deepcopy(chosen.body)
    _take_helpers(work)
    return True


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    return next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def _take_helpers(work: Mutation) -> None:
    """Copies the second parent's helpers that the text now calls and lacks, with the helpers of these."""
    assert work.donor is not None
    have = {node.name for node in functions(work.tree)}
    lacking: dict[str, list[int]] = {}
    for number, node in enumerate(work.donor.tree.body):
        if isinstance(node, ast.FunctionDef) and node.name not in have:
            lacking.setdefault(node.name, []).append(number)
    place = _before_entry(work)
    calls = names_in([work.tree])
    while needed := sorted(number for name in calls for number in lacking.pop(name, ())):
        new = [copy.deepcopy(work.donor.tree.body[number]) for number in needed]
        work.tree.body[place:place] = new
        calls = names_in(new)


def functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions at the top level of a module."""
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def _before_entry(work: Mutation) -> int:
    """Position of new helpers: before the first function or class."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return next((i for i, n in enumerate(work.tree.body) if isinstance(n, kinds)), 0)


OPERATORS = (
    Operator("cross-expression", Origin.CROSSOVER, 1.5, cross_expression),
    Operator("cross-key", Origin.CROSSOVER, 1.0, cross_key),
    Operator("cross-blend", Origin.CROSSOVER, 1.0, cross_blend),
    Operator("cross-statement", Origin.CROSSOVER, 0.5, cross_statement),
    Operator("cross-tail", Origin.CROSSOVER, 0.7, cross_tail),
    Operator("cross-function", Origin.CROSSOVER, 0.7, cross_function),
)
