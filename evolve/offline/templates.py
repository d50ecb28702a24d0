"""Statement templates: whole phases that small edits would not find in reasonable time.

They fit programs by shape alone: functions that take vectors and return an order of their indices. What an
order costs is not known here; the template writes a cost that adds up along the order, over a vector that
accumulates and a random expression, and selection keeps what turns out to help. Insertion and exchange
moves with increments: Della Croce, Garaix, Grosso, Computers & Operations Research 39 (2012) 1213-1217,
doi:10.1016/j.cor.2010.10.025; two phases (construct, then improve) as in GRASP (Feo and Resende 1995,
doi:10.1007/BF01096763).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from ..base import Origin
from ..syntax.kinds import INDEX, INDICES, OTHER, VECTOR, annotation_kind, infer, kind_of
from ..syntax.order import walk
from . import grow
from .costs import added_cost, known_cost
from .work import Operator, Work

_MOST_PHASES = 3

_INSERTION = '''
def {name}(order, {arguments}):
    """Moves single items along an order as long as the added-up cost falls."""
    def cost(j, end):
        return {cost}
    order = list(order)
    for _ in range({rounds}):
        changed = False
        for i in range(len(order)):
            j = order[i]
            start = sum({weight}[k] for k in order[:i])
            base = cost(j, start + {weight}[j])
            least = -1e-09
            place = i
            change = 0
            end = start
            for k in range(i + 1, min(len(order), i + {window})):
                other = order[k]
                end += {weight}[other]
                change += cost(other, end) - cost(other, end + {weight}[j])
                gain = change + cost(j, end + {weight}[j]) - base
                if gain < least:
                    least = gain
                    place = k
            change = 0
            end = start
            for k in range(i - 1, max(-1, i - {window}), -1):
                other = order[k]
                change += cost(other, end + {weight}[j]) - cost(other, end)
                end -= {weight}[other]
                gain = change + cost(j, end + {weight}[j]) - base
                if gain < least:
                    least = gain
                    place = k
            if place != i:
                order.insert(place, order.pop(i))
                changed = True
        if not changed:
            break
    return order
'''

_EXCHANGE = '''
def {name}(order, {arguments}):
    """Exchanges pairs of items of an order as long as the added-up cost falls."""
    def cost(j, end):
        return {cost}
    order = list(order)
    for _ in range({rounds}):
        changed = False
        start = 0
        for i in range(len(order)):
            for k in range(i + 1, min(len(order), i + {window})):
                trial = [order[k]] + order[i + 1:k] + [order[i]]
                change = 0
                end = start
                for other in order[i:k + 1]:
                    end += {weight}[other]
                    change -= cost(other, end)
                end = start
                for other in trial:
                    end += {weight}[other]
                    change += cost(other, end)
                if change < -1e-09:
                    order[i:k + 1] = trial
                    changed = True
            start += {weight}[order[i]]
        if not changed:
            break
    return order
'''

_BEST_OF = '''
def {name}(orders, {arguments}):
    """The order of least added-up cost."""
    def cost(j, end):
        return {cost}
    def total(order):
        end = 0
        value = 0
        for j in order:
            end += {weight}[j]
            value += cost(j, end)
        return value
    return min(orders, key=total)
'''


def entry_of(work: Work) -> tuple[ast.FunctionDef, ast.Return, list[str]] | None:
    """The entry point, its last return and its vectors, when it returns an order of indices."""
    for node in work.tree.body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.name == work.entry
            and isinstance(node.body[-1], ast.Return)
        ):
            last = node.body[-1]
            kinds = infer(node, {})
            promised = annotation_kind(node.returns) == VECTOR
            kind = None if last.value is None else kind_of(last.value, kinds)
            # What is filled in place by place (`[0] * n`) says where each item goes; that is no order.
            if not (kind == INDICES or (promised and kind == OTHER)):
                return None
            vectors = [a.arg for a in node.args.args if kinds.get(a.arg) == VECTOR]
            return (node, last, vectors) if vectors else None
    return None


def fresh_name(work: Work, stem: str) -> str | None:
    """A name for a new phase; None when the text has enough phases."""
    names = [node.name for node in work.tree.body if isinstance(node, ast.FunctionDef)]
    if len(names) > _MOST_PHASES:
        return None
    return next(name for name in (stem, f"{stem}_2", f"{stem}_3", f"{stem}_4") if name not in names)


def add_helper(work: Work, text: str) -> None:
    """Puts a helper before the entry point."""
    place = next(
        i for i, n in enumerate(work.tree.body) if isinstance(n, ast.FunctionDef) and n.name == work.entry
    )
    work.tree.body.insert(place, ast.parse(text).body[0])


def add_phase(work: Work, last: ast.Return, name: str, text: str, arguments: list[str]) -> None:
    """Puts a helper before the entry point and calls it with what is returned, and with some names."""
    add_helper(work, text)
    assert last.value is not None
    last.value = grow.call(name, last.value, *(ast.Name(a, ast.Load()) for a in arguments))


def _phase(stem: str, template: str, windows: tuple[int, ...]) -> Callable[[Work], bool]:
    def apply(work: Work) -> bool:
        shape = entry_of(work)
        name = fresh_name(work, stem)
        if shape is None or name is None:
            return False
        _, last, vectors = shape
        weight, cost = added_cost(work, vectors)
        text = template.format(
            name=name,
            arguments=", ".join(vectors),
            cost=cost,
            weight=weight,
            rounds=work.rng.choice((1, 2, 3, 5)),
            window=work.rng.choice(windows),
        )
        add_phase(work, last, name, text, vectors)
        return True

    return apply


def best_of(work: Work) -> bool:
    """Two answers instead of one, the second from an order by a new key; the cheaper one is returned."""
    shape, name, known = entry_of(work), fresh_name(work, "best_of"), known_cost(work)
    if shape is None or name is None or known is None:
        return False
    _, last, vectors = shape
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
            add_helper(
                work, _BEST_OF.format(name=name, arguments=", ".join(vectors), cost=cost, weight=weight)
            )
            orders = ast.List([last.value, other], ast.Load())
            last.value = grow.call(name, orders, *(ast.Name(v, ast.Load()) for v in vectors))
            return True
    return False


def drop_phase(work: Work) -> bool:
    """Takes one phase out of the returned expression and its helper out of the text."""
    shape = entry_of(work)
    if shape is None:
        return False
    _, last, _ = shape
    value = last.value
    helpers = [n.name for n in work.tree.body if isinstance(n, ast.FunctionDef) and n.name != work.entry]
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in helpers
        and value.args
    ):
        gone = value.func.id
        first = value.args[0]
        last.value = first.elts[0] if isinstance(first, ast.List) and first.elts else first
        used = {n.id for n in walk(work.tree) if isinstance(n, ast.Name)}
        if gone not in used:
            work.tree.body = [
                n for n in work.tree.body if not (isinstance(n, ast.FunctionDef) and n.name == gone)
            ]
        return True
    return False


OPERATORS = (
    Operator(
        "insertion-phase", Origin.TEMPLATE, 2.0, _phase("insertion_descent", _INSERTION, (6, 12, 30, 1000))
    ),
    Operator("exchange-phase", Origin.TEMPLATE, 1.0, _phase("exchange_descent", _EXCHANGE, (2, 3, 5, 8))),
    Operator("best-of", Origin.TEMPLATE, 0.5, best_of),
    Operator("drop-phase", Origin.TEMPLATE, 0.3, drop_phase),
)
