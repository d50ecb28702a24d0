"""One child in the making: tree, random stream, material, types of arguments, and whose index is whose."""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from ...problems.base import Driven, Instance, Interactive, Primitive, Problem
from ..syntax.analysis import analyse
from ..syntax.scope import Analysis, Block, Spot
from ..syntax.tree import walk
from ..types import Origin
from .neighbours import IMPORTS, NUMPY, Ground

# Types of an entry point's parameters, for programs that write no annotations.
#
# A problem's `signature` says them; where it is silent, the training instances do. They are lent to a tree
# while operators work on it and taken back before its text is written, so a program keeps its author's style.

Types = tuple[tuple[str, str, str], ...]
"""Rows of function (`Class.method` of a method), parameter (`return` for the result) and annotation."""
RESULT = "return"
_LONGEST = 10_000
"""Characters of a signature that is read."""
_NESTED = 4
"""Levels of lists that are looked into."""
_SCALARS = (bool, int, float, str)
_LENT = "lent"
_TYPE = re.compile(r"[\w.\[\], |]{1,200}")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def types_of(problem: Problem, instances: Iterable[Instance]) -> Types:
    """What a problem's signature says of its entry point, and what its instances say beside that."""
    entry = problem.entry_point
    written = tuple(_written(_stub(problem.signature), entry))
    if isinstance(problem, Driven | Interactive):  # a driver's calls are not made of the instance's fields
        return written
    there = {(function, name) for function, name, _ in written}
    seen = _seen([instance.public for instance in instances], {n for f, n in there if f == entry})
    return written + tuple((entry, name, type) for name, type in seen)


def lend(tree: ast.Module, types: Types) -> None:
    """Annotates parameters and results that have no annotation."""
    if not types:
        return
    known: dict[str, dict[str, str]] = {}
    for owner, name, type in types:
        known.setdefault(owner, {})[name] = type
    for title, function in _functions(tree):
        own = known.get(title, {})
        for argument in _arguments(function):
            if argument.annotation is None and argument.arg in own:
                argument.annotation = _marked(own[argument.arg])
        if function.returns is None and RESULT in own:
            function.returns = _marked(own[RESULT])


def take_back(tree: ast.Module) -> None:
    """Removes every annotation that was lent, wherever operators have copied it."""
    for node in walk(tree):
        if isinstance(node, _Function) and hasattr(node.returns, _LENT):
            node.returns = None
        elif isinstance(node, ast.arg) and hasattr(node.annotation, _LENT):
            node.annotation = None


def is_type(text: str) -> bool:
    """Whether a text can be read as an annotation: short, of names, brackets and bars alone."""
    if not _TYPE.fullmatch(text):
        return False
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return False
    return True


def _marked(type: str) -> ast.expr:
    annotation = ast.parse(type, mode="eval").body
    setattr(annotation, _LENT, True)
    return annotation


def _functions(tree: ast.Module) -> Iterator[tuple[str, _Function]]:
    """Functions at the top level, and the methods of classes there, each with its title in `Types`."""
    for node in tree.body:
        if isinstance(node, _Function):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{p.name}", p) for p in node.body if isinstance(p, _Function))


def _arguments(function: _Function) -> list[ast.arg]:
    parts = function.args
    return [*parts.posonlyargs, *parts.args, *parts.kwonlyargs]


def _stub(signature: str) -> ast.Module | None:
    """A signature as a tree; None if it is not written as Python writes one."""
    text = signature.strip()[: _LONGEST + 1]
    if len(text) > _LONGEST:
        return None
    for whole in (text, f"{text.removesuffix(':')}: ...", f"def {text.removesuffix(':')}: ..."):
        try:
            return ast.parse(whole)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _written(tree: ast.Module | None, entry: str) -> Iterator[tuple[str, str, str]]:
    """Rows of the annotations that the entry point has in a signature."""
    for node in () if tree is None else tree.body:
        if getattr(node, "name", None) != entry:
            continue
        for title, function in _functions(ast.Module([node], [])):
            for argument in _arguments(function):
                yield from _row(title, argument.arg, argument.annotation)
            yield from _row(title, RESULT, function.returns)


def _row(function: str, name: str, annotation: ast.expr | None) -> Iterator[tuple[str, str, str]]:
    if annotation is not None and is_type(type := ast.unparse(annotation)):
        yield function, name, type


def _seen(rows: list[Any], known: set[str]) -> Iterator[tuple[str, str]]:
    """Fields of instances, without those that are known, whose values all have one type."""
    for name in rows[0] if rows else ():
        if name in known:
            continue
        type = _common([row[name] for row in rows if name in row])
        if type:
            yield name, type


def _common(values: list[Any], level: int = 0) -> str:
    """The type that all values have as an annotation; empty if they have none in common."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        return "float"
    if len(kinds) != 1:
        return ""
    kind = kinds.pop()
    if kind in _SCALARS:
        return str(kind.__name__)
    if kind is not list or level >= _NESTED:
        return ""
    inner = _common([item for value in values for item in value], level + 1)
    return f"list[{inner}]" if inner else ""


# Says which index belongs to which list: where `costs[t]` and `counts[b]` stand, no `costs[b]` may arise.
#
# Names that meet in a subscript or a loop over a list's length share a domain; a name that never does fits
# everywhere. The function in which a name stands is ignored: two uses of one name only make the answer more
# permissive.

_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


class Domains:
    """Groups of names that index one another (union-find)."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Joins names pair by pair."""
        self._parents: dict[str, str] = {}
        for first, second in pairs:
            self._join(first, second)

    def sound(self, expression: ast.AST) -> bool:
        """Whether the domains allow every subscript of an expression."""
        return all(self.fits(*pair) for pair in pairs_in(expression))

    def fits(self, values: str, index: str) -> bool:
        """Whether `values[index]` makes sense, as far as is known."""
        known = self._parents
        return values not in known or index not in known or self._root(values) == self._root(index)

    def _join(self, first: str, second: str) -> None:
        for name in (first, second):
            self._parents.setdefault(name, name)
        self._parents[self._root(first)] = self._root(second)

    def _root(self, name: str) -> str:
        parents = self._parents
        while parents[name] != name:
            parents[name] = parents[parents[name]]  # halves the way for whoever asks next
            name = parents[name]
        return name


def pairs_in(tree: ast.AST) -> list[tuple[str, str]]:
    """Lists and indices that a tree brings together, by subscripts and loops."""
    nodes = walk(tree)
    names: dict[int, str] = {}
    for node in reversed(nodes):  # what lies below a node comes behind it
        if isinstance(node, _NAMED) and (name := _list_name(node, names)):
            names[id(node)] = name
    return [pair for node in nodes for pair in _pairs(node, names)]


def _pairs(node: ast.AST, names: dict[int, str]) -> list[tuple[str, str]]:
    """Lists and indices that one node brings together."""
    match node:
        case ast.Subscript(value=value, slice=ast.Name(id=index)) if name := names.get(id(value)):
            return [(name, index)]
        case (
            ast.For(target=ast.Name(id=index), iter=source)
            | ast.comprehension(target=ast.Name(id=index), iter=source)
        ):
            match source:
                case ast.Call(
                    func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[values])]
                ):
                    return [(whole, index)] if (whole := names.get(id(values))) else []
                case ast.Name(id=name):
                    return [(f"item of {name}", index)]
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=index), *_]), iter=ast.Call(args=[values, *_]) as call
        ):
            if isinstance(call.func, ast.Name) and call.func.id == "enumerate":
                return [(whole, index)] if (whole := names.get(id(values))) else []
    return []


def _list_name(node: ast.AST, names: dict[int, str]) -> str:
    """Name of a list, with a mark for each level inside it; empty when it has none, by the names below it."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return f"self.{name}"
        case ast.Subscript(value=value) if id(value) in names:
            return f"{names[id(value)]}[]"
    return ""


Item = TypeVar("Item")


class Donor:
    """A text from which operators take parts: its unchanging tree, its places, its lists with indices."""

    def __init__(self, text: str, types: Types = ()) -> None:
        """Parses the text and lends it types; all other facts are computed on first use."""
        self.tree = ast.parse(text)
        lend(self.tree, types)

    @cached_property
    def analysis(self) -> Analysis:
        """Places of the text."""
        return analyse(self.tree)

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Its lists with their indices."""
        return tuple(pairs_in(self.tree))


@lru_cache(maxsize=64)
def read(text: str, types: Types = ()) -> Donor:
    """Reads a text with its places; parents come back often, so the latest are cached."""
    return Donor(text, types)


@lru_cache(maxsize=4096)
def _pairs_of(primitive: str) -> tuple[tuple[str, str], ...]:
    return tuple(pairs_in(read_only(primitive)))


def domains_of(texts: Iterable[str], primitives: Iterable[Primitive]) -> Domains:
    """Which index belongs to which list, by all that some programs and primitives say."""
    known = [read(text).pairs for text in texts] + [_pairs_of(p.text) for p in primitives]
    return Domains(pair for pairs in known for pair in pairs)


@dataclass(slots=True)
class Mutation:
    """One child in the making.

    Attributes:
        tree: the module, changed in place by operators.
        entry: name of the function or class whose name and signature must stay.
        rng: the only source of chance.
        primitives: expressions that the problem declares.
        donor: a second parent, None when there is none.
        domains: which index belongs to which list.
        numpy: whether a candidate may import it; a text that comes to need it gets the import.
        ground: objective and moves for phases of local search, None when the problem hands over no moves.
        effort: moves of a new phase of local search, as a share of the usual ones (ratio, > 0).
        whole_donor: whether the text has come to hold all of the second parent.
        analysis: places of `tree` as it was at the last `refresh`.
        stale: whether an operator has changed the tree since.
    """

    tree: ast.Module
    entry: str
    rng: random.Random
    primitives: tuple[Primitive, ...] = ()
    donor: Donor | None = None
    domains: Domains = field(default_factory=lambda: Domains(()))
    numpy: bool = False
    ground: Ground | None = None
    effort: float = 1.0
    whole_donor: bool = False
    analysis: Analysis = field(init=False)
    stale: bool = False

    def __post_init__(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Analyses the tree again."""
        self.analysis = analyse(self.tree)
        self.stale = False

    def finish(self, bound: Iterable[str]) -> None:
        """Analyses the tree for the guard alone; `bound` are names of a text that will stand behind it."""
        self.analysis = analyse(self.tree, bound, places=False)
        self.stale = False

    def import_needed(self, unbound: Iterable[tuple[str, str]]) -> bool:
        """Imports the modules of `IMPORTS` among unbound names, numpy if a candidate may; whether it did."""
        names = {name for _, name in unbound}
        needed = [s for n, s in IMPORTS.items() if n in names and (self.numpy or s != NUMPY)]
        self.import_also([ast.parse(statement).body[0] for statement in needed])
        return bool(needed)

    def import_also(self, statements: Iterable[ast.stmt]) -> None:
        """Puts imports before the definitions of the text."""
        place = len([n for n in self.tree.body if _is_preamble(n)])
        self.tree.body[place:place] = statements

    def drop_unused(self) -> None:
        """Takes out helpers that nothing names any more."""
        helpers = [n for n in self.tree.body if isinstance(n, ast.FunctionDef) and n.name != self.entry]
        if not helpers:
            return
        named: dict[str, list[ast.FunctionDef]] = {}
        for helper in helpers:
            named.setdefault(helper.name, []).append(helper)
        uses = _uses(self.tree)
        gone: set[int] = set()
        idle = [name for name in named if not uses[name]]
        while idle:
            for helper in named[idle.pop()]:
                gone.add(id(helper))
                own = _uses(helper)
                uses.subtract(own)
                idle += [name for name in own if name in named and not uses[name]]
        if gone:
            self.tree.body = [n for n in self.tree.body if id(n) not in gone]

    def spot(self, suits: Callable[[Spot], bool]) -> Spot | None:
        """Draws a suitable place, deciding places more often; None when there is none."""
        found = [spot for spot in self.analysis.spots if suits(spot)]
        return self.rng.choices(found, [s.weight for s in found])[0] if found else None

    def block(self, suits: Callable[[Block], bool]) -> Block | None:
        """Draws a suitable list of statements, longer lists more often; None when there is none."""
        found = [block for block in self.analysis.blocks if suits(block)]
        return self.rng.choices(found, [len(b.body) for b in found])[0] if found else None

    def choice(self, items: Sequence[Item]) -> Item | None:
        """An item, or None when there is none."""
        return self.rng.choice(items) if items else None


def _uses(tree: ast.AST) -> Counter[str]:
    """How often a tree names each name."""
    return Counter(part.id for part in walk(tree) if isinstance(part, ast.Name))


def _is_preamble(node: ast.stmt) -> bool:
    """Whether a statement of a module must stay before its imports: its docstring, `from __future__`."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to change a tree.

    Attributes:
        name: lower case with hyphens, stored with every proposal.
        origin: its origin, from the closed list of origins.
        weight: base rate relative to the other operators, > 0.
        apply: changes the tree in place; False when the tree has no place for it.
    """

    name: str
    origin: Origin
    weight: float
    apply: Callable[[Mutation], bool]


def parse_expression(text: str) -> ast.expr:
    """A fresh tree of an expression."""
    return ast.parse(text, mode="eval").body


@lru_cache(maxsize=4096)
def read_only(text: str) -> ast.expr:
    """The tree of an expression that nobody changes."""
    return parse_expression(text)
