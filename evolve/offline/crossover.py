"""Crossover with a second parent: expressions of one kind, statements, tails of the entry point, helpers.

Subtree crossover under types after Koza 1992 and Montana 1995 (doi:10.1162/evco.1995.3.2.199): a part moves
only to a place where every name it reads is bound, indices renamed to those of the place.
"""

from __future__ import annotations

import ast
import copy

from ..base import Origin
from .kinds import FUNCTION, INDEX, OTHER, Scope, walk
from .scope import Spot
from .work import Operator, Work, bound_in, names_in


def _rename(node: ast.expr, source: Scope, target: Scope, work: Work) -> ast.expr | None:
    """A copy whose free names are bound in the target's scope; indices may take another index's name."""
    free = [name for name in names_in([node]) if name in source and name not in bound_in(node)]
    names: dict[str, str] = {}
    for name in free:
        kind = source[name]
        if target.get(name) == kind:
            continue
        others = [
            n for n, k in target.items() if k == kind and kind in (INDEX, "number") and n.isidentifier()
        ]
        chosen = work.choice(others)
        if chosen is None:
            return None
        names[name] = chosen
    fresh = copy.deepcopy(node)
    for part in walk(fresh):
        if isinstance(part, ast.Name) and part.id in names:
            part.id = names[part.id]
    return fresh


def cross_expression(work: Work) -> bool:
    """An expression by one of the second parent's."""
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
    fresh = _rename(offer.node, offer.scope, spot.scope, work)
    if fresh is None or ast.dump(fresh) == ast.dump(spot.node):
        return False
    spot.put(fresh)
    return True


def cross_key(work: Work) -> bool:
    """A whole deciding expression (a sort key, a score, a returned number) by one of the second parent's."""
    if work.donor is None:
        return False

    def whole(spot: Spot) -> bool:
        return (
            spot.deciding
            and isinstance(spot.owner, ast.Lambda | ast.Assign | ast.Return)
            and not spot.structural
        )

    spot = work.spot(whole)
    offers = [s for s in work.donor.analysis.spots if whole(s)]
    if spot is None or not offers:
        return False
    offers = [s for s in offers if s.kind == spot.kind or isinstance(s.owner, type(spot.owner))]
    offer = work.choice(offers)
    fresh = None if offer is None else _rename(offer.node, offer.scope, spot.scope, work)
    if fresh is None or ast.dump(fresh) == ast.dump(spot.node):
        return False
    spot.put(fresh)
    return True


def cross_statement(work: Work) -> bool:
    """A statement of the second parent inserted, or put in place of one."""
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
    replaces = work.rng.random() < 0.5 and not isinstance(block.body[place], fixed)
    block.body[place : place + replaces] = [copy.deepcopy(statement)]
    return True


def cross_tail(work: Work) -> bool:
    """The entry point's beginning with the second parent's end, and the helpers that the end calls."""
    if work.donor is None:
        return False
    first, second = _function(work.tree, work.entry), _function(work.donor.tree, work.entry)
    if first is None or second is None:
        return False
    head, tail = work.rng.randint(1, len(first.body)), work.rng.randint(0, len(second.body) - 1)
    first.body[head:] = copy.deepcopy(second.body[tail:])
    _take_helpers(work)
    return True


def cross_function(work: Work) -> bool:
    """A helper, or the entry point's body, by the second parent's function of the same name and arguments."""
    if work.donor is None:
        return False
    own = {node.name: node for node in walk(work.tree) if isinstance(node, ast.FunctionDef)}
    offers = [
        node
        for node in walk(work.donor.tree)
        if isinstance(node, ast.FunctionDef)
        and node.name in own
        and ast.dump(node.args) == ast.dump(own[node.name].args)
        and ast.dump(ast.Module(node.body, [])) != ast.dump(ast.Module(own[node.name].body, []))
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


def _take_helpers(work: Work) -> None:
    """Copies the second parent's helpers that the text now calls and lacks."""
    assert work.donor is not None
    for _ in range(len(work.donor.tree.body)):
        have = [n.name for n in work.tree.body if isinstance(n, ast.FunctionDef)]
        needed = [
            n
            for n in work.donor.tree.body
            if isinstance(n, ast.FunctionDef) and n.name not in have and n.name in names_in([work.tree])
        ]
        if not needed:
            return
        place = next(i for i, n in enumerate(work.tree.body) if isinstance(n, ast.FunctionDef | ast.ClassDef))
        work.tree.body[place:place] = copy.deepcopy(needed)


OPERATORS = (
    Operator("cross-expression", Origin.CROSSOVER, 1.5, cross_expression),
    Operator("cross-key", Origin.CROSSOVER, 1.0, cross_key),
    Operator("cross-statement", Origin.CROSSOVER, 0.5, cross_statement),
    Operator("cross-tail", Origin.CROSSOVER, 0.7, cross_tail),
    Operator("cross-function", Origin.CROSSOVER, 0.7, cross_function),
)
