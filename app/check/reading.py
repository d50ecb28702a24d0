"""Reads the source of `verify` and of what it calls, as text: which names occur, and whether text is run."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from ...problems.base import Interactive, Problem

_RUNS = {"eval", "exec", "compile", "__import__"}
_MODULES = {
    "pickle": {"load", "loads", "Unpickler"},
    "marshal": {"load", "loads"},
    "os": {"system", "popen"},
    "subprocess": {"run", "call", "check_call", "check_output", "Popen"},
    "importlib": {"import_module"},
    "builtins": _RUNS,
    "yaml": {"load", "unsafe_load"},
}
_LONGEST_WORD = 30
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a plug-in: file name, line number, and what it says."""

    file: str
    line: int
    text: str


def runs_text(problem: Problem) -> list[Place]:
    """Lines reachable from `verify` that run, import or format a text that is no constant."""
    return [place for module, node in _reachable(problem) for place in _places(module, node)]


def words(problem: Problem) -> list[str]:
    """Short texts that `verify` and what it calls mention: names of fields, in their order."""
    names: dict[str, None] = {}
    for _, node in _reachable(problem):
        for inner in ast.walk(node):
            value = inner.value if isinstance(inner, ast.Constant) else None
            if isinstance(value, str) and 0 < len(value) <= _LONGEST_WORD and " " not in value:
                names[value] = None
    return list(names)


def draws(problem: Problem) -> bool:
    """Whether `instances`, or what it calls, mentions a generator of random numbers."""
    generators = {"random", "Random", "default_rng", "RandomState", "shuffle", "randint", "choice", "sample"}
    for _, node in _reachable(problem, ("instances",)):
        for inner in ast.walk(node):
            if (isinstance(inner, ast.Name) and inner.id in generators) or (
                isinstance(inner, ast.Attribute) and inner.attr in generators
            ):
                return True
    return False


def _reachable(problem: Problem, entries: tuple[str, ...] | None = None) -> list[tuple[ModuleType, Function]]:
    """Functions that a method calls by name, with those that these call, in all modules of the plug-in."""
    by_name: dict[str, list[tuple[ModuleType, Function]]] = {}
    for module in _modules(problem):
        for node in ast.walk(_parsed(module)):
            if isinstance(node, Function):
                by_name.setdefault(node.name, []).append((module, node))
    names = list(
        entries or (("verify", "next", "answer") if isinstance(problem, Interactive) else ("verify",))
    )
    if (authored := getattr(problem, "authored", None)) is not None:  # the short form: functions of any name
        names = [own for name in names for own in authored.get(name, ())]
    functions: list[tuple[ModuleType, Function]] = []
    seen: set[str] = set()
    while names:
        name = names.pop()
        if name in seen:
            continue
        seen.add(name)
        for module, node in by_name.get(name, ()):
            functions.append((module, node))
            for inner in ast.walk(node):
                names += [inner.id] if isinstance(inner, ast.Name) else []
                names += [inner.attr] if isinstance(inner, ast.Attribute) else []
    return functions


def _modules(problem: Problem) -> list[ModuleType]:
    """The modules of the problem's class and of the functions and classes that they import from beside it."""
    classes = [c for c in type(problem).__mro__ if c is not object]
    # What Gapsmith itself adds to a problem in the short form is no part of the plug-in.
    classes = classes[:1] if hasattr(problem, "authored") else classes
    homes = [sys.modules.get(c.__module__) for c in classes]
    modules = {m.__name__: m for m in homes if m is not None and m.__name__ != "typing"}
    for module in list(modules.values()):
        package = module.__name__.rpartition(".")[0]
        for value in list(vars(module).values()):
            home = sys.modules.get(getattr(value, "__module__", None) or "")
            beside = home is not None and package and home.__name__.startswith(f"{package}.")
            if beside and home is not None:
                modules.setdefault(home.__name__, home)
    return list(modules.values())


def _parsed(module: ModuleType) -> ast.Module:
    try:
        return ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError, ValueError):
        return ast.Module([], [])


def _places(module: ModuleType, node: Function) -> Iterator[Place]:
    file = str(module.__file__ or module.__name__).rpartition("/")[2]
    runners = _RUNS | _imported(module)
    called = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    for inner in ast.walk(node):
        handed_on = (
            isinstance(inner, ast.Name) and inner.id in runners - {"compile"} and id(inner) not in called
        )
        if handed_on or (isinstance(inner, ast.Call) and _runs(module, node, inner, runners)):
            yield Place(file, inner.lineno, ast.unparse(inner))  # type: ignore[attr-defined]


def _imported(module: ModuleType) -> set[str]:
    """Names that a module gives to what runs texts: `from builtins import eval as value`."""
    return {
        alias.asname or alias.name
        for node in ast.walk(_parsed(module))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in _MODULES.get(node.module or "", ())
    }


def _runs(module: ModuleType, function: Function, call: ast.Call, runners: set[str]) -> bool:
    """Whether a call runs, imports or formats a text that is no constant."""
    constant = bool(call.args) and isinstance(call.args[0], ast.Constant)
    if isinstance(call.func, ast.Name):
        return call.func.id in runners and not constant
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    if call.func.attr in {"format", "format_map"}:
        return not _constant_text(module, function, owner)
    if not isinstance(owner, ast.Name):
        return False
    meant = vars(module).get(owner.id)
    name = meant.__name__ if isinstance(meant, ModuleType) else owner.id
    return call.func.attr in _MODULES.get(name, ()) and not constant


def _constant_text(module: ModuleType, function: Function, owner: ast.expr) -> bool:
    """Whether the text before `.format` is written in the source."""
    if isinstance(owner, ast.Constant):
        return True
    if not isinstance(owner, ast.Name):
        return False
    texts = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and any(isinstance(t, ast.Name) and t.id == owner.id for t in node.targets)
    ]
    if texts:
        return all(isinstance(value, ast.Constant) for value in texts)
    return isinstance(vars(module).get(owner.id), str)
