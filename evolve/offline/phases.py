"""Inserts whole phases that a problem hands over, since small edits would not find them in reasonable time.

A phase takes what the entry point returns and gives back something of the same form. Its text comes from the
problem; this module fills in the text's gaps and wraps the returned expression.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from ...problems.base import CostShape, Phase
from ..syntax.tree import walk
from ..syntax.types import ARRAY, INDEX, INDICES, NUMBER, OTHER, VECTOR, annotation_kind, infer, kind_of
from ..types import Origin
from . import grow
from .mutation import Mutation, Operator, parse_expression

# Source texts of an order's cost: a sum over an accumulating vector, for phases over lists and over arrays.
#
# Phases over lists know one item `j` and where it ends, `end`; phases over arrays know many, `jobs` and
# `ends`. The problem says which forms a cost may have.

_COST = "cost"
_ARRAYS = {"j": "jobs", "end": "ends", "max": "np.maximum", "min": "np.minimum"}
_LISTS = {text: name for name, text in _ARRAYS.items()}
_BRANCHING = (ast.IfExp, ast.Compare, ast.BoolOp, ast.comprehension, ast.Lambda)
# Probabilities.
_AS_BEFORE = 0.7
_WEIGHT_IS_APART = 0.8


def added_cost(work: Mutation, vectors: list[str], shapes: Sequence[CostShape]) -> tuple[str, str]:
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


def cost_of_many(work: Mutation, arrays: list[str], weight: str, shapes: Sequence[CostShape]) -> str:
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


def known_cost(work: Mutation) -> tuple[str, str] | None:
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


_MOST_PHASES = 3
_STARTS_LATER = 0.85
"""Probability that a phase of ratings counts from one of the entry point's numbers."""


def operators_of(phases: Iterable[Phase]) -> Iterator[Operator]:
    """Operators that insert each phase, and operators that remove phases."""
    for phase in phases:
        apply, drop = _FORMS[phase.form]
        yield Operator(phase.operator, Origin.TEMPLATE, phase.rate, _bound(apply, phase))
        if drop is not None:
            yield drop


def _bound(apply: Callable[[Mutation, Phase], bool], phase: Phase) -> Callable[[Mutation], bool]:
    return lambda work: apply(work, phase)


def entry_of(work: Mutation) -> tuple[ast.FunctionDef, ast.Return] | None:
    """The entry point with its last statement, if that returns something."""
    for node in work.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == work.entry:
            last = node.body[-1]
            return (node, last) if isinstance(last, ast.Return) and last.value is not None else None
    return None


def _order(work: Mutation) -> tuple[ast.Return, list[str]] | None:
    """The last return of an entry point that returns an order of indices, and its vectors."""
    entry = entry_of(work)
    if entry is None:
        return None
    node, last = entry
    kinds = infer(node, {})
    kind = None if last.value is None else kind_of(last.value, kinds)
    # What is filled in place by place (`[0] * n`) says where each item goes; that is no order.
    if not (kind == INDICES or (annotation_kind(node.returns) == VECTOR and kind == OTHER)):
        return None
    vectors = [a.arg for a in node.args.args if kinds.get(a.arg) == VECTOR]
    return (last, vectors) if vectors else None


def _rating(work: Mutation) -> tuple[ast.Return, list[str], list[str]] | None:
    """The last return of an entry point that returns an array, its arrays and its plain numbers."""
    entry = entry_of(work)
    if entry is None:
        return None
    node, last = entry
    kinds = infer(node, {})
    if last.value is None or kind_of(last.value, kinds) not in (ARRAY, OTHER):
        return None
    names = [a.arg for a in node.args.args]
    arrays = [name for name in names if kinds.get(name) == ARRAY]
    numbers = [name for name in names if kinds.get(name) == NUMBER]
    return (last, arrays, numbers) if len(arrays) > 1 and "np" in _modules(work.tree) else None


def _modules(tree: ast.Module) -> list[str]:
    return [a.asname or a.name for n in tree.body if isinstance(n, ast.Import) for a in n.names]


def fresh_name(work: Mutation, stem: str) -> str | None:
    """A name for a new phase; None when the text has enough phases."""
    names = [node.name for node in work.tree.body if isinstance(node, ast.FunctionDef)]
    if len(names) > _MOST_PHASES:
        return None
    return next(name for name in (stem, f"{stem}_2", f"{stem}_3", f"{stem}_4") if name not in names)


def add_helper(work: Mutation, text: str) -> None:
    """Puts a helper before the entry point."""
    place = next(
        i for i, n in enumerate(work.tree.body) if isinstance(n, ast.FunctionDef) and n.name == work.entry
    )
    work.tree.body.insert(place, ast.parse(text).body[0])


def add_phase(work: Mutation, last: ast.Return, name: str, text: str, arguments: list[str]) -> None:
    """Puts a helper before the entry point, and calls it with the returned expression and some names."""
    add_helper(work, text)
    assert last.value is not None
    last.value = grow.call(name, last.value, *(ast.Name(a, ast.Load()) for a in arguments))


def _choices(work: Mutation, phase: Phase) -> dict[str, int]:
    return {place: work.rng.choice(values) for place, values in phase.choices.items()}


def _improve_order(work: Mutation, phase: Phase) -> bool:
    """A phase over the returned order, on lists or on arrays."""
    shape, name, arrays = _order(work), fresh_name(work, phase.helper), phase.form == "order as array"
    if shape is None or name is None or (arrays and not work.numpy):
        return False
    last, vectors = shape
    weight, cost = added_cost(work, vectors, phase.costs)
    written = for_arrays(cost) if arrays else cost
    if written is None:
        return False
    text = phase.text.format(
        name=name,
        arguments=", ".join(vectors),
        arrays="\n    ".join(f"{vector} = np.array({vector})" for vector in vectors),
        cost=written,
        weight=weight,
        start="",
        **_choices(work, phase),
    )
    add_phase(work, last, name, text, vectors)
    return True


def _best_of(work: Mutation, phase: Phase) -> bool:
    """Makes a second answer from an order by a new key, and returns the cheaper answer."""
    shape, name, known = _order(work), fresh_name(work, phase.helper), known_cost(work)
    if shape is None or name is None or known is None:
        return False
    last, vectors = shape
    assert last.value is not None
    other = copy.deepcopy(last.value)
    inner: ast.expr = other
    while isinstance(inner, ast.Call) and inner.args and isinstance(inner.args[0], ast.Call | ast.Name):
        parent, inner = inner, inner.args[0]
        if isinstance(inner, ast.Name):
            scope = {**dict.fromkeys(vectors, VECTOR), "j": INDEX}
            key = ast.unparse(grow.number(work, scope, 2))
            parent.args[0] = ast.parse(f"sorted({inner.id}, key=lambda j: {key})", mode="eval").body
            weight, cost = known
            text = phase.text.format(name=name, arguments=", ".join(vectors), cost=cost, weight=weight)
            add_helper(work, text)
            orders = ast.List([last.value, other], ast.Load())
            last.value = grow.call(name, orders, *(ast.Name(v, ast.Load()) for v in vectors))
            return True
    return False


def _improve_rating(work: Mutation, phase: Phase) -> bool:
    """Inserts a phase that improves the order of the returned ratings."""
    shape, name = _rating(work), fresh_name(work, phase.helper)
    if shape is None or name is None:
        return False
    last, arrays, numbers = shape
    weight = work.rng.choice(arrays)
    arguments = [*numbers, *arrays]
    later = bool(numbers) and work.rng.random() < _STARTS_LATER
    text = phase.text.format(
        name=name,
        arguments=", ".join(arguments),
        weight=weight,
        start=f"{work.rng.choice(numbers)} + " if later else "",
        cost=cost_of_many(work, arrays, weight, phase.costs),
        **_choices(work, phase),
    )
    add_phase(work, last, name, text, arguments)
    return True


def _drop_phase(work: Mutation) -> bool:
    """Takes one phase out of the returned order."""
    shape = _order(work)
    return shape is not None and unwrap(work, shape[0])


def _drop_rating(work: Mutation) -> bool:
    """Takes one phase out of the returned rating."""
    shape = _rating(work)
    return shape is not None and unwrap(work, shape[0])


def unwrap(work: Mutation, last: ast.Return) -> bool:
    """Returns the argument of the outermost helper, and removes a helper that nothing calls any more."""
    value = last.value
    helpers = [n.name for n in work.tree.body if isinstance(n, ast.FunctionDef) and n.name != work.entry]
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.args):
        return False
    gone = value.func.id
    if gone not in helpers:
        return False
    first = value.args[0]
    last.value = first.elts[0] if isinstance(first, ast.List) and first.elts else first
    if gone not in {n.id for n in walk(work.tree) if isinstance(n, ast.Name)}:
        kept = [n for n in work.tree.body if not (isinstance(n, ast.FunctionDef) and n.name == gone)]
        work.tree.body = kept
    return True


_FORMS: dict[str, tuple[Callable[[Mutation, Phase], bool], Operator | None]] = {
    "order": (_improve_order, None),
    "orders": (_best_of, Operator("drop-phase", Origin.TEMPLATE, 0.3, _drop_phase)),
    "order as array": (_improve_order, None),
    "rating": (_improve_rating, Operator("drop-ranking", Origin.TEMPLATE, 0.3, _drop_rating)),
}
"""Form of a phase → what adds such a phase, and what drops one."""
