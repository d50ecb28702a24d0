"""The fences of a reply, and the parts of a reply that hold a program each."""

from __future__ import annotations

import re
from dataclasses import dataclass

SEARCH = re.compile(r"^\s*+<{5,9}+\s*+SEARCH\s*+$")
"""The line that begins a hunk."""
_FENCE = re.compile(r"^[ ]{0,3}(?P<marks>`{3,}+|~{3,}+)(?P<info>[^\n`]*+)$")
_PYTHON = ("", "python", "py", "python3")


def without_thoughts(reply: str) -> str:
    """The reply after a reasoning model's inline thoughts."""
    return reply.rsplit("</think>", 1)[-1]


def defined(entry_point: str) -> re.Pattern[str]:
    """Matches the line that defines the entry point."""
    return re.compile(rf"^[ \t]*+(async\s++def|def|class)\s++{re.escape(entry_point)}\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """The text of a fence; `end` is the number of the line after it, counted from 0."""

    text: str
    python: bool
    closed: bool
    end: int


def fences(reply: str) -> list[Fence]:
    """All fences of a reply in order; the last may be open."""
    found: list[Fence] = []
    marks, info = "", ""
    lines: list[str] = []
    for number, line in enumerate(reply.split("\n"), 1):
        match = _FENCE.match(line)
        if not marks and match:
            marks, info, lines = match["marks"], match["info"].strip().lower(), []
        elif marks and match and match["marks"].startswith(marks) and not match["info"].strip():
            found.append(Fence("\n".join(lines), info.split(" ")[0] in _PYTHON, True, number))
            marks = ""
        elif marks:
            lines.append(line)
    if marks:
        found.append(Fence("\n".join(lines), info.split(" ")[0] in _PYTHON, False, number))
    return found


def dedent(text: str) -> str:
    """Text without the indentation that all of its first-level lines share (fences inside lists)."""
    lines = text.split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)


def programs_of(reply: str, entry_point: str, most: int) -> list[str]:
    """A reply cut into parts that hold a whole program each, at most `most`; the last ones if there are more.

    A part begins after the program before, so that it holds what is said of its own. A reply with hunks, or
    in which at most one fence defines the entry point, is one part.
    """
    text = without_thoughts(reply.replace("\r\n", "\n"))
    ends = [f.end for f in fences(text) if f.python and defined(entry_point).search(f.text)]
    lines = text.split("\n")
    if most == 1 or len(ends) < 2 or any(map(SEARCH.match, lines)):
        return [reply]
    ends[-1] = len(lines)
    parts = ["\n".join(lines[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]
    return parts[-most:]
