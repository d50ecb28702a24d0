"""The sentence in which a reply says what it changes and why."""

from __future__ import annotations

import re

from ..prompts.text import shortened
from ..sandbox.unseen import clean

MOST_CHARACTERS = 1200
"""Of a sentence that is kept; longer ones are cut after a sentence or a word."""
_CODE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,}|\s*<{5,9}\s*SEARCH)")
_DECORATION = re.compile(r"^[\s#>*_\-]+|[*_`]{2,}")

_LABEL = re.compile(r"\w+ (\d+|[A-Z])[ .:)]*")
"""Says which program follows, and nothing of it."""


def idea_of(reply: str) -> str:
    """The prose of a reply on one line: what stands before its first code, else after its last.

    Empty for a reply of code alone.
    """
    lines = reply.rsplit("</think>", 1)[-1].split("\n")
    marks = [number for number, line in enumerate(lines) if _CODE.match(line)]
    before, after = (lines[: marks[0]], lines[marks[-1] + 1 :]) if marks else (lines, [])
    return _one_line(before) or _one_line(after)


def _one_line(lines: list[str]) -> str:
    """The first paragraph that says something, without Markdown's decoration, cut to its limit."""
    paragraphs = "\n".join(_DECORATION.sub("", line) if line.strip() else "" for line in lines).split("\n\n")
    said = [p for p in paragraphs if len(p.split()) > 1 and not _LABEL.fullmatch(p.strip())]
    text = " ".join(clean(said[0]).split()) if said else ""
    return shortened(text, MOST_CHARACTERS)
