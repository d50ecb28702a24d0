"""Foreign text inside prompts: cleaned, shortened and quoted, so that it stays data."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..sandbox.unseen import clean
from .marks import neutral_code, neutral_text

QUOTED_CHARACTERS = 600
PLACES = 6
"""Most decimals of a number."""
SMALLEST = 0.5 * 10**-PLACES
"""Numbers below are written as zero."""
_SHARES = (0, 10, 25, 50, 75, 90, 100)
_SENTENCE_END = re.compile(r"[.!?][)\"'’”]?(?= )")
_ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|.)?")


@lru_cache(maxsize=1024)
def plain_text(text: str) -> str:
    """A text for a prompt, without escape sequences, invisible characters and marks of chat formats.

    It is kept, as prompts share most of their texts.
    """
    return neutral_text(_without_unseen(text))


@lru_cache(maxsize=64)
def plain_code(code: str) -> str:
    """A program for a prompt, cleaned like a text and without marks that would end its fence or hunk.

    `restore` undoes the change of the marks.
    """
    return neutral_code(_without_unseen(code))


def _without_unseen(text: str) -> str:
    return clean(_ESCAPES.sub("", text), tab="\t")


def quote(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """Untrusted text as a Markdown quotation; every line begins with `> `, so no line leaves the quotation.

    A text of more than `limit` characters is cut in the middle.
    """
    return "\n".join(f"> {line}" for line in cut(text.strip(), limit).split("\n"))


def cut(text: str, limit: int) -> str:
    """Cuts the middle of a text to `limit` characters and a mark; the end of an error says most."""
    mark = f" … ({len(text) - limit} characters left out) … "
    if len(text) <= limit + len(mark):  # a mark would be as long as what it stands for
        return text
    head = limit // 3
    tail = limit - limit // 3
    return f"{text[:head]}{mark}{text[-tail:]}"


def decimal(value: float, sign: str = "") -> str:
    """A number with two decimals; below 1 with three significant digits, so that small ones differ.

    A negative zero is written without its sign; `sign` is `+` where positive numbers have theirs, too.
    """
    places = 2 if abs(value) < SMALLEST else max(2, min(PLACES, 2 - math.floor(math.log10(abs(value)))))
    return f"{round(value, places) + 0.0:{sign}.{places}f}"


def percent(value: float | None) -> str:
    """A percentage; a dash if unknown."""
    return "–" if value is None else f"{decimal(value)} %"


def shortened(text: str, limit: int) -> str:
    """Cuts the end of a text to `limit` characters: after a sentence, else after a word, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    ends = [match.end() for match in _SENTENCE_END.finditer(head)]
    if ends and ends[-1] >= limit // 2:
        return f"{head[: ends[-1]]} …"
    return f"{head.rpartition(' ')[0] or head} …"


def fence(code: str, language: str = "python") -> str:
    """Code in a fence that is longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{code.rstrip()}\n{marks}"


def short_inputs(public: Mapping[str, Any], items: int = 12) -> str:
    """An instance's keyword arguments on one line each.

    Longer lists of numbers are summarised by their quantiles, other lists cut to `items` entries.
    """
    return "\n".join(f"{' '.join(name.split())} = {_summary(value, items)}" for name, value in public.items())


def _summary(value: Any, items: int) -> str:
    """Quantiles of a longer list of numbers, any other value cut."""
    if not isinstance(value, list | tuple) or len(value) <= items or not all(map(_is_number, value)):
        return _short(value, items)
    ordered = sorted(value)
    quantiles = [ordered[round(share * (len(value) - 1) / 100)] for share in _SHARES]
    shown = ", ".join(f"{number:.6g}" if isinstance(number, float) else str(number) for number in quantiles)
    return f"{len(value)} numbers, 0/10/25/50/75/90/100 %: {shown}"


def _short(value: Any, items: int) -> str:
    if isinstance(value, list | tuple):
        shown = ", ".join(_short(entry, max(2, items // 3)) for entry in value[:items])
        return f"[{shown}]" if len(value) <= items else f"[{shown}, …] ({items} of {len(value)} shown)"
    if isinstance(value, Mapping):
        entries = list(value.items())
        shown = ", ".join(f"{key}: {_short(entry, max(2, items // 3))}" for key, entry in entries[:items])
        return (
            f"{{{shown}}}" if len(entries) <= items else f"{{{shown}, …}} ({items} of {len(entries)} shown)"
        )
    return cut(json.dumps(value, ensure_ascii=False), 60)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def tokens(text: str) -> int:
    """Estimated number of tokens of a text, for size budgets: one per four UTF-8 bytes, rounded up.

    Never used for money: for costs, the ledger reserves one token per byte.
    """
    return -(-len(text.encode()) // 4)
