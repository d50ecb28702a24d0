"""The digest of what a problem's results depend on: functions with all that they use, not their words."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Sequence

from ...problems.base import canonical_json
from .form import Form, Part
from .written import Needs, needs_of, plain_text, written


def version_of(form: Form) -> str:
    """Hex digest of what instances and judgements depend on."""
    source = form.source
    given = {stratum: [list(one) for one in every] for stratum, every in source.given.items()}
    facts = [*form.facts, canonical_json(given)]
    if source.draw is None:
        return _digest(_judging(form), facts)
    return _digest(
        [*_judging(form), source.draw], [*facts, repr(dict(source.counts)), repr(dict(source.strata))]
    )


def reference_version_of(form: Form) -> str:
    """Hex digest of what references depend on, the instances aside."""
    return _digest([*_judging(form), *([form.reference] if form.reference is not None else [])], form.facts)


def _judging(form: Form) -> list[Part]:
    return [form.objective, *([form.online] if form.online is not None else [])]


def _digest(parts: Sequence[Part], facts: Sequence[str]) -> str:
    """Hex digest of functions with all that they use, comments and docstrings aside, and of further facts."""
    needs = Needs()
    texts = [written(part.call, part.title) for part in parts]
    for part, one in zip(parts, texts, strict=True):
        needs.add(needs_of([one], part.title, sealed=False))
    lines = [*needs.imports.values(), *(f"{k} = {v}" for k, v in sorted(needs.constants.items()))]
    lines += [_bare(plain_text(one)) for one in (*needs.definitions.values(), *texts)]
    return hashlib.sha256("\n".join([*facts, *lines]).encode()).hexdigest()[:12]


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
