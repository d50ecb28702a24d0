"""`watch`: follow a campaign of another process, in the terminal or in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...evolve.store.schema import FILE_NAME
from ..errors import TROUBLE, USAGE, UserError
from .options import Json, Port, Run, Runs
from .run_arguments import folders_of, opened, single
from .terminal import console, emit_json, errors

_PAUSE_SECONDS = 0.5
"""Between two looks at a run whose search has not begun."""


def watch(
    run: Run,
    web: Annotated[
        bool, typer.Option("--web", help="Serve a live page to browsers of this machine.")
    ] = False,
    port: Port = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Follow a campaign of another process, or look at a finished one; it is left alone."""
    with errors(json):
        from ..views.watch import snapshot
        from ..views.watch import watch as follow

        if port is not None and not web:
            raise UserError(USAGE, "--port: only with --web", "add --web, or leave --port out")
        folder = single(run, folders_of(run, runs, unbegun=True))
        try:
            if not _begun(folder, json):
                return
            if web:
                _serve(folder, port or 0, json)
            elif json:
                with opened(folder) as record:
                    emit_json(snapshot(record))
            else:
                follow(folder, console())
        except KeyboardInterrupt:
            return


def _begun(folder: Path, json: bool) -> bool:
    """Waits until the search of a run begins; of a run in preparation, JSON says so at once.

    Raises:
        UserError: the run ended before its search began.
    """
    import time

    from ..formatting import clean
    from ..runs.folders import preparing

    if not preparing(folder):
        return True
    if json:
        nothing = dict.fromkeys(("iterations", "evaluations", "executions"), 0)
        emit_json({"run": folder.name, "status": "preparing", **nothing, "best": None})
        return False
    said = f"{clean(folder.name)}: references or baselines are being computed; waiting for the search"
    console(stderr=True).print(said, markup=False, soft_wrap=True)
    while preparing(folder):
        time.sleep(_PAUSE_SECONDS)
    if not (folder / FILE_NAME).is_file():
        raise UserError(
            TROUBLE,
            f"{folder.name}: ended before its search began, so nothing of it is stored",
            "start it again with `gapsmith run`",
        )
    return True


def _serve(folder: Path, port: int, json: bool) -> None:
    """Serves the page of a run until Ctrl-C."""
    from ..views.web import LiveServer, key_of
    from .dashboard import drawn, serving

    with LiveServer(folder, port, draw=drawn) as server:
        with opened(folder) as record:  # a record that cannot be read is said here, not in the browser
            name = record.name
            documents = server.runs.of(key_of(folder))
            assert documents is not None
            documents.begin(record)
        serving(server, server.address_of(folder), json, run=name)
