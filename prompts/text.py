"""Foreign text inside prompts: shortened, cleaned and quoted, so that it stays data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

QUOTED_CHARACTERS = 600
_ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)?")
_CHAT_MARKS = re.compile(
    r"<\|[^|<>\n]{0,40}\|>|</?s>|\[/?INST\]|<</?SYS>>|<(start|end)_of_turn>", re.IGNORECASE
)
_DEEPEST = 20
"""Marks nested deeper than this are hostile: every bracket that could begin one goes."""


def quote(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """Untrusted text as a Markdown quotation: every line begins with `> `, so no line can leave it.

    Terminal escapes, control, direction and other invisible characters and marks of chat formats are removed;
    more than `limit` characters are cut in the middle.
    """
    lines = _ESCAPES.sub("", text).splitlines()
    lines = ["".join(c for c in line if c.isprintable() or c == "\t") for line in lines]
    text = _without_marks(cut("\n".join(lines).strip(), limit))
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _without_marks(text: str) -> str:
    """Text without marks of chat formats, also those that stand only when others inside them are gone."""
    for _ in range(_DEEPEST):
        if (cleaned := _CHAT_MARKS.sub("·", text)) == text:
            return text
        text = cleaned
    return re.sub(r"[<\[]", "·", text)


def cut(text: str, limit: int) -> str:
    """Text of at most `limit` characters and a mark: the middle gives way, for an error's end says most."""
    if len(text) <= limit:
        return text
    head, tail = limit // 3, limit - limit // 3
    return f"{text[:head]} … ({len(text) - limit} characters left out) … {text[-tail:]}"


def fence(code: str, language: str = "python") -> str:
    """Code in a fence that is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{code.rstrip()}\n{marks}"


def short_inputs(public: Mapping[str, Any], items: int = 12) -> str:
    """An instance's keyword arguments on one line each; lists are cut to `items` entries."""
    return "\n".join(f"{name} = {_short(value, items)}" for name, value in public.items())


def _short(value: Any, items: int) -> str:
    if isinstance(value, list | tuple):
        shown = ", ".join(_short(entry, max(2, items // 3)) for entry in value[:items])
        return f"[{shown}]" if len(value) <= items else f"[{shown}, …] ({len(value)} entries)"
    if isinstance(value, Mapping):
        entries = list(value.items())
        shown = ", ".join(f"{key}: {_short(entry, max(2, items // 3))}" for key, entry in entries[:items])
        return f"{{{shown}}}" if len(entries) <= items else f"{{{shown}, …}} ({len(entries)} entries)"
    return cut(json.dumps(value, ensure_ascii=False), 60)


def tokens(text: str) -> int:
    """Estimate of a text's tokens for size budgets: one per four UTF-8 bytes, rounded up.

    Never used for money: the ledger sets aside one token per byte.
    """
    return -(-len(text.encode()) // 4)
