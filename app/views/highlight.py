"""Highlights Python code as HTML; splits the code into tokens, escapes all of it, and never runs it."""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator
from html import escape

_STRINGS = {
    number
    for name in ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")  # the latter from 3.12 on
    if (number := getattr(tokenize, name, None)) is not None
}


def code_html(text: str) -> str:
    """Code with keywords, strings, numbers and comments in spans of class k, s, n, c.

    A text that is not Python comes back escaped and otherwise unchanged.
    """
    try:
        spans = list(_spans(text))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return escape(text)
    parts, done = [], 0
    for start, end, kind in spans:
        parts += [escape(text[done:start]), f'<span class="{kind}">{escape(text[start:end])}</span>']
        done = end
    return "".join([*parts, escape(text[done:])])


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields (start, end, class) of each token that has a class, in order; positions in characters."""
    begins = [0]
    for line in text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    for token in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
        kind = _kind(token)
        start, end = (begins[row - 1] + column for row, column in (token.start, token.end))
        if kind and start < end:
            yield start, end, kind


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type in _STRINGS:
        return "s"
    if token.type == tokenize.NAME and keyword.iskeyword(token.string):
        return "k"
    return {tokenize.NUMBER: "n", tokenize.COMMENT: "c"}.get(token.type, "")
