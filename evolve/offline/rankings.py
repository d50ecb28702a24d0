"""Templates for functions that rate many items at once (they take arrays and return one).

The rated items are taken as an order, single items are moved while that lowers an added-up cost, and the
places in the order become the rating: look-ahead by a whole plan, after Bertsekas, Tsitsiklis and Wu 1997
(rollout, doi:10.1023/A:1009635226865). As for orders of lists, weight and cost are random expressions.
"""

from __future__ import annotations

import ast

from ..base import Origin
from ..syntax.kinds import ARRAY, NUMBER, infer, kind_of
from ..syntax.order import walk
from . import grow
from .moves import DESCENT
from .templates import add_phase, fresh_name
from .work import Operator, Work

_RANKING = (
    '''
def {name}(base, {arguments}):
    """Places of the items after moving single ones while the added-up cost of the first ones' order falls."""
    places = np.argsort(base, kind="stable")
    order = places[:{window}]
'''
    + DESCENT.lstrip("\n")
    + """
    rating = np.empty(len(places))
    rating[places] = np.arange(len(places))
    rating[order] = diagonal
    return rating
"""
)
_ROUNDS = (3, 8, 20)
_WINDOWS = (25, 50, 80)  # only the first item counts when ratings are asked again: more is cost, not gain


def _entry(work: Work) -> tuple[ast.Return, list[str], list[str]] | None:
    """The last return of an entry point that returns an array, its arrays and its plain numbers."""
    for node in work.tree.body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.name == work.entry
            and isinstance(node.body[-1], ast.Return)
        ):
            last = node.body[-1]
            kinds = infer(node, {})
            if last.value is None or kind_of(last.value, kinds) not in (ARRAY, "other"):
                return None
            names = [a.arg for a in node.args.args]
            arrays = [name for name in names if kinds.get(name) == ARRAY]
            numbers = [name for name in names if kinds.get(name) == NUMBER]
            return (last, arrays, numbers) if len(arrays) > 1 and "np" in _modules(work.tree) else None
    return None


def _modules(tree: ast.Module) -> list[str]:
    return [a.asname or a.name for n in tree.body if isinstance(n, ast.Import) for a in n.names]


def _cost(work: Work, arrays: list[str], weight: str) -> str:
    """Cost of the items `jobs` that end at `ends`."""
    rng = work.rng
    others = [name for name in arrays if name != weight] if rng.random() < 0.8 else arrays
    other, factor = rng.choice(others), rng.choice(arrays)
    form = rng.random()
    late = f"np.maximum(0, ends - {other}[jobs])"
    if form < 0.55:
        return late
    if form < 0.65:
        return f"np.abs(ends - {other}[jobs])"
    if form < 0.85:
        return f"{late} * {factor}[jobs]"
    if form < 0.92:
        return f"ends * {other}[jobs]"
    margin = ast.unparse(grow.constant(work))
    return f"np.maximum({margin}, ends - {margin} * {other}[jobs])"


def ranking_descent(work: Work) -> bool:
    """A phase that improves the order which the returned ratings stand for."""
    shape, name = _entry(work), fresh_name(work, "descent")
    if shape is None or name is None:
        return False
    last, arrays, numbers = shape
    weight = work.rng.choice(arrays)
    arguments = [*numbers, *arrays]
    text = _RANKING.format(
        name=name,
        arguments=", ".join(arguments),
        weight=weight,
        start=f"{work.rng.choice(numbers)} + " if numbers and work.rng.random() < 0.85 else "",
        cost=_cost(work, arrays, weight),
        rounds=work.rng.choice(_ROUNDS),
        window=work.rng.choice(_WINDOWS),
    )
    add_phase(work, last, name, text, arguments)
    return True


def drop_ranking(work: Work) -> bool:
    """Takes the outermost helper out of the returned expression."""
    shape = _entry(work)
    value = None if shape is None else shape[0].value
    if shape is None or not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.args):
        return False
    helpers = [n.name for n in work.tree.body if isinstance(n, ast.FunctionDef) and n.name != work.entry]
    gone = value.func.id
    if gone not in helpers:
        return False
    shape[0].value = value.args[0]
    if gone not in {n.id for n in walk(work.tree) if isinstance(n, ast.Name)}:
        kept = [n for n in work.tree.body if not (isinstance(n, ast.FunctionDef) and n.name == gone)]
        work.tree.body = kept
    return True


OPERATORS = (
    Operator("ranking-descent", Origin.TEMPLATE, 2.5, ranking_descent),
    Operator("drop-ranking", Origin.TEMPLATE, 0.3, drop_ranking),
)
