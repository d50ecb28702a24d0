"""Decides when a campaign with models rewrites its page of notes."""

from __future__ import annotations

from ..prompts.text import cut
from .fences import without_thoughts

PAGE = 4000
"""Characters of a page of notes."""


def page_of(reply: str) -> str:
    """The page of notes in a reply: its text without thoughts, cut."""
    return cut(without_thoughts(reply).strip(), PAGE)


class Pages:
    """Counts outcomes; depends only on the asks and outcomes in their order.

    The first ask after every so many outcomes writes a page before it asks for a program.
    """

    def __init__(self, every: int) -> None:
        """Nothing is written yet; `every` is in outcomes (count; 0 writes none)."""
        self._every = every
        self._due = 1
        self._writing: set[int] = set()

    def ask(self, number: int, told: int) -> None:
        """Opens an ask (1-based number) of a model; so many outcomes were told before."""
        if self._every and told >= self._due * self._every:
            self._due = told // self._every + 1
            self._writing.add(number)

    def writes(self, number: int) -> bool:
        """Whether an open ask writes a page."""
        return number in self._writing

    def tell(self, number: int) -> None:
        """Closes an ask."""
        self._writing.discard(number)
