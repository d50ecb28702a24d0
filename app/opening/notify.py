"""Progress of what comes before the search or beside it."""

from __future__ import annotations

from collections.abc import Callable

Notify = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is (counts)."""


def silent(what: str, done: int, total: int) -> None:
    """Tells nobody."""
