"""Functions and classes as text that runs alone, with all that they use, or as programs of a problem.

The text is what Python keeps of a file, of a notebook's cell or of an interactive line. What such a text
needs of its module comes with it, so that it can run elsewhere.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from symtable import SymbolTable, symtable
from types import FunctionType, ModuleType
from typing import Any

from ...problems.base import Problem
from ..errors import ProblemError

Definition = ast.FunctionDef | ast.ClassDef
OWN = "gapsmith"
"""The package that no program can import: it runs in a sealed process."""


class Declares:
    """What marks functions by its decorators, which are no part of their text."""


@dataclass(frozen=True, slots=True)
class Written:
    """A function or class as it is written.

    Attributes:
        name: its name.
        text: its source without what stands left of it; decorators of a problem are left out.
        node: the tree of that text.
        names: of the module, that it uses.
        home: the module's names and their values.
    """

    name: str
    text: str
    node: Definition
    names: tuple[str, ...]
    home: Mapping[str, Any]


@dataclass(slots=True)
class Needs:
    """What texts need of their modules, in an order in which it can be run.

    Attributes:
        imports: name → import statement.
        constants: name → text of its value.
        definitions: name → function or class.
    """

    imports: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, Written] = field(default_factory=dict)

    def add(self, other: Needs) -> None:
        """Takes what another text needs."""
        self.imports |= other.imports
        self.constants |= other.constants
        self.definitions |= other.definitions

    @property
    def text(self) -> str:
        """Imports, constants and definitions as the beginning of a file."""
        lines = "\n".join(
            [*self.imports.values(), *(f"{name} = {text}" for name, text in self.constants.items())]
        )
        parts = [lines] if lines else []
        return "\n\n\n".join([*parts, *(plain_text(one) for one in self.definitions.values())])


def written(thing: Any, what: str) -> Written:
    """The text of a function or class.

    Args:
        thing: a function or class of the user's own.
        what: subject of messages (`heuristic first_end`).

    Raises:
        ProblemError: it is a lambda, uses local variables of a function around it, or its text is not kept.
    """
    function = _function(thing)
    if function is None:
        raise ProblemError(
            f"{what}: got {type(thing).__name__}, expected a function that is written with def"
        )
    if function.__name__ == "<lambda>":
        raise ProblemError(f"{what}: got a lambda, expected a function with a name", "write it with def")
    if not inspect.isclass(thing) and function.__closure__:
        free = ", ".join(function.__code__.co_freevars)
        raise ProblemError(
            f"{what}: uses {free} of the function around it, which its text cannot take along",
            "make it a constant of the module, or part of the instance",
        )
    lines, node = _found(thing, function, what)
    home = function.__globals__
    indent = " " * node.col_offset
    own = "".join(line.removeprefix(indent) for line in lines[node.lineno - 1 : node.end_lineno])
    heads = [f"@{ast.unparse(d)}" for d in node.decorator_list if not _declares(d, home)]
    text = "\n".join([*heads, own.rstrip("\n")])
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef | ast.ClassDef)
    return Written(thing.__name__, text, tree, _used(tree), home)


def needs_of(
    things: list[Written], what: str, *, sealed: bool, skip: Mapping[str, Any] | None = None
) -> Needs:
    """What definitions need of their modules, and what that needs in turn.

    Args:
        things: definitions, which are no part of the result unless one of them uses another.
        what: subject of messages.
        sealed: whether the text is to run in the sandbox, where Gapsmith cannot be imported.
        skip: names that the text gets otherwise.

    Raises:
        ProblemError: a name has a value that no text can bring along.
    """
    needs = Needs()
    for thing in things:
        _collect(thing, needs, what, sealed, skip or {}, ())
    return needs


def plain_text(one: Written) -> str:
    """A definition whose header asks for no types that its module would have to bring along."""
    if not isinstance(one.node, ast.FunctionDef):
        return one.text
    if all(hasattr(builtins, name) for name in annotation_names(one)):
        return one.text
    bare = _Bare().visit(ast.parse(one.text)).body[0]
    heads = [f"@{ast.unparse(d)}" for d in bare.decorator_list]
    return "\n".join([*heads, with_header(one, f"def {one.name}({ast.unparse(bare.args)}):")])


def with_header(one: Written, header: str) -> str:
    """A function with another first line, without its decorators: `def choose(roads: list) -> list[int]:`."""
    first = one.node.body[0]
    lines = one.text.splitlines()
    if first.lineno == _last_line_of_header(one):
        rest = lines[first.lineno - 1].encode()[first.col_offset :].decode()
        return "\n".join([header, f"    {rest}", *lines[first.lineno :]])
    return "\n".join([header, *lines[first.lineno - 1 :]])


def _last_line_of_header(one: Written) -> int:
    """Line of the colon that ends the header, as far as it matters: the body may begin on the same line."""
    node = one.node
    assert isinstance(node, ast.FunctionDef)
    ends = [node.lineno, *(n.end_lineno or 0 for n in ast.walk(node.args) if hasattr(n, "end_lineno"))]
    ends += [node.returns.end_lineno or 0] if node.returns is not None else []
    last = max(ends)
    before = one.text.splitlines()[node.body[0].lineno - 1].encode()[: node.body[0].col_offset].decode()
    return node.body[0].lineno if before.strip() else last


def annotation_names(one: Written) -> tuple[str, ...]:
    """Names that the types of a function's parameters speak of, in a fixed order."""
    if not isinstance(one.node, ast.FunctionDef):
        return ()
    notes = [a.annotation for a in ast.walk(one.node.args) if isinstance(a, ast.arg) and a.annotation]
    notes += [one.node.returns] if one.node.returns is not None else []
    return tuple(sorted({n.id for note in notes for n in ast.walk(note) if isinstance(n, ast.Name)}))


def value_text(value: Any) -> str | None:
    """Python text of plain data, whose value is equal to it; None for anything else."""
    if value is None or type(value) in (bool, int, str, bytes, range):
        return repr(value)
    if type(value) is float:
        return repr(value) if isfinite(value) else f'float("{value}")'
    if type(value) is Fraction:
        return f"Fraction({value.numerator}, {value.denominator})"
    if type(value) in (list, tuple, set, frozenset):
        texts = [value_text(item) for item in value]
        if any(text is None for text in texts):
            return None
        inside = ", ".join(text for text in texts if text is not None)
        if type(value) is tuple:
            return f"({inside}{',' if len(value) == 1 else ''})"
        if type(value) is list:
            return f"[{inside}]"
        whole = f"{{{inside}}}" if inside else "set()"
        return whole if type(value) is set else f"frozenset({whole if inside else ''})"
    if type(value) is dict:
        pairs = [(value_text(key), value_text(item)) for key, item in value.items()]
        if any(key is None or item is None for key, item in pairs):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    return None


_MOST_SEALED = 65_536
_MOST = 4_000_000
"""Characters of a constant's text; in the sandbox no program is longer than the first."""


def _is_too_large(value: Any, most: int) -> bool:
    """Whether a value's text is longer, or without end since the value holds itself; looks no further."""
    left = most
    stack = [value]
    while stack and left >= 0:
        one = stack.pop()
        left -= 2
        if type(one) in (str, bytes):
            left -= len(one)
        elif type(one) in (int, Fraction):
            left -= (one.numerator.bit_length() + one.denominator.bit_length()) // 4
        elif type(one) in (list, tuple, set, frozenset):
            left -= len(one)
            stack += one if left >= 0 else ()
        elif type(one) is dict:
            left -= len(one)
            stack += [*one.keys(), *one.values()] if left >= 0 else ()
    return left < 0


def _constant(name: str, value: Any, what: str, most: int) -> str | None:
    """A constant's text, None for what is no plain data."""
    with suppress(RecursionError, ValueError):  # nested too deeply, or a number of thousands of digits
        if not _is_too_large(value, most):
            return value_text(value)
    raise ProblemError(
        f"{what}: uses {name}, whose text has no end, too many levels or more than {most:,} characters",
        "make it smaller, or part of the instance",
    )


def _function(thing: Any) -> FunctionType | None:
    """The function itself, or the first method of a class, whose code says where it is written."""
    if inspect.isclass(thing):
        parts = (getattr(part, "__func__", part) for part in vars(thing).values())
        return next((part for part in parts if isinstance(part, FunctionType)), None)
    inner = inspect.unwrap(thing) if callable(thing) else thing  # what a decorator like `lru_cache` covers
    return inner if isinstance(inner, FunctionType) else None


def _found(thing: Any, function: FunctionType, what: str) -> tuple[list[str], Definition]:
    """The lines of the file or cell in which a function or class stands, and its tree there."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == thing.__name__:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first <= code.co_firstlineno <= (node.end_lineno or first):
                return lines, node
    raise ProblemError(
        f"{what}: its source text is not there ({code.co_filename})",
        "write it in a file or in a notebook's cell, and load the file again if it changed",
    )


def _declares(decorator: ast.expr, home: Mapping[str, Any]) -> bool:
    """Whether a decorator is a problem's: `@problem.heuristic`, `@problem.instances(…)`."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and isinstance(home.get(node.id), Declares)


class _Bare(ast.NodeTransformer):
    """A tree without the types of functions, which nothing evaluates."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        for one in ast.walk(node.args):
            if isinstance(one, ast.arg):
                one.annotation = None
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)


def _used(node: Definition) -> tuple[str, ...]:
    """Names of the module that a definition uses, in an order that is always the same."""
    bare = _Bare().visit(ast.parse(ast.unparse(node)))
    names: set[str] = set()
    tables: list[SymbolTable] = [symtable(ast.unparse(bare), "<text>", "exec")]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        whole = table.get_type() == "module"
        names |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (whole or s.is_global())}
    return tuple(sorted(names))


def _collect(
    one: Written, needs: Needs, what: str, sealed: bool, skip: Mapping[str, Any], above: tuple[str, ...]
) -> None:
    for name in one.names:
        known = name in needs.imports or name in needs.constants or name in needs.definitions
        if known or name in skip or name in above:
            continue
        if name not in one.home:
            if hasattr(builtins, name):
                continue
            raise ProblemError(f"{what}: uses {name}, which {one.name}'s module does not define")
        value = one.home[name]
        text = _import(name, value, one.home)
        most = _MOST_SEALED if sealed else _MOST
        constant = None if text else _constant(name, value, what, most)
        if text:
            if sealed and (text.split()[1].partition(".")[0] == OWN):
                raise ProblemError(
                    f"{what}: {one.name} uses {name} of Gapsmith, which a program cannot import",
                    "programs run in a sealed process; write what is needed as a function of the file",
                )
            needs.imports[name] = text
        elif constant is not None:
            if "Fraction(" in constant:
                needs.imports.setdefault("Fraction", "from fractions import Fraction")
            needs.constants[name] = constant
        elif _function(value) is not None:
            other = written(value, f"{what}: {name}")
            _collect(other, needs, what, sealed, skip, (*above, name))
            needs.definitions[name] = other
        else:
            raise ProblemError(
                f"{what}: {one.name} uses {name}, a {type(value).__name__}, which no text can bring along",
                "use functions, classes, imports and constants of numbers, texts, lists and dictionaries",
            )


def _import(name: str, value: Any, home: Mapping[str, Any]) -> str:
    """The statement that gives a name its value; empty where the value is the module's own."""
    if isinstance(value, ModuleType):
        if not _is_dotted(value.__name__):
            return ""
        return f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}")
    module = getattr(value, "__module__", None)
    own = getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(own, str) or "." in own:
        return ""
    if module == home.get("__name__"):
        return ""
    if not callable(value) or not _is_dotted(f"{module}.{own}"):
        return ""
    return f"from {module} import {own}" + ("" if own == name else f" as {name}")


def _is_dotted(name: object) -> bool:
    """Whether a name that an object gives itself, or its module, is one and not a statement."""
    return isinstance(name, str) and all(part.isidentifier() for part in name.split("."))


# Functions as programs of a problem: their text with all that they use, under the entry point's name.


def program_text(problem: Problem, program: Callable[..., Any], what: str) -> str:
    """The text of a function or class as a program.

    Args:
        problem: whose entry point the program is to be.
        program: a function with (some of) the entry point's parameters, or a class of the entry point's name.
        what: subject of messages.

    Raises:
        ProblemError: the text is not there or needs what no program has, or the parameters are others.
    """
    one = written(program, what)
    if isinstance(one.node, ast.ClassDef) or not problem.signature.lstrip().startswith("def "):
        if one.name != problem.entry_point:
            raise ProblemError(f"{what}: got {one.name}, expected {problem.entry_point}: {problem.signature}")
        return _joined(one, plain_text(one), what)
    stated = _parameters(problem.signature)
    own = [a.arg for a in (*one.node.args.posonlyargs, *one.node.args.args, *one.node.args.kwonlyargs)]
    if wrong := [name for name in own if name not in stated]:
        got = f"{one.name} has the parameter {wrong[0]}"
        raise ProblemError(f"{what}: {got}, expected {', '.join(stated)}: {problem.signature}")
    return _joined(one, with_header(one, problem.signature), what)


def _joined(one: Written, text: str, what: str) -> str:
    needs = needs_of([one], what, sealed=True)
    return "\n\n\n".join([part for part in (needs.text, text) if part]) + "\n"


def _parameters(signature: str) -> list[str]:
    node = ast.parse(f"{signature.rstrip().rstrip(':')}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
