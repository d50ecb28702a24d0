"""`stop`: end a running campaign in good order."""

from __future__ import annotations

from .options import Json, Run, Runs
from .terminal import console, emit_json, errors


def stop(run: Run, runs: Runs = None, json: Json = False) -> None:
    """Ask a running campaign to finish what is under way and end."""
    with errors(json):
        from ..runs.folders import STOP_NAME, find_run, put_text, running, runs_folder

        folder = find_run(run, runs_folder(runs), unbegun=True)
        live = running(folder)
        if live:
            put_text(folder / STOP_NAME, "")
        if json:
            emit_json({"run": folder.name, "running": live, "asked_to_stop": live})
        elif live:
            console().print(f"{folder.name}: asked to finish what is under way and end", markup=False)
        else:
            console().print(f"{folder.name}: not running, nothing to stop", markup=False)
