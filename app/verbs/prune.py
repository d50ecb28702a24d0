"""`prune`: remove all runs but the latest."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import Json, Runs
from .delete import Yes, remove
from .terminal import errors


def prune(
    keep: Annotated[int, typer.Option("--keep", min=0, help="Latest runs that stay (count).")] = 10,
    yes: Yes = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Delete all runs but the latest; running ones stay too."""
    with errors(json):
        from ..record.runs import all_runs, running, runs_folder

        folders = all_runs(runs_folder(runs))
        old = folders[: max(0, len(folders) - keep)]
        remove([folder for folder in old if not running(folder)], yes, json)
