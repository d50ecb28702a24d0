"""The programs that a campaign began with, in brief."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ..prompts.parts import Founder
from ..prompts.text import shortened
from .base import Context, Elite

MOST = 8
"""Founders that a prompt names (count), the best first."""
_IDEA = 300
"""Characters of a founder's idea."""


def founders_of(context: Context, shown: Collection[str]) -> tuple[Founder, ...]:
    """Founders in brief, but for those whose text the prompt shows (ids)."""
    left = [elite for elite in context.founders if elite.candidate.id not in shown]
    return tuple(
        Founder(elite.candidate.operator, -100 * elite.fitness, _idea(elite)) for elite in left[:MOST]
    )


def _idea(elite: Elite) -> str:
    """The first paragraph of a program's docstring; empty without one."""
    try:
        text = ast.get_docstring(ast.parse(next(iter(elite.candidate.files.values())))) or ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return shortened(" ".join(text.split("\n\n")[0].split()), _IDEA)
