"""What a child must keep: interface, imports, sizes, bound names, loops that end, seeds."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_left
from collections import Counter
from functools import cached_property

from ...sandbox.base import MAX_DEPTH, MAX_NODES, MAX_SOURCE_BYTES
from .scope import Analysis
from .tree import NodeOrder, names_in, walk

_CHANGING = (
    "remove",
    "pop",
    "append",
    "discard",
    "popleft",
    "clear",
    "insert",
    "extend",
    "add",
    "appendleft",
    "popitem",
)
_GROWING = ("append", "insert", "extend", "add", "appendleft")


def size(tree: ast.AST) -> tuple[int, int]:
    """Number of nodes (count) and largest depth (levels) of a tree."""
    nodes = 0
    depth = 0
    level = [tree]
    while level:
        nodes += len(level)
        depth += 1
        below: list[ast.AST] = []
        for node in level:
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    below += [part for part in value if isinstance(part, ast.AST)]
                elif isinstance(value, ast.AST):
                    below.append(value)
        level = below
    return nodes, depth


def within_caps(tree: ast.Module, text: str) -> bool:
    """Whether a text fits the caps that every candidate must fit."""
    return fits_caps(*size(tree), text)


def fits_caps(nodes: int, depth: int, text: str) -> bool:
    """Whether a text of so many nodes (count) and levels (count) fits the caps of every candidate."""
    return nodes <= MAX_NODES and depth <= MAX_DEPTH and len(text.encode()) <= MAX_SOURCE_BYTES


def parsed(text: str) -> ast.Module:
    """The tree of a text from a record, which may hold any text.

    Raises:
        ValueError: the text is no Python, or exceeds the caps that every candidate must fit.
    """
    if len(text.encode(errors="surrogatepass")) > MAX_SOURCE_BYTES:
        raise ValueError(f"a text of more than {MAX_SOURCE_BYTES} bytes, expected a program within the caps")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # these quote the text on the terminal
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"the text is no Python: {error}") from error
    if not within_caps(tree, text):
        raise ValueError(f"a text of more than {MAX_NODES} nodes or {MAX_DEPTH} levels, expected a program")
    return tree


def interface(tree: ast.Module, entry: str) -> tuple[str, ...]:
    """Signatures of the entry point (of its methods, when it is a class); empty when it is missing."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return (_signature(node),)
        if isinstance(node, ast.ClassDef) and node.name == entry:
            return tuple(_signature(m) for m in node.body if isinstance(m, ast.FunctionDef))
    return ()


def _signature(node: ast.FunctionDef) -> str:
    returns = "" if node.returns is None else ast.unparse(node.returns)
    return f"{node.name}({ast.unparse(node.args)}) -> {returns}"


def imports(tree: ast.Module) -> tuple[str, ...]:
    """Texts of all import statements, sorted."""
    lines = [ast.unparse(node) for node in walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return tuple(sorted(lines))


def hazards(analysis: Analysis) -> Counter[tuple[str, str]]:
    """Signs of trouble, each with its count: names that may be unbound, loops that may never end."""
    counts: Counter[tuple[str, str]] = Counter(analysis.unbound)
    order = analysis.order
    changes = _Changes(order)
    for node in order.nodes:
        if isinstance(node, ast.While):
            counts["while", changes.progress(node)] += 1
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and changes.grows(node):
            counts["for", "grows while it runs"] += 1
        elif isinstance(node, ast.ClassDef):
            counts.update(("class", f"self.{name} is never set") for name in _unset(node))
        elif isinstance(node, ast.Call | ast.BinOp) and _pointless(node, order):
            counts["pointless", type(node).__name__] += 1
    counts.pop(("while", "always"), None)
    return counts


def _unset(node: ast.ClassDef) -> list[str]:
    """Attributes of `self` that a class reads and neither sets nor defines, nested classes aside."""
    read: set[str] = set()
    members = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    stack: list[ast.AST] = list(node.body)
    while stack:
        part = stack.pop()
        match part:
            case ast.AugAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                read.add(name)
                stack.append(part.value)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=context):
                if not isinstance(context, ast.Del):
                    (members if isinstance(context, ast.Store) else read).add(name)
            case ast.ClassDef():
                pass
            case _:
                stack += ast.iter_child_nodes(part)
    return sorted(read - members)


class _Changes:
    """Where statements change what a name holds, and where loops are left."""

    def __init__(self, order: NodeOrder) -> None:
        self._order = order

    @cached_property
    def _left(self) -> list[int]:
        nodes = enumerate(self._order.nodes)
        return [here for here, node in nodes if isinstance(node, ast.Break | ast.Return)]

    @cached_property
    def _changed(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for here, node in enumerate(self._order.nodes):
            for name in _changed(node) if isinstance(node, ast.stmt) else ():
                places.setdefault(name, []).append(here)
        return places

    @cached_property
    def _grown(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for here, node in enumerate(self._order.nodes):
            if isinstance(node, ast.Call) and (name := _called_on(node, _GROWING)) is not None:
                places.setdefault(name, []).append(here)
        return places

    def progress(self, loop: ast.While) -> str:
        """Whether each round surely changes what the loop's condition reads."""
        watched = names_in([loop.test])
        if any(name in watched for node in loop.body for name in _changed(node)):
            return "always"
        start, end = self._inside(loop)
        places = [self._left, *(self._changed[name] for name in watched if name in self._changed)]
        return "sometimes" if any(_between(each, start, end) for each in places) else "never"

    def grows(self, loop: ast.For) -> bool:
        """Whether a loop lengthens the list that it runs over."""
        assert isinstance(loop.iter, ast.Name)
        return _between(self._grown.get(loop.iter.id, []), *self._inside(loop))

    def _inside(self, loop: ast.For | ast.While) -> tuple[int, int]:
        return self._order.span(loop.body[0])[0], self._order.span(loop.body[-1])[1]


def _between(places: list[int], start: int, end: int) -> bool:
    place = bisect_left(places, start)
    return place < len(places) and places[place] < end


def _changed(node: ast.stmt) -> list[str]:
    """Names whose values a statement itself changes; statements in its blocks do not count."""
    match node:
        case ast.Assign(targets=targets):
            return [n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)]
        case ast.AugAssign(target=target):
            return [n.id for n in walk(target) if isinstance(n, ast.Name)]
        case ast.Delete(targets=targets):
            return list(names_in(targets))
        case ast.Expr(value=value):
            return [name for part in walk(value) if (name := _called_on(part, _CHANGING)) is not None]
    return []


def _called_on(node: ast.AST, methods: tuple[str, ...]) -> str | None:
    """The name on which one of some methods is called."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)) if attr in methods:
            return name
    return None


def _pointless(node: ast.Call | ast.BinOp, order: NodeOrder) -> bool:
    """Whether an operation on two equal sides says nothing (`max(x, x)`, `x - x`)."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Sub | ast.Div) and _equal(node.left, node.right, order)
    if isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and len(node.args) == 2:
        return _equal(node.args[0], node.args[1], order)
    return False


def _equal(left: ast.expr, right: ast.expr, order: NodeOrder) -> bool:
    """Whether two expressions are the same; sizes are compared first, as texts cost more."""
    return order.size(left) == order.size(right) and ast.dump(left) == ast.dump(right)


# Finds random numbers without a seed in a text, without running any of the text.

_MAKERS = frozenset({"Random", "default_rng", "RandomState", "SeedSequence"})
"""What makes a generator of its own; without a seed each takes one from the system."""
_TYPES = frozenset({"Generator", "BitGenerator", "PCG64", "MT19937", "Philox", "SFC64", "bit_generator"})


def unseeded(text: str) -> str | None:
    """The first call that draws or makes random numbers without a seed, as written; None without one.

    A call that a text hides from this analysis is refused when it runs.

    Args:
        text: source within the sandbox's caps.
    """
    tree = ast.parse(text)
    modules, names = _imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _random_name(node.func, modules, names)) is not None:
            seeded = any(not (isinstance(a, ast.Constant) and a.value is None) for a in node.args)
            if name not in _TYPES and not (name in _MAKERS and (seeded or node.keywords)):
                return ast.unparse(node)[:80]
    return None


def _imported(tree: ast.Module) -> tuple[set[str], dict[str, str]]:
    """Dotted names that stand for `random` or `numpy.random`, and local names of what is in them."""
    modules: set[str] = set()
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                local = alias.asname or alias.name
                if alias.name in ("random", "numpy.random"):
                    modules.add(local)
                elif alias.name == "numpy":
                    modules.add(f"{local}.random")
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if node.module == "numpy" and alias.name == "random":
                    modules.add(alias.asname or alias.name)
                elif node.module in ("random", "numpy.random"):
                    names[alias.asname or alias.name] = alias.name
    return modules, names


def _random_name(function: ast.expr, modules: set[str], names: dict[str, str]) -> str | None:
    """Name in `random` or `numpy.random` of what is called; None if it is something else."""
    if isinstance(function, ast.Name):
        return names.get(function.id)
    if isinstance(function, ast.Attribute):
        owner = function.value
        if isinstance(owner, ast.Name) and owner.id in modules:
            return function.attr
        if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name):
            return function.attr if f"{owner.value.id}.{owner.attr}" in modules else None
    return None
