"""Digests of what references depend on: parts of a source text, or objects that Python code hands over."""

from __future__ import annotations

import ast
import hashlib
import inspect
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

_ROOTS = ("reference", "reprove", "shipped", "verify", "version", "tolerance", "sense")
"""Names that references are computed with, whatever else they call."""
_MARKS = ("reference", "objective", "online")
"""Decorators of a problem in the short form, whose functions references are computed with."""
_DYNAMIC = frozenset(
    {"globals", "locals", "vars", "eval", "exec", "compile", "getattr", "attrgetter", "methodcaller"}
    | {"__import__", "import_module", "__dict__"}
)
"""Names that reach definitions by texts: nothing can be left out then."""
_DIRECTIVES = (ast.Import, ast.ImportFrom, ast.If, ast.Try, ast.With, ast.For, ast.While, ast.Expr)
"""Statements of a module that are always kept."""


def used_digest(source: str) -> str:
    """Hex SHA-256 of what a single-file plug-in computes references with.

    Definitions count if their name is used, as a name, an attribute or a text, by something that counts;
    comments, docstrings and layout never count. A module that looks up names at run time counts as a whole.

    Args:
        source: text of the file, which Python has loaded.
    """
    tree = _without_docstrings(ast.parse(source))
    words = {word for node in ast.walk(tree) for word in _words(node)}
    if words & _DYNAMIC or any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in tree.body):
        return _digest([tree])
    return _digest(_used(tree))


def _used(tree: ast.Module) -> list[ast.AST]:
    """The definitions that count, in the order of the file."""
    pieces = list(_pieces(tree))
    kept: set[int] = set()
    names = set(_ROOTS)
    grown = True
    while grown:
        grown = False
        for number, (defined, piece) in enumerate(pieces):
            if number not in kept and (not defined or defined & names):
                kept.add(number)
                names |= {word for node in ast.walk(piece) for word in _words(node)}
                grown = True
    return [pieces[number][1] for number in sorted(kept)]


def _pieces(tree: ast.Module) -> Iterator[tuple[set[str], ast.AST]]:
    """Each statement of the module and of its classes with the names that it defines; none: always kept."""
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            for part in (*statement.bases, *statement.keywords, *statement.decorator_list):
                yield set(), part
            for inner in statement.body:
                yield _defined(inner), inner
        else:
            yield _defined(statement), statement


def _defined(statement: ast.stmt) -> set[str]:
    """Names by which a statement is used; none of one that always counts, such as a call or a field."""
    if isinstance(statement, _DIRECTIVES):
        return set()
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        kept = statement.name.startswith("__") or any(map(_marks, statement.decorator_list))
        return set() if kept else {statement.name}
    if not isinstance(statement, ast.Assign) or any(isinstance(n, ast.Call) for n in ast.walk(statement)):
        return set()
    nodes = [node for target in statement.targets for node in ast.walk(target)]
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _marks(decorator: ast.expr) -> bool:
    """Whether a decorator is one like `@problem.reference` or `@problem.online(…)`."""
    mark = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(mark, ast.Attribute) and mark.attr in _MARKS


def _words(node: ast.AST) -> Iterable[str]:
    """What a node may name a definition with."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            text = body[0].value
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                body[0] = ast.Pass()
    return tree


def _digest(nodes: Iterable[ast.AST]) -> str:
    return hashlib.sha256("\n".join(ast.dump(node) for node in nodes).encode()).hexdigest()


# Digest of what a module without a file defines, as a notebook's.

MADE = "gapsmith_given_"
"""Beginning of the names of modules that are made for problems without one."""


def is_given(spec: str) -> bool:
    """Whether only one Python session has a problem: a class of a notebook, a script, or a function."""
    return spec.startswith(("__main__:", MADE))


def code_digest(module: ModuleType) -> str:
    """Hex SHA-256 of what a module without a file defines, as a notebook's; line numbers do not count."""
    hasher = hashlib.sha256()
    for name, value in sorted(vars(module).items(), key=lambda item: item[0]):
        if name.startswith("_") and not isinstance(value, FunctionType):
            continue  # what an interactive shell keeps for itself
        if getattr(value, "__module__", None) == module.__name__:
            for code in _codes(value):
                hasher.update(repr((name, *_facts(code))).encode())
        elif isinstance(value, bool | int | float | str | tuple | frozenset):
            hasher.update(repr((name, value)).encode())
    return hasher.hexdigest()


def _codes(value: Any) -> Iterator[CodeType]:
    """The code of a function, or of all functions of a class."""
    if isinstance(value, FunctionType):
        yield value.__code__
    elif inspect.isclass(value):
        for part in vars(value).values():
            yield from _codes(getattr(part, "__func__", part))


def _facts(code: CodeType) -> tuple[object, ...]:
    constants = [_facts(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_name, code.co_code.hex(), code.co_names, code.co_varnames, constants
