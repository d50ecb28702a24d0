"""Which installed packages a task imports that one process can import for all evaluations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

SHAREABLE = ("numpy", "scipy", "pandas", "networkx", "sympy")
"""Packages that start no thread and open no file when they are imported, so that a process with them can be
forked. Others (jax, torch, whatever has a GPU) start threads; each evaluation imports them itself."""
_NAME = re.compile(r"\w+(\.\w+)?", re.ASCII)


def shareable(texts: Iterable[str]) -> tuple[str, ...]:
    """Modules of `SHAREABLE` that some sources import, wherever they do; runs nothing of them."""
    found: dict[str, None] = {}
    for text in texts:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            found |= dict.fromkeys(name for name in _named(node) if name.partition(".")[0] in SHAREABLE)
    return tuple(found)


def _named(node: ast.AST) -> Iterator[str]:
    """What a statement imports, as names of packages and modules one level below; some may be no modules."""
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return (name for name in names if _NAME.fullmatch(name))
