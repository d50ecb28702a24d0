"""The digest of what a problem's results depend on: functions with all that they use, not their words."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Callable, Sequence
from typing import Any

from .written import needs_of, plain_text, written


def digest_of(functions: Sequence[Callable[..., Any]], facts: Sequence[str]) -> str:
    """Hex digest of functions with all that they use, comments and docstrings aside, and of further facts."""
    texts = [written(function, function.__name__) for function in functions]
    needs = needs_of(texts, "version", sealed=False)
    parts = [*needs.imports.values(), *(f"{k} = {v}" for k, v in sorted(needs.constants.items()))]
    parts += [_bare(plain_text(one)) for one in (*needs.definitions.values(), *texts)]
    return hashlib.sha256("\n".join([*facts, *parts]).encode()).hexdigest()[:12]


def _bare(text: str) -> str:
    """A text without comments, docstrings and blank lines: what a change of words leaves as it is."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            words = node.body[0]
            for number in range(words.lineno, (words.end_lineno or words.lineno) + 1):
                lines[number - 1] = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(line.rstrip() for line in lines if line.strip())
