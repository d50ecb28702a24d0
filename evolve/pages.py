"""Decides when a campaign with models rewrites its page of notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from ..prompts.text import cut
from .fences import without_thoughts

PAGE = 4000
"""Characters of a page of notes."""


def page_of(reply: str) -> str:
    """The page of notes in a reply: its text without thoughts, cut."""
    return cut(without_thoughts(reply).strip(), PAGE)


@contextmanager
def beside(work: Callable[[], None], *, first: bool) -> Iterator[None]:
    """Does some work in a thread while the block runs, or before the block if `first`; errors are raised."""
    if first:
        work()
        yield
        return
    with ThreadPoolExecutor(1, "notes") as threads:
        done = threads.submit(work)
        yield
        done.result()


class Pages:
    """Counts outcomes of models' asks; depends only on the asks and outcomes in their order.

    The first ask of a model after every so many of them writes a page before it asks for a program. Asks
    that are opened after its outcome show that page: no question waits for a page, and what a question
    shows follows from the order of asks and outcomes alone. Of several pages the one counts that was asked
    for last: a page that arrives late was asked for with fewer outcomes known.
    """

    def __init__(self, every: int) -> None:
        """Nothing is written yet; `every` is in outcomes (count; 0 writes none)."""
        self._every = every
        self._told = 0
        self._due = 1
        self._writing: set[int] = set()
        self._shown: tuple[int, ...] = ()

    @property
    def shown(self) -> tuple[int, ...]:
        """Numbers of the asks whose pages the next ask may show, in the order of their outcomes."""
        return self._shown

    def ask(self, number: int) -> None:
        """Opens an ask (1-based number) of a model."""
        if self._every and self._told >= self._due * self._every:
            self._due = self._told // self._every + 1
            self._writing.add(number)

    def writes(self, number: int) -> bool:
        """Whether an open ask writes a page."""
        return number in self._writing

    def tell(self, number: int) -> None:
        """Closes an ask of a model: those that are opened from now on may show its page."""
        self._told += 1
        if number in self._writing:
            self._writing.remove(number)
            self._shown += (number,)
