"""What a native problem takes over from a task of another tool: start program, statement, checks."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from ..errors import ProblemError
from .computing import computing, imports
from .foreign import load_foreign

_ENTRIES = ("evaluate", "evaluate_stage1", "evaluate_stage2", "evaluate_stage3")
_MEANINGS = (
    *("Instance", "Json", "Plugin", "ProofKind", "Reference", "Sense", "Verdict"),
    *("START", "annotations", "plugin"),
)
"""Names that the written file gives a meaning."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """What a new problem takes over from a task.

    Attributes:
        start: text of the start program.
        entry, signature: name and signature of what a program defines.
        statement: the task in words.
        arguments: names of the entry point's arguments.
        imports: import statements that the checks need.
        checks: text of the evaluator's constants and functions that only compute.
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
    nodes = computing(body, frozenset((*_ENTRIES, *_MEANINGS)))
    kept = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
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
        imports="\n".join(imports(body, nodes)),
        checks="\n\n\n".join(_source(text, node) for node in nodes),
        functions=tuple(name for name in functions if name in kept),
        left=tuple(name for name in functions if name not in kept),
    )


def _parsed(text: str, path: Path) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProblemError(f"{path}: the evaluator is no Python: {error}") from error


def _source(text: str, node: ast.stmt) -> str:
    """A statement's text; where that says anything else than the statement, the statement written anew."""
    found = ast.get_source_segment(text, node) or ""
    try:
        same = ast.dump(ast.Module(ast.parse(found).body, [])) == ast.dump(ast.Module([node], []))
    except (SyntaxError, ValueError, RecursionError):
        same = False
    return found if same else ast.unparse(node)


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
