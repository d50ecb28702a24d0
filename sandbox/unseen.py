"""Characters that nobody sees, or that change how others are seen: one table of Unicode categories.

The only file of `sandbox` that `problems` and `prompts` import.
"""

from __future__ import annotations

import re
import unicodedata

CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Controls, formats, unassigned, private use, surrogates, line and paragraph separators."""
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)  # letters and marks that show nothing: variation selectors, fillers, tags, the blank Braille cell
_DOUBTFUL = re.compile(r"[^\n\x20-\x7e]")


def unseen(character: str) -> bool:
    """Whether a character is in the table; line ends and tabs are."""
    return unicodedata.category(character) in CATEGORIES or _BLANK.match(character) is not None


def clean(text: str, tab: str = " ") -> str:
    """A text without unseen characters but for line ends; `tab` stands for each tab."""

    def kept(match: re.Match[str]) -> str:
        character = match[0]
        return tab if character == "\t" else "" if unseen(character) else character

    return _DOUBTFUL.sub(kept, text.replace("\r\n", "\n"))


def find_unseen(text: str) -> tuple[str, int, int] | None:
    """The first unseen character but for line ends and tabs, its line and its column, both from 1."""
    text = text.replace("\r\n", "\n")
    for match in _DOUBTFUL.finditer(text):
        if match[0] != "\t" and unseen(match[0]):
            start = match.start()
            return match[0], text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return None


def name_of(character: str) -> str:
    """Code point and name of a character: `U+202E RIGHT-TO-LEFT OVERRIDE`."""
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".strip()
