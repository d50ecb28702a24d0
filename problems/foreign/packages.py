"""What the sources of a task import, and which packages one process can import for all evaluations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .inside import is_own_file

SHAREABLE = ("numpy", "scipy", "pandas", "networkx", "sympy")
"""Packages that start no thread and open no file when they are imported, so that a process with them can be
forked. Others (jax, torch, whatever has a GPU) start threads; each evaluation imports them itself."""
_NAME = re.compile(r"\w+(\.\w+)?", re.ASCII)
_MISSED = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
_MOST_BYTES = 1 << 20


def shareable(texts: Iterable[str]) -> tuple[str, ...]:
    """Modules of `SHAREABLE` that some sources import, wherever they do; runs nothing of them."""
    modules: dict[str, None] = {}
    for text in texts:
        for node, _ in _imports(text):
            modules |= dict.fromkeys(name for name in _named(node) if name.partition(".")[0] in SHAREABLE)
    return tuple(modules)


def required(files: Sequence[Path], places: Sequence[Path]) -> dict[str, bool]:
    """Name of each package that files import, themselves or by modules beside them → whether they need it.

    A package is not needed where an `except` follows that is for its absence.

    Args:
        files: Python files of a task.
        places: folders that the task's own modules are imported from.
    """
    packages: dict[str, bool] = {}
    waiting, seen = list(files), set[Path]()
    while waiting:
        path = waiting.pop()
        if path in seen or path.stat().st_size > _MOST_BYTES:
            continue
        seen.add(path)
        for node, needed in _imports(path.read_text("utf-8-sig", "replace")):
            for name in {name.partition(".")[0] for name in _named(node)}:
                beside = [
                    path
                    for place in places
                    for path in (place / f"{name}.py", place / name / "__init__.py")
                    if is_own_file(place, path)
                ]
                if beside:
                    waiting += beside
                else:
                    packages[name] = packages.get(name, False) or needed
    return dict(sorted(packages.items()))


def _imports(text: str) -> Iterator[tuple[ast.AST, bool]]:
    """The import statements of a source, and whether it needs what each imports."""
    try:
        yield from _within(ast.parse(text), True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def _within(node: ast.AST, needed: bool) -> Iterator[tuple[ast.AST, bool]]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, needed
    if isinstance(node, ast.Try) and any(_catches_absence(handler) for handler in node.handlers):
        for statement in node.body:
            yield from _within(statement, False)
        rest: list[ast.AST] = [*node.handlers, *node.orelse, *node.finalbody]
    else:
        rest = list(ast.iter_child_nodes(node))
    for part in rest:
        yield from _within(part, needed)


def _catches_absence(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(part, ast.Name) and part.id in _MISSED for part in ast.walk(handler.type))


def _named(node: ast.AST) -> Iterator[str]:
    """What a statement imports, as names of packages and modules one level below; some may be no modules."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return (".".join(name.split(".")[:2]) for name in names if _NAME.match(name))
