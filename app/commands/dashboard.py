"""`dashboard`: all runs of a folder in a browser, live, and each run's page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json, Port, Runs
from .run_arguments import folders_of, opened, single
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from ...problems.base import Drawing
    from ..runs.record import RunRecord
    from ..views.web import LiveServer


def dashboard(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Open the page of this run [default: all runs].")
    ] = None,
    port: Port = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Show all runs of a folder in a browser of this machine, live, and each run's page."""
    with errors(json):
        from ..runs.folders import runs_folder
        from ..views.web import LiveServer

        folder = None if run is None else single(run, folders_of(run, runs))
        if folder is not None:
            with opened(folder):  # says of a foreign or damaged record what there is to say
                pass
        every = runs_folder(runs) if folder is None else folder.parent
        with LiveServer(every, port or 0, every=True, draw=drawn) as server:
            serving(server, server.address_of(folder), json, runs=str(every))


def serving(server: LiveServer, address: str, json: bool, **what: str) -> None:
    """Says where the page is, and serves it until Ctrl-C."""
    import gc

    gc.freeze()  # what is loaded now stays until the end, so polls need not look through it
    if json:
        emit_json({**what, "address": address})
    else:
        console().print(address, markup=False, soft_wrap=True)
        console(stderr=True).print("open this address in a browser here; Ctrl-C ends the page")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return


def drawn(record: RunRecord, id: str, instance: str) -> Mapping[str, Drawing]:
    """Answers of a candidate and the best baseline to an instance, made again in the sandbox and drawn.

    Raises:
        UserError: the record may not have that done, or its problem's drawing is none.
    """
    from ...evaluators.judging import NotDrawn
    from ...problems.base import Drawable
    from ..errors import INVALID, UserError
    from ..setup.reruns import answers, find_instance, setup_of_record

    target = find_instance(record, instance)
    setup = setup_of_record(record)
    if not isinstance(setup.loaded.problem, Drawable):
        return {}
    baseline = record.rival
    programs = [id, *([baseline] if baseline is not None else [])]
    made = answers(record, setup, programs, target)
    try:
        return {record.title(name): setup.evaluator.draw(target, answer) for name, answer in made.items()}
    except NotDrawn as error:
        raise UserError(INVALID, str(error), "correct the problem's `draw`") from error
