"""Words of the documentation by group, and whether each group keeps to its budget.

    python benchmarks/words.py

A word is a piece between blanks that holds a letter or a digit, in tables and code as in prose. Pages and
parts of pages that a script writes are counted apart. The exit code is 1 where a budget is exceeded or a
page belongs to no group.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GROUPS = {
    "README": (r"README\.md", 600),
    "index": (r"docs/index\.md", 400),
    "tutorials": (r"docs/tutorials/.+\.md", 6_000),
    "how-to": (r"docs/how-to/.+\.md", 9_000),
    "reference": (r"docs/reference/(?!json).+\.md", 6_000),
    "explanation": (r"docs/explanation/.+\.md", 14_500),
    "problems": (r"docs/problems/.+\.md", 12_000),
    "studies": (r"(docs/)?benchmarks/.+\.md", 8_000),
}
"""Group → pages (regular expression) and the most words of all together."""
TOGETHER = 45_000
"""The most words of all groups together, the README and the studies included."""
GENERATED = (r"docs/(gallery/transcripts|reference/json)\.md", 20_000)
"""Committed pages that a script writes, and the most words of them together."""
WRITTEN = re.compile(r"<!-- ([\w ]+): begin -->.*?<!-- \1: end -->", re.S)
"""A part of a page that a script writes."""
MOST = {r"docs/problems/(?!index).+\.md": 400, r"docs/how-to/.+\.md": 1_000}
"""The most words of a single page."""


def words(text: str) -> int:
    """The number of words of a text."""
    return sum(any(c.isalnum() for c in piece) for piece in text.split())


def counted() -> tuple[dict[str, int], int]:
    """Page (path below the root) → words that people wrote; and the words that scripts wrote, together."""
    paths = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]
    pages, generated = {}, 0
    for path in sorted(paths):
        name, text = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        rest = "" if re.fullmatch(GENERATED[0], name) else WRITTEN.sub("", text)
        generated += words(text) - words(rest)
        if rest:
            pages[name] = words(rest)
    return pages, generated


def faults(pages: dict[str, int], generated: int) -> list[str]:
    """A sentence for each budget that is exceeded, and for each page without a group."""
    found = []
    if generated > GENERATED[1]:
        found.append(f"generated: {generated:,} words, at most {GENERATED[1]:,}")
    for name, (pattern, most) in GROUPS.items():
        total = sum(number for page, number in pages.items() if re.fullmatch(pattern, page))
        if total > most:
            found.append(f"{name}: {total:,} words, at most {most:,}")
    if sum(pages.values()) > TOGETHER:
        found.append(f"together: {sum(pages.values()):,} words, at most {TOGETHER:,}")
    for page, number in pages.items():
        if not any(re.fullmatch(pattern, page) for pattern, _ in GROUPS.values()):
            found.append(f"{page}: no group of benchmarks/words.py")
        for pattern, most in MOST.items():
            if re.fullmatch(pattern, page) and number > most:
                found.append(f"{page}: {number:,} words, at most {most:,}")
    return found


def main() -> int:
    """Prints the words of each group and what is wrong."""
    pages, generated = counted()
    for name, (pattern, most) in GROUPS.items():
        total = sum(number for page, number in pages.items() if re.fullmatch(pattern, page))
        print(f"{name:12} {total:7,} of {most:7,}")
    print(f"{'together':12} {sum(pages.values()):7,} of {TOGETHER:7,}")
    print(f"{'generated':12} {generated:7,} of {GENERATED[1]:7,}")
    wrong = faults(pages, generated)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
