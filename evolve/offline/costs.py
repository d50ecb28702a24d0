"""What an order costs: an added-up cost over a vector that accumulates, as text for phases of both kinds.

Phases over lists know one item `j` and where it ends, `end`; phases over arrays know many, `jobs` and `ends`.
"""

from __future__ import annotations

import ast

from ..syntax.kinds import INDEX, NUMBER, VECTOR
from ..syntax.order import walk
from . import grow
from .work import Work, parse_expression

_COST = "cost"
_ARRAYS = {"j": "jobs", "end": "ends", "max": "np.maximum", "min": "np.minimum"}
_LISTS = {text: name for name, text in _ARRAYS.items()}
_BRANCHING = (ast.IfExp, ast.Compare, ast.BoolOp, ast.comprehension, ast.Lambda)


def added_cost(work: Work, vectors: list[str]) -> tuple[str, str]:
    """The vector that accumulates and the cost of item j that ends at `end`: the text's own, or a new one."""
    known = known_cost(work)
    if known is not None and work.rng.random() < 0.7:
        return known
    rng = work.rng
    weight = rng.choice(vectors)
    others = [name for name in vectors if name != weight] if rng.random() < 0.8 else vectors
    other = rng.choice(others or vectors)
    form = rng.random()
    if form < 0.45:
        text = f"max(0, end - {other}[j])"
    elif form < 0.55:
        text = f"abs(end - {other}[j])"
    elif form < 0.7:
        text = f"max(0, end - {other}[j]) * {rng.choice(vectors)}[j]"
    elif form < 0.8:
        text = f"end * {other}[j]"
    else:
        scope = {**dict.fromkeys(vectors, VECTOR), "j": INDEX, "end": NUMBER}
        text = ast.unparse(grow.number(work, scope, 2))
    return weight, text


def known_cost(work: Work) -> tuple[str, str] | None:
    """Weight and cost, as one item's, of a phase that the text has; None when there is none to take."""
    for node in walk(work.tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        costs = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == _COST]
        last = costs[0].body[-1] if costs else None
        if isinstance(last, ast.Return) and last.value is not None:
            weights, text = _weights(node), ast.unparse(last.value)
            ours = [argument.arg for argument in costs[0].args.args] == ["j", "end"]
            cost = text if ours else _translated(text, _LISTS)
            if weights and cost is not None:
                return weights[0], cost
    return None


def for_arrays(text: str) -> str | None:
    """The cost of many items at once in place of one item's; None when numpy cannot take all of it."""
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
    """Other words for names, and for functions of two numbers."""

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
