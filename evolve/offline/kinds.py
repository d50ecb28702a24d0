"""Rough types of expressions, inferred from the text alone: enough to exchange like for like.

No candidate code runs here; a wrong guess costs one failed evaluation, never a crash.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

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

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Mapping[str, str]
Walk = Callable[[ast.AST], list[ast.AST]]


# Fields that hold no node that matters here: texts, contexts and the operators of single-operator nodes.
_PLAIN = frozenset(("ctx", "op", "id", "attr", "arg", "name", "type_comment", "kind", "level", "asname"))
_PARTS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def _parts(kind: type[ast.AST]) -> tuple[str, ...]:
    """Fields of a kind of node that may hold nodes, last first."""
    found = _PARTS[kind] = tuple(name for name in reversed(kind._fields) if name not in _PLAIN)
    return found


def walk(root: ast.AST) -> list[ast.AST]:
    """All nodes of a tree, parents first, siblings in order of the text (faster than `ast.walk`)."""
    found: list[ast.AST] = []
    stack = [root]
    while stack:
        node = stack.pop()
        found.append(node)
        kind = node.__class__
        for name in _PARTS[kind] if kind in _PARTS else _parts(kind):
            value = getattr(node, name, None)
            if isinstance(value, list):
                stack += [part for part in reversed(value) if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST):
                stack.append(value)
    return found


def annotation_kind(node: ast.expr | None) -> str:
    """Kind that an annotation promises (`list[int]` is a vector of numbers)."""
    if node is None:
        return OTHER
    text = ast.unparse(node).replace(" ", "").lower()
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


def kind_of(node: ast.expr, kinds: Scope) -> str:
    """Kind of an expression, given the kinds of names."""
    match node:
        case ast.Constant(value=value):
            if isinstance(value, bool):
                return BOOLEAN
            return NUMBER if isinstance(value, int | float) else OTHER
        case ast.Name(id=name):
            return kinds.get(name, OTHER)
        case ast.UnaryOp(op=op, operand=operand):
            inner = kind_of(operand, kinds)
            return BOOLEAN if isinstance(op, ast.Not) else inner if inner in (ARRAY, MASK) else NUMBER
        case ast.BinOp():
            return _binary_kind(node, kinds)
        case ast.Compare(left=left, comparators=others):
            return MASK if any(kind_of(side, kinds) == ARRAY for side in (left, *others)) else BOOLEAN
        case ast.BoolOp(values=values):
            return BOOLEAN if all(kind_of(v, kinds) == BOOLEAN for v in values) else OTHER
        case ast.IfExp(body=body):
            return kind_of(body, kinds)
        case ast.Call():
            return _call_kind(node, kinds)
        case ast.Subscript(value=value, slice=part):
            whole = kind_of(value, kinds)
            if whole == ARRAY and not isinstance(part, ast.Slice):
                return NUMBER if kind_of(part, kinds) in (INDEX, NUMBER) else ARRAY
            return whole if isinstance(part, ast.Slice) else ELEMENT.get(whole, OTHER)
        case ast.Attribute(value=ast.Name(id=name), attr=attr):
            return kinds.get(f"{name}.{attr}", OTHER)
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            if isinstance(node, ast.Tuple) or not elements:
                return OTHER
            return _LIST_OF.get(kind_of(elements[0], kinds), OTHER)
        case (
            ast.ListComp(elt=element, generators=generators)
            | ast.GeneratorExp(elt=element, generators=generators)
        ):
            return _LIST_OF.get(kind_of(element, with_targets(generators, kinds)), OTHER)
    return OTHER


def _binary_kind(node: ast.BinOp, kinds: Scope) -> str:
    sides = (kind_of(node.left, kinds), kind_of(node.right, kinds))
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


def _call_kind(node: ast.Call, kinds: Scope) -> str:
    match node.func:
        case ast.Name(id="range"):
            return INDICES
        case ast.Name(id=name) if name in _NUMERIC_CALLS:
            return NUMBER
        case ast.Name(id=name) if name in _SAME_KIND_CALLS and node.args:
            return kind_of(node.args[0], kinds)
        case ast.Name(id="min" | "max") if len(node.args) == 1:
            return ELEMENT.get(kind_of(node.args[0], kinds), OTHER)
        case ast.Name(id="min" | "max") if node.args:
            found = [kind_of(arg, kinds) for arg in node.args]
            return found[0] if len(set(found)) == 1 else NUMBER if NUMBER in found else OTHER
        case ast.Name(id=name):
            return kinds.get(f"{name}()", OTHER)
        case ast.Attribute(value=ast.Name(id="math")):
            return NUMBER
        case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr=attr):
            found = [kind_of(arg, kinds) for arg in node.args]
            return _array_kind(attr, found, [k.arg for k in node.keywords])
        case ast.Attribute(value=value, attr=attr) if kind_of(value, kinds) in (ARRAY, MASK):
            return _array_kind(attr, [ARRAY] + [OTHER] * len(node.args), [k.arg for k in node.keywords])
        case ast.Attribute(value=value, attr="copy"):
            return kind_of(value, kinds)
        case ast.Attribute(value=value, attr="pop"):
            return ELEMENT.get(kind_of(value, kinds), OTHER)
        case ast.Attribute(attr="index"):
            return INDEX
        case ast.Attribute(attr="count" | "bit_length"):
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


def bindings(target: ast.expr, iterable: ast.expr, kinds: Scope) -> Iterator[tuple[str, str]]:
    """Names that `for target in iterable` binds, each with its kind."""
    match target, iterable:
        case ast.Name(id=name), _:
            yield name, ELEMENT.get(kind_of(iterable, kinds), OTHER)
        case ast.Tuple(elts=[ast.Name(id=first), second]), ast.Call(
            func=ast.Name(id="enumerate"), args=[inner, *_]
        ):
            yield first, INDEX
            yield from bindings(second, inner, kinds)
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=inners):
            for part, inner in zip(targets, inners, strict=False):
                yield from bindings(part, inner, kinds)
        case _:
            yield from ((name, OTHER) for name in target_names(target))


def target_names(target: ast.expr) -> list[str]:
    """Names that an assignment target binds, in order."""
    return [
        node.id for node in walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def with_targets(generators: list[ast.comprehension], kinds: Scope) -> dict[str, str]:
    """Kinds of names inside a comprehension's element."""
    inner = dict(kinds)
    for generator in generators:
        for name, kind in bindings(generator.target, generator.iter, inner):
            inner[name] = merge(inner.get(name, OTHER), kind)
    return inner


def merge(known: str, seen: str) -> str:
    """Kind of a name seen twice: the more telling of the two; an index stays an index."""
    if seen in (ARRAY, MASK, VECTOR, INDICES, TABLE) and known == INDEX:
        return seen
    if known == INDEX or seen == OTHER:
        return known
    return seen if known == OTHER or seen == INDEX else known


def infer(
    function: FunctionNode | ast.Lambda | ast.Module, outer: Scope, walk: Walk = walk
) -> dict[str, str]:
    """Kinds of all names of a function: annotations, assignments, loops, uses as subscript.

    Args:
        function: whose names are asked for.
        outer: kinds of the names around it.
        walk: gives all nodes of a tree; one that remembers saves time where trees are nested.
    """
    kinds = dict(outer)
    nodes = [node for node in _own(function, walk) if isinstance(node, _TELLING)]
    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        for arg in _arguments(function.args):
            kinds[arg.arg] = annotation_kind(arg.annotation)
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            kinds[node.slice.id] = INDEX
    told = [node for node in nodes if not isinstance(node, ast.Subscript | ast.Call) or _is_append(node)]
    # A name that takes an index but never stands in a subscript is a plain number (`score = gap`).
    for _ in range(2):
        for node in told:
            _learn(node, kinds, walk)
    return kinds


def _is_append(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"


def _own(root: FunctionNode | ast.Lambda | ast.Module, walk: Walk) -> list[ast.AST]:
    """All nodes of a function; of a module, without the bodies of its functions."""
    if not isinstance(root, ast.Module):
        return walk(root)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [n for node in root.body for n in ([node] if isinstance(node, functions) else walk(node))]


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _learn(node: ast.AST, kinds: dict[str, str], walk: Walk) -> None:
    def note(name: str, kind: str) -> None:
        kinds[name] = merge(kinds.get(name, OTHER), kind)

    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            kind = kind_of(value, kinds)
            note(name, NUMBER if kind == INDEX else kind)
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)], value=value):
            note(f"self.{attr}", kind_of(value, kinds))
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            for target, value in zip(targets, values, strict=False):
                if isinstance(target, ast.Name):
                    kind = kind_of(value, kinds)
                    note(target.id, NUMBER if kind == INDEX else kind)
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
            note(name, annotation_kind(annotation))
        case ast.For(target=target, iter=iterable) | ast.comprehension(target=target, iter=iterable):
            for name, kind in bindings(target, iterable, kinds):
                note(name, kind)
                if isinstance(iterable, ast.Name) and kinds.get(name) == INDEX:
                    note(iterable.id, INDICES)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]):
            note(name, _LIST_OF.get(kind_of(value, kinds), OTHER))
        case ast.FunctionDef(name=name):
            note(name, FUNCTION)
            kinds[f"{name}()"] = _return_kind(node, kinds, walk)


def _return_kind(function: ast.FunctionDef, kinds: Scope, walk: Walk) -> str:
    promised = annotation_kind(function.returns)
    if promised != OTHER:
        return promised
    for node in walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            return kind_of(node.value, kinds)
    return OTHER
