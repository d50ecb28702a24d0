"""Operators for answers that are amounts: who waits, who gets how much; apart, as few problems have such.

A problem says by the kind of its answers that an entry point returns an amount for each item. Each operator
puts a function before the entry point that makes other amounts of the returned ones; its rating, condition or
bound is grown, and the other operators change it as they change all that a program holds.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...problems.base import AmountKind, HasAnswerKind, Problem
from ..syntax.types import INDEX, NUMBER, annotation_kind
from ..types import Origin
from . import grow
from .mutation import Mutation, Operator, parse_expression, read_only
from .phases import add_phase, entry_of, fresh_name, unwrap

# Probabilities.
# of a condition cumulative, the rest is one comparison
_ROOM_LEFT = 0.75
_TWO_CONDITIONS = 0.9
_BOTH = 0.5
_DECLARED = 0.95
_CONSTANT = 0.25
_ALIKE = 0.75
_SPREAD = 0.5
"""Standard deviation of the logarithm of a factor."""
_LEAST_SHARE = 0.4
"""Least share of a limit up to which there is room (ratio)."""
_AS_MUCH_AS_BEFORE = 0.4
_SKIPS = 0.6
_PLAIN = 0.5
_WAIT = '''
def {name}(amounts, {arguments}):
    """Items that can wait get the least."""
    return [{low} if ({condition}) else amount for i, amount in enumerate(amounts)]
'''
_REFILL = '''
def {name}(amounts, {arguments}):
    """Lowest rating first, as much as goes; items that can wait get the least."""
    room = {room}
    for i in sorted(range(len(amounts)), key=lambda i: {rating}):
        least = {low}
        amounts[i] = least if ({condition}) else max(least, min({high}, room))
        room -= amounts[i]
    return amounts
'''
_SHARE = '''
def {name}(amounts, {arguments}):
    """Shares by a rating."""
    room = {room}
    ratings = [max(0, {rating}) for i in range(len(amounts))]
    total = max(1e-09, sum(ratings))
    return [max({low}, min({high}, {whole}(room * ratings[i] / total))) for i in range(len(amounts))]
'''
_BOUND = '''
def {name}(amounts, {arguments}):
    """Amounts up to a bound that depends on the item."""
    return [max({low}, min({high}, amount, {whole}({rating}))) for i, amount in enumerate(amounts)]
'''
_SCALE = '''
def {name}(amounts, {arguments}):
    """Amounts by a factor."""
    return [max({low}, min({high}, {whole}({factor} * amount))) for i, amount in enumerate(amounts)]
'''
_FORMS = (
    ("amounts-refill", "refill", 3.0, _REFILL),
    ("amounts-wait", "wait", 24.0, _WAIT),
    ("amounts-share", "share", 1.0, _SHARE),
    ("amounts-bound", "bounded", 1.0, _BOUND),
    ("amounts-scale", "scaled", 0.7, _SCALE),
)
"""Name of an operator, name of its function, rate, text."""


@dataclass(frozen=True, slots=True)
class AmountBounds:
    """What the operators know of the amounts of a problem.

    Attributes:
        low, high: texts of an item's bounds over the arguments and `i`.
        whole: function that makes a whole number; empty where amounts need not be whole.
    """

    low: str
    high: str
    whole: str

    @classmethod
    def of(cls, problem: Problem) -> AmountBounds | None:
        """The bounds of a problem's amounts; None if its answers are none."""
        kind: object = problem.answer_kind if isinstance(problem, HasAnswerKind) else None
        if not isinstance(kind, AmountKind):
            return None
        return cls(str(kind.low), str(kind.high), "int" if kind.integer else "")


def operators_of(bounds: AmountBounds) -> Iterator[Operator]:
    """Operators that insert each form, and one that removes the last one."""
    for operator, helper, rate, text in _FORMS:
        yield Operator(operator, Origin.TEMPLATE, rate, _inserts(helper, text, bounds))
    yield Operator("drop-amounts", Origin.TEMPLATE, 0.5, _drop)


def _inserts(helper: str, text: str, bounds: AmountBounds) -> Callable[[Mutation], bool]:
    def apply(work: Mutation) -> bool:
        entry = entry_of(work)
        name = fresh_name(work, helper)
        if entry is None or name is None:
            return False
        function, last = entry
        arguments = [a.arg for a in function.args.args]
        scope = {a.arg: annotation_kind(a.annotation) for a in function.args.args} | {"i": INDEX}
        waits = text is _WAIT or work.rng.random() < _SKIPS
        filled = text.format(
            name=name,
            arguments=", ".join(ast.unparse(a) for a in function.args.args),  # later changes know the types
            low=bounds.low,
            high=bounds.high,
            whole=bounds.whole,
            condition=_condition(work, scope) if waits else "False",
            rating=ast.unparse(_number(work, scope)),
            room=_room(work, scope),
            factor=ast.unparse(_factor(work)),
        )
        add_phase(work, last, name, filled, arguments)
        return True

    return apply


def _drop(work: Mutation) -> bool:
    entry = entry_of(work)
    return entry is not None and unwrap(work, entry[1])


def _room(work: Mutation, scope: dict[str, str]) -> str:
    """What there is to give: as much as before, or one of the entry point's numbers."""
    numbers = _limits(work, scope)
    if not numbers or work.rng.random() < _AS_MUCH_AS_BEFORE:
        return "sum(amounts)"
    return _often_used(work, numbers)


def _often_used(work: Mutation, names: list[str]) -> str:
    """One of some names, more likely one that the program uses: what limits amounts is used for that."""
    used = Counter(node.id for node in ast.walk(work.tree) if isinstance(node, ast.Name))
    return work.rng.choices(names, [(1 + used[name]) ** 2 for name in names])[0]


def _condition(work: Mutation, scope: dict[str, str]) -> str:
    """One comparison of numbers of an item, or two."""
    first = _comparison(work, scope)
    form = work.rng.random()
    if form < _ROOM_LEFT and (numbers := _limits(work, scope)):
        share = grow.number_node(work.rng.uniform(_LEAST_SHARE, 1))
        most = ast.BinOp(share, ast.Mult(), parse_expression(_often_used(work, numbers)))
        room = ast.Compare(parse_expression("sum(amounts)"), [ast.Lt()], [most])
        return ast.unparse(ast.BoolOp(ast.And(), [first, room]))
    if form < _TWO_CONDITIONS:
        word = ast.And() if work.rng.random() < _BOTH else ast.Or()
        return ast.unparse(ast.BoolOp(word, [first, _comparison(work, scope)]))
    return ast.unparse(first)


def _comparison(work: Mutation, scope: dict[str, str]) -> ast.expr:
    """A number of an item against a constant, or against a part of another number."""
    left = _declared(work, scope) or grow.number(work, scope, 1)
    right = _factor(work)
    if work.rng.random() >= _CONSTANT:
        other = _alike(work, scope, left) or _declared(work, scope) or grow.number(work, scope, 1)
        right = ast.BinOp(right, ast.Mult(), other)
    return ast.Compare(left, [work.rng.choice((ast.Lt, ast.Gt))()], [right])


def _alike(work: Mutation, scope: dict[str, str], left: ast.expr) -> ast.expr | None:
    """Another declared expression with the unit of one; None mostly where there is none."""
    if work.rng.random() >= _ALIKE:
        return None
    own = ast.unparse(left)
    texts = [t for t in grow.declared(work, scope, NUMBER) if t != own and unit_of(t) == unit_of(own) != ""]
    return parse_expression(work.rng.choice(texts)) if texts else None


def unit_of(text: str) -> str:
    """What an expression is measured in, as far as its form tells; empty where it does not.

    A list's own name for its values, their least and their mean; `count` for numbers of values and for
    quotients of numbers of one item, which count steps as well.
    """
    node = read_only(text)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        if isinstance(node.left, ast.Subscript):
            return "count"
        node = node.left
    if isinstance(node, ast.Call) and len(node.args) == 1:
        if isinstance(node.args[0], ast.GeneratorExp):
            return "count"
        node = node.args[0]
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id
    return ""


def _factor(work: Mutation) -> ast.expr:
    """A number around 1."""
    return grow.number_node(math.exp(work.rng.gauss(0, _SPREAD)))


def _limits(work: Mutation, scope: dict[str, str]) -> list[str]:
    """The entry point's plain numbers, without those that are places in lists."""
    places = {
        node.slice.id
        for primitive in work.primitives
        for node in ast.walk(read_only(primitive.text))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name)
    }
    return [name for name, kind in scope.items() if kind == NUMBER and name not in places]


def _number(work: Mutation, scope: dict[str, str]) -> ast.expr:
    """A number of an item, or an expression over several."""
    plain = _declared(work, scope) if work.rng.random() < _PLAIN else None
    return plain or grow.number(work, scope, 2)


def _declared(work: Mutation, scope: dict[str, str]) -> ast.expr | None:
    """An expression that the problem declares, of more names more often; None if there is none."""
    texts: Sequence[str] = grow.declared(work, scope, NUMBER)
    if not texts or work.rng.random() >= _DECLARED:
        return None
    weights = [len(grow.free_names(text)) ** 3 for text in texts]
    return parse_expression(work.rng.choices(texts, weights)[0])
