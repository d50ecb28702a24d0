"""Verbs that remove runs, and nothing but what Gapsmith wrote: `delete`, `prune`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import TROUBLE, USAGE, UserError
from .common import Json, Runs, console, emit_json, errors

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


def register(app: typer.Typer) -> None:
    """Adds the verbs to the command line."""
    app.command("delete")(delete)
    app.command("prune")(prune)


def delete(
    run: Annotated[list[str], typer.Argument(metavar="RUN…", help="Runs or groups to delete.")],
    yes: Yes = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Delete runs for good; a running one is refused, files that are yours stay."""
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder

        found = [folder for text in run for folder in find_runs(text, runs_folder(runs))]
        _remove(list(dict.fromkeys(found)), yes, json)


def prune(
    keep: Annotated[int, typer.Option("--keep", min=0, help="Latest runs that stay (count).")] = 10,
    yes: Yes = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Delete all runs but the latest; running ones stay too."""
    with errors(json):
        from ..record.runs import all_runs, running, runs_folder

        found = all_runs(runs_folder(runs))
        old = found[: max(0, len(found) - keep)]
        _remove([folder for folder in old if not running(folder)], yes, json)


def _remove(found: list[Path], yes: bool, json: bool) -> None:
    from ..record.runs import running

    if live := [folder.name for folder in found if running(folder)]:
        raise UserError(
            TROUBLE,
            f"{', '.join(live)}: a process is at work in it",
            f"end it with `gapsmith stop {live[0]}`",
        )
    if not yes:
        if json:
            emit_json({"deleted": [], "would_delete": [folder.name for folder in found]})
            return
        for folder in found:
            console().print(f"would delete {folder}", markup=False)
        console().print("nothing to delete" if not found else "nothing deleted; --yes does it", markup=False)
        return
    left = {folder.name: rest for folder in found if (rest := remove_run(folder))}
    if json:
        emit_json({"deleted": [folder.name for folder in found], "left": left})
        return
    for folder in found:
        console().print(f"deleted {folder}", markup=False)
        if folder.name in left:
            console().print(f"  kept what is not Gapsmith's: {', '.join(left[folder.name])}", markup=False)


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
        left = sorted(path.name for path in folder.iterdir())
        if not left:
            folder.rmdir()
    except OSError as error:
        raise UserError(TROUBLE, f"{folder}: {error.strerror}; expected to delete the run") from error
    return left
