"""Searches one after another: what ends them all, and how to go on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from ..errors import INTERRUPTED, UserError

if TYPE_CHECKING:
    from ..record.runs import Group


def until_stopped(
    searches: Iterable[dict[str, Any]], interrupted: Event, runs: Path, group: Group | None
) -> list[dict[str, Any]]:
    """Documents of searches one after another: whoever stops one of them stops those that would follow."""
    documents: list[dict[str, Any]] = []
    try:
        for document in searches:
            documents.append(document)
            # Also when its search was over and it is completed.
            if interrupted.is_set() or document["status"] != "completed":
                break
    except KeyboardInterrupt:  # while one of them was set up
        if group is None or not documents:
            raise
        raise UserError(INTERRUPTED, "interrupted", saved(runs / documents[0]["run"], group)) from None
    return documents


def saved(folder: Path, group: Group | None) -> str:
    """How to go on; a group is named by a path that is one whatever folder its runs are in."""
    what, path = ("run", folder) if group is None else ("group", folder.absolute().with_name(group.name))
    return f"the {what} is saved; `gapsmith resume {shlex.quote(str(path))}` goes on"
