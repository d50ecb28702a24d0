"""Rough types of expressions, inferred from the text alone: enough to exchange like for like.

No candidate code runs here; a wrong guess costs one failed evaluation, never a crash. The work is linear in
the size of the text: every part of an expression is looked at once, and what is nested deeper than `NESTED`
functions or comprehensions teaches nothing about the names around it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from .tree import FunctionNode, NodeOrder, walk

NUMBER = "number"
BOOLEAN = "boolean"
INDEX = "index"
VECTOR = "vector"
INDICES = "indices"
TABLE = "table"
ARRAY = "array"
MASK = "mask"
FUNCTION = "function"
OTHER = "other"

ELEMENT = {VECTOR: NUMBER, INDICES: INDEX, TABLE: VECTOR}
_LIST_OF = {NUMBER: VECTOR, INDEX: INDICES, VECTOR: TABLE}
_NUMERIC_CALLS = ("len", "sum", "abs", "round", "int", "float", "pow")
_SAME_KIND_CALLS = ("list", "sorted", "reversed", "tuple", "set")
_SCALARS = ("sum", "mean", "max", "min", "median", "std", "var", "prod", "ptp", "size")
_INDEXERS = ("argmin", "argmax", "searchsorted")
_LISTS = ("tolist",)
_ARITHMETIC = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)

_TELLING = (
    ast.Subscript,
    ast.Assign,
    ast.AnnAssign,
    ast.For,
    ast.comprehension,
    ast.Call,
    ast.FunctionDef,
)

NESTED = 4
"""Levels of functions, or of comprehensions, below which nothing is learned of names: work stays bounded."""


class Lookup(Protocol):
    """Kinds of names, by name."""

    def get(self, name: str, default: str, /) -> str:
        """The kind of a name, or the default if the name is not there."""


class TypeLayer:
    """Kinds of the names of one function or comprehension, in front of the kinds around it."""

    def __init__(self, outer: Lookup, level: int = 0) -> None:
        """Starts without names of its own; `level` counts the comprehensions around it."""
        self.own: dict[str, str] = {}
        self.outer = outer
        self.level = level

    def get(self, name: str, default: str = OTHER, /) -> str:
        """The kind of a name, or the default if no layer has it."""
        layer: Lookup = self
        while isinstance(layer, TypeLayer):
            kind = layer.own.get(name)
            if kind is not None:
                return kind
            layer = layer.outer
        return layer.get(name, default)

    @cached_property
    def attributes(self) -> dict[str, str]:
        """Kinds of this layer's attributes of `self`, once the layer is complete."""
        return {name: kind for name, kind in self.own.items() if name.startswith("self.")}

    def learn(self, name: str, kind: str) -> None:
        """Takes one more sighting of a name."""
        self.own[name] = merge(self.get(name), kind)


def annotation_kind(node: ast.expr | None) -> str:
    """Kind that an annotation promises (`list[int]` is a vector of numbers)."""
    if node is None:
        return OTHER
    text = _written(node).replace(" ", "").lower()
    if text in ("int", "float", "int|float", "float|int"):
        return NUMBER
    if text == "bool":
        return BOOLEAN
    if text.endswith("ndarray") or "ndarray[" in text:
        return ARRAY
    if "none" in text:  # what may be None is no number to compute with
        return OTHER
    if text.startswith(("list[list[", "sequence[sequence[", "tuple[tuple[")):
        return TABLE
    if text.startswith(
        ("list[int", "list[float", "sequence[int", "sequence[float", "tuple[int", "tuple[float")
    ):
        return VECTOR
    return OTHER


def _written(node: ast.expr) -> str:
    """An annotation as text; the usual ones are written without the machinery for whole programs."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name() | ast.Subscript() as inner):
            return f"{name}[{_written(inner)}]"
    return ast.unparse(node)


def kind_of(node: ast.expr, kinds: Lookup, seen: dict[int, str] | None = None) -> str:
    """Kind of an expression.

    Args:
        node: the expression.
        kinds: of the names around it.
        seen: node id → kind under the same names; nodes that it holds keep their kind, others are added.
    """
    if seen is None:
        return _kind(node, kinds, None)
    kind = seen.get(id(node))
    if kind is None:
        kind = seen[id(node)] = _kind(node, kinds, seen)
    return kind


def _kind(node: ast.expr, kinds: Lookup, seen: dict[int, str] | None) -> str:
    match node:
        case ast.Constant(value=value):
            if isinstance(value, bool):
                return BOOLEAN
            return NUMBER if isinstance(value, int | float) else OTHER
        case ast.Name(id=name):
            return kinds.get(name, OTHER)
        case ast.UnaryOp(op=op, operand=operand):
            inner = kind_of(operand, kinds, seen)
            return BOOLEAN if isinstance(op, ast.Not) else inner if inner in (ARRAY, MASK) else NUMBER
        case ast.BinOp():
            return _binary_kind(node, kinds, seen)
        case ast.Compare(left=left, comparators=others):
            arrays = any(kind_of(side, kinds, seen) == ARRAY for side in (left, *others))
            return MASK if arrays else BOOLEAN
        case ast.BoolOp(values=values):
            return BOOLEAN if all(kind_of(v, kinds, seen) == BOOLEAN for v in values) else OTHER
        case ast.IfExp(body=body):
            return kind_of(body, kinds, seen)
        case ast.Call():
            return _call_kind(node, kinds, seen)
        case ast.Subscript(value=value, slice=part):
            whole = kind_of(value, kinds, seen)
            if whole == ARRAY and not isinstance(part, ast.Slice):
                return NUMBER if kind_of(part, kinds, seen) in (INDEX, NUMBER) else ARRAY
            return whole if isinstance(part, ast.Slice) else ELEMENT.get(whole, OTHER)
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            return kinds.get(f"{name}.{attr}", OTHER)
        case ast.List(elts=[first, *_]):
            return _LIST_OF.get(kind_of(first, kinds, seen), OTHER)
        case ast.ListComp() | ast.GeneratorExp():
            return _comprehension_kind(node, kinds, seen)
    return OTHER


def _binary_kind(node: ast.BinOp, kinds: Lookup, seen: dict[int, str] | None) -> str:
    sides = (kind_of(node.left, kinds, seen), kind_of(node.right, kinds, seen))
    if sides == (MASK, MASK) and isinstance(node.op, ast.BitAnd | ast.BitOr):
        return MASK
    if ARRAY in sides or MASK in sides:
        return ARRAY
    for side in sides:
        if side in (VECTOR, INDICES, TABLE):
            return side
    if sides == (OTHER, OTHER) and not isinstance(node.op, _ARITHMETIC):
        return OTHER
    return NUMBER


def _comprehension_kind(
    node: ast.ListComp | ast.GeneratorExp, kinds: Lookup, seen: dict[int, str] | None
) -> str:
    """Kind of a comprehension by its element, which has names of its own."""
    level = kinds.level + 1 if isinstance(kinds, TypeLayer) else 1
    if level > NESTED:
        return OTHER
    inner = TypeLayer(kinds, level)
    for generator in node.generators:
        around, names = (inner, None) if inner.own else (kinds, seen)
        for name, kind in bindings(generator.target, generator.iter, around, names):
            inner.learn(name, kind)
    return _LIST_OF.get(kind_of(node.elt, inner), OTHER)


def _call_kind(node: ast.Call, kinds: Lookup, seen: dict[int, str] | None) -> str:
    match node.func:
        case ast.Name(id="range"):
            return INDICES
        case ast.Name(id=name) if name in _NUMERIC_CALLS:
            return NUMBER
        case ast.Name(id=name) if name in _SAME_KIND_CALLS and node.args:
            return kind_of(node.args[0], kinds, seen)
        case ast.Name(id="min" | "max") if len(node.args) == 1:
            return ELEMENT.get(kind_of(node.args[0], kinds, seen), OTHER)
        case ast.Name(id="min" | "max") if node.args:
            sides = [kind_of(arg, kinds, seen) for arg in node.args]
            return sides[0] if len(set(sides)) == 1 else NUMBER if NUMBER in sides else OTHER
        case ast.Name(id=name):
            return kinds.get(f"{name}()", OTHER)
        case ast.Attribute(value=ast.Name(id="math")):
            return NUMBER
        case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=attr):
            sides = [kind_of(arg, kinds, seen) for arg in node.args]
            return _array_kind(attr, sides, [k.arg for k in node.keywords])
        case ast.Attribute(value=value, attr=attr):
            return _method_kind(node, attr, kind_of(value, kinds, seen))
    return OTHER


def _method_kind(node: ast.Call, name: str, owner: str) -> str:
    """Kind of a method's value, by the kind of what it belongs to."""
    if owner in (ARRAY, MASK):
        return _array_kind(name, [ARRAY] + [OTHER] * len(node.args), [k.arg for k in node.keywords])
    match name:
        case "copy":
            return owner
        case "pop":
            return ELEMENT.get(owner, OTHER)
        case "index":
            return INDEX
        case "count" | "bit_length":
            return NUMBER
    return OTHER


def _array_kind(name: str, arguments: list[str], keywords: list[str | None]) -> str:
    """Kind of a numpy function's or method's value."""
    if name in _INDEXERS:
        return INDEX
    if name in _SCALARS:
        return ARRAY if "axis" in keywords or len(arguments) > 1 else NUMBER
    if name in _LISTS:
        return VECTOR
    elementwise = arguments and all(kind in (NUMBER, INDEX, BOOLEAN) for kind in arguments)
    made = name in ("arange", "zeros", "ones", "full", "linspace", "tri", "eye", "array")
    return NUMBER if elementwise and not made else ARRAY


def bindings(
    target: ast.expr, iterable: ast.expr, kinds: Lookup, seen: dict[int, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Names that `for target in iterable` binds, each with its kind; `kinds` and `seen` as for `kind_of`."""
    match target, iterable:
        case ast.Name(id=name), _:
            yield name, ELEMENT.get(kind_of(iterable, kinds, seen), OTHER)
        case ast.Tuple(elts=[ast.Name(id=first), second]), ast.Call(
            func=ast.Name(id="enumerate"), args=[inner, *_]
        ):
            yield first, INDEX
            yield from bindings(second, inner, kinds, seen)
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=inners):
            for part, inner in zip(targets, inners, strict=False):
                yield from bindings(part, inner, kinds, seen)
        case _:
            yield from ((name, OTHER) for name in target_names(target))


def target_names(target: ast.expr) -> list[str]:
    """Names that an assignment target binds, in order."""
    return [
        node.id for node in walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def merge(before: str, seen: str) -> str:
    """Kind of a name seen twice: the more telling of the two; an index stays an index."""
    if seen in (ARRAY, MASK, VECTOR, INDICES, TABLE) and before == INDEX:
        return seen
    if before == INDEX or seen == OTHER:
        return before
    return seen if before == OTHER or seen == INDEX else before


def infer(function: FunctionNode | ast.Module, outer: Lookup, order: NodeOrder | None = None) -> TypeLayer:
    """Kinds of all names of a function: annotations, assignments, loops, uses as subscript.

    Args:
        function: function or module to analyse; the bodies of a module's functions are ignored.
        outer: kinds of the names around it.
        order: of a tree that holds the function, or None.
    """
    order = order or NodeOrder(function)
    kinds = arguments(function, outer)
    nodes = [node for node in _own(function, order) if isinstance(node, _TELLING)]
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            kinds.own[node.slice.id] = INDEX
    telling = [node for node in nodes if not isinstance(node, ast.Subscript | ast.Call) or _is_append(node)]
    # A name that takes an index but never stands in a subscript is a plain number (`score = gap`).
    for _ in range(2):
        for node in telling:
            _learn(node, kinds, order)
    return kinds


def arguments(function: FunctionNode | ast.Module, outer: Lookup) -> TypeLayer:
    """Kinds that a function's annotations promise, in front of the kinds around it."""
    kinds = TypeLayer(outer)
    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        parts = function.args
        for arg in (*parts.posonlyargs, *parts.args, *parts.kwonlyargs):
            kinds.own[arg.arg] = annotation_kind(arg.annotation)
    return kinds


def _is_append(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"


def _own(root: FunctionNode | ast.Module, order: NodeOrder) -> list[ast.AST]:
    """All nodes of a function; of a module, without the bodies of its functions."""
    if not isinstance(root, ast.Module):
        return order.below(root)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [n for node in root.body for n in ([node] if isinstance(node, functions) else order.below(node))]


def _learn(node: ast.AST, kinds: TypeLayer, order: NodeOrder) -> None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            kind = kind_of(value, kinds)
            kinds.learn(name, NUMBER if kind == INDEX else kind)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)], value=value):
            kinds.learn(f"self.{attr}", kind_of(value, kinds))
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            for target, value in zip(targets, values, strict=False):
                if isinstance(target, ast.Name):
                    kind = kind_of(value, kinds)
                    kinds.learn(target.id, NUMBER if kind == INDEX else kind)
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
            kinds.learn(name, annotation_kind(annotation))
        case ast.For(target=target, iter=iterable) | ast.comprehension(target=target, iter=iterable):
            for name, kind in bindings(target, iterable, kinds):
                kinds.learn(name, kind)
                if isinstance(iterable, ast.Name) and kinds.get(name) == INDEX:
                    kinds.learn(iterable.id, INDICES)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]):
            kinds.learn(name, _LIST_OF.get(kind_of(value, kinds), OTHER))
        case ast.FunctionDef(name=name):
            kinds.learn(name, FUNCTION)
            kinds.own[f"{name}()"] = _return_kind(node, kinds, order)


def _return_kind(function: ast.FunctionDef, kinds: Lookup, order: NodeOrder) -> str:
    promised = annotation_kind(function.returns)
    if promised != OTHER:
        return promised
    value = order.first_returned(function)
    return OTHER if value is None else kind_of(value, kinds)
