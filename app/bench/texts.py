"""Texts of programs on their way out of a workbench: data, cleaned and cut like those in prompts."""

from __future__ import annotations

from ...prompts.marks import neutral_code, neutral_text
from ..words import clean

MESSAGE_CHARACTERS = 2_000
"""Longest message or explanation (characters)."""


def said(text: str | None, most: int = MESSAGE_CHARACTERS) -> str | None:
    """What a program or a problem says, without characters that nobody sees and without marks of chats."""
    return None if text is None else cut(neutral_text(clean(text)), most)


def code(text: str) -> str:
    """A program's text, without marks of chats and of prompts."""
    return neutral_code(clean(text))


def cut(text: str, most: int) -> str:
    """A text of at most `most` characters; says how many were left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n… {len(text) - most:,} more characters"
