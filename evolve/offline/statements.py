"""Mutations of statements: delete, move, insert, make conditional; a family of operators of `proposer`."""

from __future__ import annotations

import ast
import copy

from ..syntax.scope import Block
from ..syntax.types import NUMBER
from ..types import Origin
from . import grow
from .mutation import Mutation, Operator

_FIXED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Return)


# Probabilities.
_ADDS_TO_NAME = 0.5
_UPDATE_IS_CONDITIONAL = 0.6
_CONDITION_GOES = 0.7
_OTHER_BRANCH = 0.5


def _movable(block: Block) -> list[int]:
    """Positions of statements that may be changed as a whole: no definitions, docstrings or returns."""
    return [
        i
        for i, node in enumerate(block.body)
        if not isinstance(node, _FIXED)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


def delete_statement(work: Mutation) -> bool:
    """Removes one statement."""
    block = work.block(lambda b: bool(_movable(b)) and len(b.body) > 1)
    if block is None:
        return False
    # A call for its effect (`order.append(j)`) is seldom dispensable: draw it half as often.
    positions = _movable(block)
    weights = [1 if isinstance(block.body[i], ast.Expr) else 2 for i in positions]
    del block.body[work.rng.choices(positions, weights)[0]]
    return True


def duplicate_statement(work: Mutation) -> bool:
    """Copies one statement to another place."""
    source = work.block(lambda b: bool(_movable(b)))
    target = work.block(lambda b: bool(b.body))
    if source is None or target is None:
        return False
    statement = copy.deepcopy(source.body[work.rng.choice(_movable(source))])
    target.body.insert(_place(work, target), statement)
    return True


def move_statement(work: Mutation) -> bool:
    """Moves one statement within its block."""
    block = work.block(lambda b: len(_movable(b)) > 1)
    if block is None:
        return False
    first, second = work.rng.sample(_movable(block), 2)
    block.body.insert(second, block.body.pop(first))
    return True


def insert_update(work: Mutation) -> bool:
    """Inserts an update of a number that is already bound."""
    block = work.block(lambda b: bool(b.body) and b.scopes[-1].holds(NUMBER))
    if block is None:
        return False
    place = _place(work, block)
    scope = block.scopes[place]
    names = [name for name, kind in scope.items() if kind == NUMBER and name.isidentifier()]
    name = work.choice(names)
    if name is None:
        return False
    value = grow.number(work, scope, 1)
    if work.rng.random() < _ADDS_TO_NAME:
        weighted = ast.BinOp(grow.constant(work), ast.Mult(), value)
        statement: ast.stmt = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), weighted)
    else:
        statement = ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)
    if work.rng.random() < _UPDATE_IS_CONDITIONAL:
        statement = ast.If(grow.boolean(work, scope), [statement], [])
    block.body.insert(place, statement)
    return True


def make_conditional(work: Mutation) -> bool:
    """Puts one statement under a condition, or removes the condition of one."""
    block = work.block(lambda b: bool(_movable(b)))
    if block is None:
        return False
    place = work.rng.choice(_movable(block))
    node = block.body[place]
    if isinstance(node, ast.If) and work.rng.random() < _CONDITION_GOES:
        other = bool(node.orelse) and work.rng.random() < _OTHER_BRANCH
        block.body[place : place + 1] = node.orelse if other else node.body
        return True
    block.body[place] = ast.If(grow.boolean(work, block.scopes[place]), [node], [])
    return True


def _place(work: Mutation, block: Block) -> int:
    """A position before the block's end; nothing after a statement that leaves it."""
    end = len(block.body)
    if isinstance(block.body[-1], ast.Return | ast.Break | ast.Continue | ast.Raise):
        end -= 1
    return work.rng.randint(0, end)


OPERATORS = (
    Operator("delete", Origin.MUTATE, 1.0, delete_statement),
    Operator("duplicate", Origin.MUTATE, 0.4, duplicate_statement),
    Operator("move", Origin.MUTATE, 0.4, move_statement),
    Operator("update", Origin.GROW, 0.8, insert_update),
    Operator("condition", Origin.MUTATE, 0.6, make_conditional),
)
