"""Where a text can be changed: every expression with the names that are surely bound there, and its role.

One walk in the order of execution carries along the names that are bound on every way to the statement at
hand. A block is walked with names of its own in front of those around it. Where ways meet again (after an
`if`), a name stays if every way that goes on has bound it; a way that ends in `return`, `break`, `continue`
or `raise` does not count. A loop's body may never run, so its bindings end with it. A function begins with
the names around it, without those that its own body assigns, and with its arguments.

No scope is copied, and the kind of an expression is worked out once for each scope that asks
for it, so the work grows with the text, not with its nesting or the number of its names.
"""

from __future__ import annotations

import ast
import builtins
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .scope import Analysis, Block, Scope, Spot
from .tree import FunctionNode, NodeOrder, attributes_set, module_names, names_stored, walk
from .types import (
    BOOLEAN,
    ELEMENT,
    FUNCTION,
    INDEX,
    NESTED,
    NUMBER,
    OTHER,
    TypeLayer,
    arguments,
    bindings,
    infer,
    kind_of,
    target_names,
)

_BUILTINS = frozenset(dir(builtins))
_ENDS = (ast.Return, ast.Continue, ast.Break, ast.Raise)
_PLACES = ("range", "len", "enumerate", "zip", "index", "append", "remove", "insert", "pop", "add", "discard")


@dataclass(frozen=True, slots=True)
class _Role:
    structural: bool = False
    deciding: bool = False
    target: str | None = None


_STRUCTURAL = _Role(structural=True)


def analyse(tree: ast.Module, bound: Iterable[str] = (), *, places: bool = True) -> Analysis:
    """Walks a module once, in order of execution.

    Args:
        tree: the module.
        bound: names that the module will bind at its top level beside those that it binds now.
        places: whether to look for places to change. Without them, names that may be unbound are found
            much faster, because they do not depend on kinds.
    """
    return _Walker(tree, bound, places).result


class _Walker:
    """One pass over a module; `kinds`, `function` and `loops` belong to the function being walked."""

    def __init__(self, tree: ast.Module, bound: Iterable[str], places: bool) -> None:
        self.places = places
        self.order = NodeOrder(tree)
        self.result = Analysis(self.order)
        # Bodies of functions are walked with their own kinds; here only what they are called and return.
        self.kinds: TypeLayer = self.infer(tree)
        self.function: FunctionNode | None = None
        self.path = ""
        self.loops = 0
        self.nested = 0
        self._kinds: dict[int, dict[int, str]] = {}
        names = self.bind(Scope.empty(), [*module_names(tree), *bound])
        for statement in tree.body:
            self.statement(statement, names)

    def infer(self, part: FunctionNode | ast.Module, deep: bool = False) -> TypeLayer:
        """Kinds of the names of a function or module, or only of its arguments where those suffice."""
        around = getattr(self, "kinds", {})
        if deep or not self.places:
            return arguments(part, around) if self.places else TypeLayer(around)
        return infer(part, around, self.order)

    def kind(self, node: ast.expr, scope: Scope) -> str:
        """Kind of an expression; the kinds of its parts in the same scope are kept."""
        return kind_of(node, scope, self._kinds.setdefault(id(scope), {}))

    def bind(self, scope: Scope, names: Iterable[str]) -> Scope:
        """The scope with further names."""
        return scope.bind((name, self.kinds.get(name)) for name in names)

    # statements

    def define(self, function: FunctionNode, scope: Scope, owner: str = "") -> None:
        """A function's body, with what surrounds it."""
        outer = self.kinds, self.function, self.path, self.loops
        self.nested += 1
        self.kinds = self.infer(function, deep=self.nested > NESTED)
        self.function = function
        self.path = owner + function.name
        self.loops = 0
        parts = function.args
        names = [a.arg for a in (*parts.posonlyargs, *parts.args, *parts.kwonlyargs)]
        names += [a.arg for a in (parts.vararg, parts.kwarg) if a is not None]
        # A name that the body assigns is local to all of it, whatever the surroundings call so.
        inner = self.bind(scope.inner(names_stored(function)), names)
        if "self" in names and function.name != "__init__":
            inner = self.with_attributes(inner, self.kinds)
        self.block(function, "body", inner)
        self.nested -= 1
        self.kinds, self.function, self.path, self.loops = outer

    def with_attributes(self, scope: Scope, kinds: TypeLayer) -> Scope:
        """The scope with the attributes of `self` that are known."""
        if isinstance(kinds.outer, TypeLayer):
            scope = self.with_attributes(scope, kinds.outer)
        return scope.shared(kinds.attributes) if kinds.attributes else scope

    def block(self, owner: ast.AST, name: str, scope: Scope, own: bool = True) -> Scope | None:
        """A list of statements; the names bound after it, or None when it never runs to its end.

        Without names of its `own` a block binds its names in the block around it.
        """
        scope = scope.inner() if own else scope
        scopes: list[Scope] = []
        ended = False
        for statement in getattr(owner, name):
            scopes.append(scope)
            scope = self.statement(statement, scope)
            ended = ended or isinstance(statement, _ENDS)
        scopes.append(scope)
        self.result.blocks.append(Block(owner, name, scopes))
        return None if ended else scope

    def statement(self, node: ast.stmt, scope: Scope) -> Scope:
        """One statement; returns the names that are surely bound after it."""
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                scope = scope.bind([(node.name, FUNCTION)])
                self.define(node, scope)
            case ast.ClassDef():
                scope = scope.bind([(node.name, OTHER)])
                kinds = self.kinds
                self.kinds = self.infer(ast.Module(body=node.body, type_ignores=[]))
                for part in node.body:
                    if isinstance(part, ast.FunctionDef):
                        self.define(part, scope, f"{node.name}.")
                self.kinds = kinds
            case ast.Assign():
                target = node.targets[0].id if isinstance(node.targets[0], ast.Name) else None
                self.expression(node, "value", None, scope, self.assigned(target))
                for each in node.targets:
                    self.store(each, scope)
                    scope = self.bind(scope, target_names(each) + attributes_set(each))
            case ast.AugAssign():
                target = node.target.id if isinstance(node.target, ast.Name) else ""
                self.name_used(target, scope)
                # A counter's step is bookkeeping.
                steps = isinstance(node.value, ast.Constant)
                self.expression(node, "value", None, scope, _STRUCTURAL if steps else self.assigned(target))
                self.store(node.target, scope)
            case ast.AnnAssign():
                if node.value is not None:
                    self.expression(node, "value", None, scope, _Role())
                    scope = self.bind(scope, target_names(node.target))
            case ast.For() | ast.While() | ast.If() | ast.With() | ast.Try():
                scope = self.compound(node, scope)
            case ast.Return():
                self.expression(node, "value", None, scope, _Role(deciding=True))
            case ast.Import() | ast.ImportFrom():
                scope = self.bind(scope, [(a.asname or a.name).split(".")[0] for a in node.names])
            case ast.Expr():
                self.expression(node, "value", None, scope, _Role())
            case _:
                for child in walk(node):
                    if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                        self.name_used(child.id, scope)
        return scope

    def compound(self, node: ast.For | ast.While | ast.If | ast.With | ast.Try, scope: Scope) -> Scope:
        """A statement that holds blocks."""
        match node:
            case ast.For():
                self.expression(node, "iter", None, scope, _STRUCTURAL)
                self.loops += 1
                self.block(node, "body", self.bind(scope.inner(), target_names(node.target)))
                self.loops -= 1
                self.optional(node, "orelse", scope)
            case ast.While():
                self.expression(node, "test", None, scope, _Role(deciding=True))
                self.loops += 1
                self.block(node, "body", scope)
                self.loops -= 1
                self.optional(node, "orelse", scope)
            case ast.If():
                self.expression(node, "test", None, scope, _Role(deciding=True))
                ends = [self.block(node, "body", scope), self.optional(node, "orelse", scope)]
                return scope.joined([end for end in ends if end is not None])
            case ast.With():
                for item in node.items:
                    self.expression(item, "context_expr", None, scope, _STRUCTURAL)
                    if item.optional_vars is not None:
                        scope = self.bind(scope, target_names(item.optional_vars))
                return self.block(node, "body", scope, own=False) or scope
            case ast.Try():
                after = self.block(node, "body", scope)
                for handler in node.handlers:
                    caught = [handler.name] if handler.name else []
                    self.block(handler, "body", self.bind(scope.inner(), caught))
                self.optional(node, "orelse", after or scope)
                self.optional(node, "finalbody", scope)
        return scope

    def optional(self, owner: ast.AST, name: str, scope: Scope) -> Scope | None:
        """A block that may be absent."""
        return self.block(owner, name, scope) if getattr(owner, name) else scope

    def store(self, target: ast.expr, scope: Scope) -> None:
        """The parts of a target that are read (`x[i] = …` reads x and i)."""
        if isinstance(target, ast.Subscript | ast.Attribute):
            self.children(target, scope, _STRUCTURAL)

    def assigned(self, name: str | None) -> _Role:
        """The role of a value that a name takes: it decides something when the name is compared later."""
        if not self.places or name is None or self.function is None:
            return _Role(target=name)
        return _Role(deciding=self.order.compares(self.function, name), target=name)

    # expressions

    def name_used(self, name: str, scope: Scope) -> None:
        """Notes a use of a name that may be unbound."""
        if name and name not in scope and name not in _BUILTINS:
            self.result.unbound[self.path, name] += 1

    def expression(self, owner: ast.AST, name: str, index: int | None, scope: Scope, role: _Role) -> None:
        """One expression and what is in it."""
        value = getattr(owner, name)
        node = value if index is None else value[index]
        if node is None:
            return
        if isinstance(node, ast.Name):
            self.name_used(node.id, scope)
        if self.places:
            self.place(owner, name, index, scope, role)
        self.children(node, scope, role)

    def place(self, owner: ast.AST, name: str, index: int | None, scope: Scope, role: _Role) -> None:
        """Notes an expression as a place."""
        value = getattr(owner, name)
        kind = self.kind(value if index is None else value[index], scope)
        if kind == OTHER and isinstance(owner, ast.BinOp | ast.UnaryOp) and not role.structural:
            kind = (
                NUMBER if not (isinstance(owner, ast.UnaryOp) and isinstance(owner.op, ast.Not)) else BOOLEAN
            )
        if kind == INDEX and isinstance(owner, ast.Assign) and self.kinds.get(role.target or "") == NUMBER:
            kind = NUMBER
        recurrent = False
        if self.loops and role.target:
            recurrent = isinstance(owner, ast.AugAssign) or self.order.reads(owner, role.target)
        self.result.spots.append(
            Spot(owner, name, index, kind, scope, role.structural, role.deciding, recurrent)
        )

    def children(self, node: ast.expr, scope: Scope, role: _Role) -> None:
        """The parts of an expression, each with its own names and role."""
        if isinstance(node, ast.Name | ast.Constant):
            return
        structural = _Role(structural=True, target=role.target)
        match node:
            case ast.Lambda():
                inner = self.bind(scope.inner(), [a.arg for a in node.args.args])
                self.expression(node, "body", None, inner, role)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self.comprehension(node, scope, role)
            case ast.Subscript():
                self.expression(node, "value", None, scope, structural)
                self.expression(node, "slice", None, scope, structural)
            case ast.Call():
                self.call(node, scope, role)
            case ast.Compare(ops=[ast.Is() | ast.IsNot(), *_]):
                self.expression(node, "left", None, scope, structural)
            case ast.BinOp(op=ast.Mult(), left=left, right=right) if ast.List in (type(left), type(right)):
                self.expression(node, "left", None, scope, structural)
                self.expression(node, "right", None, scope, structural)
            case ast.Compare():
                role = _Role(role.structural, True, role.target)
                self.expression(node, "left", None, scope, role)
                self.sequence(node, "comparators", scope, role)
            case ast.Attribute():
                self.expression(node, "value", None, scope, structural)
            case _:
                for name, value in ast.iter_fields(node):
                    if isinstance(value, list):
                        self.sequence(node, name, scope, role)
                    elif isinstance(value, ast.expr):
                        self.expression(node, name, None, scope, role)

    def sequence(self, owner: ast.AST, name: str, scope: Scope, role: _Role) -> None:
        """A field that holds several expressions."""
        for index, value in enumerate(getattr(owner, name)):
            if isinstance(value, ast.expr):
                self.expression(owner, name, index, scope, role)

    def comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope, role: _Role
    ) -> None:
        """Generators in order, then the element."""
        structural = _Role(structural=True, target=role.target)
        for generator in node.generators:
            self.expression(generator, "iter", None, scope, structural)
            seen = self._kinds.setdefault(id(scope), {})
            names = list(bindings(generator.target, generator.iter, scope, seen))
            scope = scope.inner(better=self.kinds).bind(names)
            self.sequence(generator, "ifs", scope, role)
        for name in ("key", "value") if isinstance(node, ast.DictComp) else ("elt",):
            self.expression(node, name, None, scope, role)

    def call(self, node: ast.Call, scope: Scope, role: _Role) -> None:
        """A call: what is called is structural, and so are the arguments of ranges."""
        structural = _Role(structural=True, target=role.target)
        self.expression(node, "func", None, scope, structural)
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        fixed = role.structural or name in _PLACES
        inside = structural if fixed else _Role(False, role.deciding, role.target)
        self.sequence(node, "args", scope, inside)
        evident = self.places and node.args
        element = ELEMENT.get(self.kind(node.args[0], scope), OTHER) if evident else OTHER
        for keyword in node.keywords:
            if keyword.arg == "key" and isinstance(keyword.value, ast.Lambda) and keyword.value.args.args:
                names = [a.arg for a in keyword.value.args.args]
                kinds = [(n, element if element != OTHER else self.kinds.get(n)) for n in names]
                self.expression(keyword.value, "body", None, scope.inner().bind(kinds), _Role(deciding=True))
            else:
                self.expression(
                    keyword, "value", None, scope, _Role(False, keyword.arg == "key", role.target)
                )


# The numbers that a program names.
#
# A name says that the number may be another one. A number in the middle of an expression is as often a
# guard (`if m <= 2`), an offset (`m - 1`) or part of a formula. Left alone are whole numbers that are an
# index, a length or a range anywhere, names that only guard or bound, sentinels (compared by `==`),
# numbers in arithmetic modulo something or with bits (seeds), tolerances, and numbers that stand for
# infinity: from a million on, or from a thousand on and a thousand times as large as the next smaller
# one.

MOST = 12
"""Most numbers of a program that are tuned (count)."""
_TOLERANCE = 1e-5
_INFINITE = 1e6
_FAR = 1e3
"""From this size on, a number that is this many times as large as the next smaller one is left alone."""
_ARITHMETIC = (ast.BinOp, ast.UnaryOp, ast.AugAssign)
_OF_BITS = (ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)


def named_constants(text: str) -> list[float]:
    """Magnitudes of the named numbers of a text that can be tuned, in their order, at most `MOST`."""
    return [float(str(node.value)) for node in _nodes(text)]


def with_named_constants(text: str, values: Sequence[float]) -> str:
    """The text with other magnitudes (four significant digits) in place of its named numbers.

    Everything else stays as it is written, and integers stay integers, at least 1.

    Args:
        text: source within the sandbox's caps.
        values: one positive number for each of `named_constants(text)`.
    """
    lines = [line.encode() for line in io.StringIO(text, newline="").readlines()]
    changes = sorted(zip(_nodes(text), values, strict=True), key=lambda one: _place(one[0]), reverse=True)
    for node, value in changes:
        line = lines[node.lineno - 1]
        short = float(f"{value:.4g}")
        new = str(max(1, round(short))) if isinstance(node.value, int) else repr(short)
        lines[node.lineno - 1] = line[: node.col_offset] + new.encode() + line[node.end_col_offset :]
    return b"".join(lines).decode()


def _place(node: ast.Constant) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _nodes(text: str) -> list[ast.Constant]:
    """The numbers that can be tuned, in the order of the text."""
    tree = ast.parse(text)
    defined = list(_defined(tree))
    names = [name for name, _ in defined]
    uses: dict[str, list[Spot]] = {name: [] for name in names}
    for spot in analyse(tree).spots:
        if isinstance(spot.node, ast.Name) and spot.node.id in uses:
            uses[spot.node.id].append(spot)
    entering = [node for name, node in defined if names.count(name) == 1 and _enters(node, uses[name])]
    return sorted(_near(entering), key=_place)[:MOST]


def _enters(node: ast.Constant, uses: Sequence[Spot]) -> bool:
    """Whether a name takes part in arithmetic and is no index, length, range, sentinel or seed.

    A fraction is no length, but may be a factor of one (`range(int(SHARE * n))`).
    """
    whole = isinstance(node.value, int)
    return any(isinstance(spot.owner, _ARITHMETIC) for spot in uses) and not any(
        (whole and spot.structural) or _exact(spot.owner) for spot in uses
    )


def _exact(owner: ast.AST) -> bool:
    """Whether a use asks for this number and no other: a test for equality, a modulus, bits."""
    if isinstance(owner, ast.Compare):
        return any(isinstance(operator, ast.Eq | ast.NotEq) for operator in owner.ops)
    return isinstance(owner, ast.BinOp | ast.AugAssign) and isinstance(owner.op, _OF_BITS)


def _near(nodes: Sequence[ast.Constant]) -> list[ast.Constant]:
    """The numbers, by size, before the first one that is far larger than the one before it."""
    values = sorted(float(str(node.value)) for node in nodes)
    end = next((high for low, high in pairwise(values) if high >= max(_FAR, _FAR * low)), math.inf)
    return [node for node in nodes if float(str(node.value)) < end]


def _defined(tree: ast.Module) -> Iterator[tuple[str, ast.Constant]]:
    """Names and numbers of module constants and of defaults of arguments."""
    for statement in tree.body:
        target: ast.expr | None = None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        elif isinstance(statement, ast.AnnAssign):
            target = statement.target
        if isinstance(target, ast.Name) and isinstance(statement, ast.Assign | ast.AnnAssign):
            yield from _numbered(target.id, statement.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            parts = node.args
            positional = [*parts.posonlyargs, *parts.args]
            defaults = parts.defaults
            for argument, default in zip(
                positional[len(positional) - len(defaults) :], defaults, strict=True
            ):
                yield from _numbered(argument.arg, default)
            for argument, value in zip(parts.kwonlyargs, parts.kw_defaults, strict=True):
                yield from _numbered(argument.arg, value)


def _numbered(name: str, value: ast.expr | None) -> Iterator[tuple[str, ast.Constant]]:
    """The name with its number, if it is one that can be tuned; a sign stays where it is."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        value = value.operand
    if isinstance(value, ast.Constant) and type(value.value) in (int, float):
        magnitude = value.value
        assert isinstance(magnitude, int | float)
        if _TOLERANCE <= magnitude < _INFINITE:
            yield name, value
