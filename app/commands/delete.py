"""`delete`: remove runs for good, or all but the latest; `prune` is the earlier name of the second."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ..errors import TROUBLE, USAGE, UserError
from .options import Json, Runs
from .run_arguments import folders_of
from .terminal import console, emit_json, errors

_OWN = (
    "archive.sqlite",
    "archive.sqlite-wal",
    "archive.sqlite-shm",
    "campaign.toml",
    "campaign.log",
    "best.py",
    "simplified.py",
    "report.html",
    "report.md",
    "STOP",
)


Yes = Annotated[bool, typer.Option("--yes", help="Do it; without it only say what would go.")]


def delete(
    run: Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Runs or groups to delete.")] = None,
    keep: Annotated[
        int | None, typer.Option("--keep", min=0, help="In place of RUN: all but so many of the latest.")
    ] = None,
    yes: Yes = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Delete runs for good; a running one is refused, files that are yours stay."""
    with errors(json):
        if (keep is None) == (not run):
            got = "neither" if keep is None else "both"
            raise UserError(USAGE, f"delete: got {got} RUN and --keep, expected one of them")
        if keep is not None:
            remove(_older(keep, runs), yes, json)
            return
        folders = [folder for text in run or () for folder in folders_of(text, runs)]
        remove(list(dict.fromkeys(folders)), yes, json)


def remove(folders: list[Path], yes: bool, json: bool) -> None:
    """Deletes run folders, or lists them without `--yes`; refuses while a process works in one of them."""
    from ..runs.folders import running

    if live := [folder.name for folder in folders if running(folder)]:
        raise UserError(
            TROUBLE,
            f"{', '.join(live)}: a process is at work in it",
            f"end it with `gapsmith stop {shlex.quote(live[0])}`",
        )
    if not yes:
        if json:
            emit_json({"deleted": [], "would_delete": [folder.name for folder in folders]})
            return
        for folder in folders:
            console().print(f"would delete {folder}", markup=False)
        console().print(
            "nothing to delete" if not folders else "nothing deleted; --yes does it", markup=False
        )
        return
    remains = {folder.name: rest for folder in folders if (rest := remove_run(folder))}
    if json:
        emit_json({"deleted": [folder.name for folder in folders], "left": remains})
        return
    for folder in folders:
        console().print(f"deleted {folder}", markup=False)
        if folder.name in remains:
            console().print(f"  kept what is not Gapsmith's: {', '.join(remains[folder.name])}", markup=False)


def remove_run(folder: Path) -> list[str]:
    """Removes what Gapsmith wrote into a run folder, the store last, and the folder if it is empty.

    Returns:
        Names of the files that stayed.

    Raises:
        UserError: the folder is a link, or cannot be written.
    """
    if folder.is_symlink():
        raise UserError(USAGE, f"{folder}: a link, expected a run folder", "delete what it points to")
    try:
        for name in reversed(_OWN):
            (folder / name).unlink(missing_ok=True)
        remains = sorted(path.name for path in folder.iterdir())
        if not remains:
            folder.rmdir()
    except OSError as error:
        raise UserError(TROUBLE, f"{folder}: {error.strerror}; expected to delete the run") from error
    return remains


def _older(keep: int, runs: Path | None) -> list[Path]:
    """The folders of all runs but the latest and those at work."""
    from ..runs.folders import all_runs, running, runs_folder

    folders = all_runs(runs_folder(runs))
    return [folder for folder in folders[: max(0, len(folders) - keep)] if not running(folder)]


def prune(
    keep: Annotated[int, typer.Option("--keep", min=0, help="Latest runs that stay (count).")] = 10,
    yes: Yes = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Delete all runs but the latest; the same as `delete --keep N`."""
    with errors(json):
        remove(_older(keep, runs), yes, json)
