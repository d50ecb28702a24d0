"""What a native problem takes over from a task of another tool: start program, statement, checks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ProblemError
from .foreign import load_foreign

_ENTRIES = ("evaluate", "evaluate_stage1", "evaluate_stage2", "evaluate_stage3")
_OUTSIDE = {
    "asyncio", "concurrent", "ctypes", "importlib", "io", "logging", "multiprocessing", "openevolve", "os",
    "pathlib", "pickle", "shutil", "signal", "socket", "subprocess", "sys", "tempfile", "threading", "time",
    "traceback", "urllib", "requests", "open", "exec", "eval", "compile", "__import__", "globals",
    "__file__",
}  # fmt: skip
"""Names of what loads, runs, times or reports a program: `verify` gets an answer in place of a program."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """What a new problem takes over from a task.

    Attributes:
        start: text of the start program.
        entry, signature: name and signature of what a program defines.
        statement: the task in words.
        arguments: names of the entry point's arguments.
        imports: import statements that the checks need.
        checks: text of the evaluator's constants, functions and classes that only compute.
        functions: names of these functions.
        left: names of the evaluator's functions that are not taken over.
    """

    start: str
    entry: str
    signature: str
    statement: str
    arguments: tuple[str, ...]
    imports: str
    checks: str
    functions: tuple[str, ...]
    left: tuple[str, ...]


def takeover(spec: str) -> Takeover:
    """Reads a task and its evaluator's text; runs nothing of either.

    Raises:
        UserError: the folder is no task.
    """
    problem = load_foreign(spec, {}).problem
    text = Path(problem.folder, problem.evaluator).read_text("utf-8-sig")
    body = _parsed(text, Path(problem.folder, problem.evaluator))
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    nodes, outside = _computing(body)
    wanted = {name for node in nodes for name in _names(node)}
    imports = [line for node in body if (line := _import(node, wanted))]
    entry = next(
        node
        for node in ast.parse(problem.start).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name == problem.entry_point
    )
    arguments = [] if isinstance(entry, ast.ClassDef) else [*entry.args.posonlyargs, *entry.args.args]
    return Takeover(
        start=problem.start,
        entry=problem.entry_point,
        signature=problem.signature,
        statement=problem.configuration.message or f"Improve the program of the task {problem.name}.",
        arguments=tuple(one.arg for one in arguments),
        imports="\n".join(imports),
        checks="\n\n\n".join(_source(text, node) for node in nodes),
        functions=tuple(name for name in functions if name not in outside),
        left=tuple(name for name in functions if name in outside),
    )


def _parsed(text: str, path: Path) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProblemError(f"{path}: the evaluator is no Python: {error}") from error


def _computing(body: Sequence[ast.stmt]) -> tuple[list[ast.stmt], set[str]]:
    """Definitions that only compute (constants, functions, classes), in order; and the names of those with
    effects.
    """
    kinds = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef)
    nodes: list[ast.stmt] = [node for node in body if isinstance(node, kinds)]
    outside = set(_OUTSIDE) | set(_ENTRIES)
    while left := [node for node in nodes if (_bound(node) | _names(node)) & outside]:
        outside |= {name for node in left for name in _bound(node)}  # its users have effects
        nodes = [node for node in nodes if node not in left]
    return nodes, outside


def _bound(node: ast.stmt) -> set[str]:
    """Names that a statement binds at the top level."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    stored = (one for one in ast.walk(node) if isinstance(one, ast.Name))
    return {one.id for one in stored if isinstance(one.ctx, ast.Store)}


def _source(text: str, node: ast.stmt) -> str:
    """A statement's text, its decorators included."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    lines = [f"@{ast.get_source_segment(text, one)}" for one in decorators]
    return "\n".join([*lines, ast.get_source_segment(text, node) or ""])


def literal(text: str) -> str:
    """A text as Python source: in triple quotes where that says the same, else with escapes."""
    quoted = f"'''\\\n{text}'''"
    if "\\" in text:
        return repr(text)
    try:
        same = ast.literal_eval(quoted) == text
    except (SyntaxError, ValueError):
        same = False
    return quoted if same else repr(text)


def _names(node: ast.AST) -> set[str]:
    """Names that a piece of source reads or binds."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} | {
        alias.name.partition(".")[0]
        for one in ast.walk(node)
        if isinstance(one, ast.Import | ast.ImportFrom)
        for alias in one.names
    }


def _import(node: ast.stmt, wanted: set[str]) -> str:
    """An import statement with the wanted names alone; empty for none of them or another statement."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return ""
    names = [one for one in node.names if (one.asname or one.name).partition(".")[0] in wanted]
    if isinstance(node, ast.Import):
        return ast.unparse(ast.Import(names)) if names else ""
    return ast.unparse(ast.ImportFrom(node.module, names, node.level)) if names else ""
