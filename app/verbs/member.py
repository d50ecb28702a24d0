"""`member`: one run of a group, as a task of a job array; hidden, called by what `run --slurm` writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from .common import Json, Workers
from .results import finish
from .searching import search, search_new
from .terminal import errors


def member(
    array: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `run --slurm` wrote.")],
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Of the run in its group, from 1.")],
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Begin one run of a group, or go on with it; a run that is completed stays as it is."""
    with errors(json):
        from ...evolve.store.schema import FILE_NAME
        from .. import compose
        from ..opening.slurm import read_array
        from ..record.resume import ended, stored_config

        group, config, programs = read_array(array, number)
        if workers is not None:
            config = config.model_copy(update={"run": replace(config.run, workers=workers)})
        folder, interrupted = array.absolute().parent / group.member(number), Event()
        if not folder.exists():
            document = search_new(config, folder.parent, folder.name, programs, group, interrupted)
        elif not (folder / FILE_NAME).is_file():  # a kill while it was set up
            document = search(config, folder, programs, group, interrupted)
        elif ended(folder):
            document = compose.read_summary(folder)
        else:
            document = search(stored_config(folder, {}, workers), folder, {}, group, interrupted)
        finish([document], None, json, folder.parent)
