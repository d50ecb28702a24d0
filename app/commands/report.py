"""`report`: one page about a run, to be shown to others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import USAGE, UserError, unwritable
from .options import Force, Json, Run, Runs
from .run_arguments import folders_of
from .terminal import console, emit_json, errors, write_new


def report(
    run: Run,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Where to write, of a group a folder for each run [default: the run's].",
        ),
    ] = None,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Write report.html, one self-contained page, report.md, the same text, and share.png to post."""
    with errors(json):
        from ..runs.record import open_record
        from ..views import report as view
        from ..views.plots.card import NAME, card

        written: list[str] = []
        folders = folders_of(run, runs)
        for folder in folders:
            where = folder if output is None else output / folder.name if len(folders) > 1 else output
            targets = [where / name for name in ("report.html", "report.md", NAME)]
            if not force and (there := [str(path) for path in targets if path.exists()]):
                raise UserError(
                    USAGE,
                    f"{', '.join(there)}: exists already",
                    "replace with --force, or name another folder",
                )
            with open_record(folder) as record:
                facts = view.context(record)
                picture = card(record, facts["summary"], facts["code"])
                texts = view.html(record, facts), view.markdown(record, facts), picture
            try:
                where.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise unwritable(where, error, "folder") from error
            for path, text in zip(targets, texts, strict=True):
                if text is not None:
                    write_new(path, text, force)
                    written.append(str(path))
        if json:
            emit_json({"written": written})
        else:
            for name in written:
                console().print(name, markup=False)
