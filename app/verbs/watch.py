"""`watch`: follow a campaign of another process."""

from __future__ import annotations

from .common import Json, Run, Runs
from .records import opened, single
from .terminal import console, emit_json, errors


def watch(run: Run, runs: Runs = None, json: Json = False) -> None:
    """Follow a campaign of another process, or look at a finished one; it is left alone."""
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder
        from ..views.watching import snapshot
        from ..views.watching import watch as follow

        folder = single(run, find_runs(run, runs_folder(runs)))
        if json:
            with opened(folder) as record:
                emit_json(snapshot(record))
            return
        try:
            follow(folder, console())
        except KeyboardInterrupt:
            return
