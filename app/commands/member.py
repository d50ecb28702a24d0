"""`member`: one run of a group, as a task of a job array; hidden, called by what `run --slurm` writes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from .options import Json, Workers
from .session import finish, search, search_new
from .terminal import errors


def member(
    array: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `run --slurm` wrote.")],
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Of the run in its group, from 1.")],
    folder: Annotated[
        Path, typer.Option(exists=True, file_okay=False, help="Working folder of the command.")
    ] = Path(),
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Begin one run of a group, or go on with it; a run that is completed stays as it is."""
    with errors(json):
        from ...evolve.store.schema import FILE_NAME
        from .. import compose
        from ..runs.resume import ended, stored_config
        from ..setup.slurm import read_array

        array = array.absolute()
        os.chdir(folder)
        group, config, programs = read_array(array, number)
        if workers is not None:
            config = config.model_copy(update={"run": replace(config.run, workers=workers)})
        run = array.parent / group.member(number)
        interrupted = Event()
        if not run.exists():
            document = search_new(config, run.parent, run.name, programs, group, interrupted)
        elif not (run / FILE_NAME).is_file():  # a kill while it was set up
            document = search(config, run, programs, group, interrupted)
        elif ended(run):
            document = compose.read_summary(run)
        else:
            document = search(stored_config(run, {}, workers), run, {}, group, interrupted)
        finish([document], None, json, run.parent)
