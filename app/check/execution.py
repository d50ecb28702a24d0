"""Whether text of an answer is run: by reading `verify`, and by texts that show it.

The texts do nothing: an audit hook sees that one of them is about to be run, notes it and stops it.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import CodeType, ModuleType
from typing import Any

from ...problems.base import Interactive, Json, Problem
from .answers import at as at_place
from .answers import leaves, objects, put
from .bench import Bench, attempt, origins

# Reads the source of `verify` and of what it calls, as text: which names occur, and whether text is run.

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
class SourceLine:
    """A line of a plug-in: file name, line number, and what it says."""

    file: str
    line: int
    text: str


def runs_text(problem: Problem) -> list[SourceLine]:
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


def _places(module: ModuleType, node: Function) -> Iterator[SourceLine]:
    file = str(module.__file__ or module.__name__).rpartition("/")[2]
    runners = _RUNS | _imported(module)
    called = {id(inner.func) for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    for inner in ast.walk(node):
        handed_on = (
            isinstance(inner, ast.Name) and inner.id in runners - {"compile"} and id(inner) not in called
        )
        if handed_on or (isinstance(inner, ast.Call) and _runs(module, node, inner, runners)):
            yield SourceLine(file, inner.lineno, ast.unparse(inner))  # type: ignore[attr-defined]


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


MARK = "gapsmith_probe_4d1f"
_TEXT = f'__import__("{MARK}")'
_BRACES = f"{MARK}{{{{}}}}"
_NAMED = f"{{{MARK}}}"
_watching: list[str] | None = None
_hooked = False
_WHY = "a candidate's text would run, or read attributes, outside of the sandbox: with your files and keys"
_FIX = (
    "parse the text yourself into numbers and operators that you allow, or ask for JSON instead; "
    "put text into messages with an f-string or repr()"
)


class ProbeStop(Exception):
    """A probe was about to be run."""


def check_execution(bench: Bench) -> None:
    """No text of an answer is run, imported, opened or used as a format."""
    for place in runs_text(bench.problem)[:3]:
        _read(bench, place)
    for origin in origins(bench)[:2]:
        for words, answer in _probes(origin.answer):
            with watched() as events:
                verdict, error = attempt(partial(bench.problem.verify, origin.case.instance, answer))
            message = f"{error} {' '.join(getattr(verdict, 'violations', ()))}"
            got = f"Python was about to do: {events[0]}" if events else _formatted(words, message, error)
            if got:
                bench.report.add(
                    "runs-answers", sent=f"{origin.words} with {words}", got=got, why=_WHY, fix=_FIX
                )


def _read(bench: Bench, place: SourceLine) -> None:
    bench.report.add(
        "runs-answers",
        sent="the source of verify and of what it calls was read",
        got=f"{place.file}:{place.line}: {place.text}",
        why=_WHY,
        fix=_FIX,
    )


def _probes(answer: Json) -> Iterator[tuple[str, Json]]:
    """Answers that hold a probe: whole, at each of the first values, and as keys."""
    places: list[tuple[int | str, ...]] = [()]
    places += [path for path, value in leaves(answer) if isinstance(value, str)][:4]
    places += [path for path, value in leaves(answer) if path][:4]
    for path in dict.fromkeys(places):
        where = f"at {'.'.join(map(str, path))}" if path else "as the whole"
        for text in (_TEXT, _BRACES, _NAMED):
            yield f"{text} {where}", put(answer, path, text)
    for path in objects(answer)[:2]:
        whole = at_place(answer, path)
        for text in (_TEXT, _NAMED):
            yield f"{text} as a key", put(answer, path, {**whole, text: next(iter(whole.values()))})


def _formatted(words: str, message: str, error: BaseException | None) -> str:
    """What shows that a text was used as a format; empty if nothing does."""
    if isinstance(error, KeyError) and MARK in str(error) and words.startswith(_NAMED):
        return f"the text was used as a format: KeyError: {error}"
    if words.startswith(_BRACES) and f"{MARK}{{}}" in message:
        return "the text was used as a format: its double braces came back as single ones"
    return ""


@contextmanager
def watched() -> Iterator[list[str]]:
    """Notes what Python is about to do with a probe, and stops it."""
    global _watching, _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    _watching = []
    try:
        yield _watching
    finally:
        _watching = None


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _watching is None or event == "compile":  # to compile is not to run: ast.literal_eval does it too
        return
    if any(_holds(value) for value in args):
        what = "run a text of the answer as code" if event == "exec" else f"{event} with a text of the answer"
        _watching.append(what)
        raise ProbeStop(f"{event} with a text of an answer")


def _holds(value: Any) -> bool:
    if isinstance(value, CodeType):
        return any(_holds(part) for part in (*value.co_consts, *value.co_names))
    if isinstance(value, str):
        return MARK in value
    if isinstance(value, bytes):
        return MARK.encode() in value
    return isinstance(value, list | tuple) and any(_holds(part) for part in value)
