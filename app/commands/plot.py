"""`plot`: a picture for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import NO_CANDIDATE, USAGE, UserError
from .options import Force, Json, Run, Runs
from .run_arguments import best_of, folders_of, opened
from .terminal import console, emit_json, errors, write_new


def plot(
    run: Run,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What to draw: progress, strata, archive, …")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="A .svg, .png or .pdf file to write; required."),
    ] = None,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Write a picture for a paper; an unknown KIND lists them all."""
    with errors(json):
        from ..views.plots.canvas import FORMATS, render
        from ..views.plots.kinds import KINDS

        if kind not in KINDS:
            raise UserError(USAGE, f"plot {kind!r}: not known, expected one of {', '.join(KINDS)}")
        if output is None:
            raise UserError(USAGE, f"plot {kind}: no file to write", "name one with -o FILE.svg")
        form = output.suffix.lower().removeprefix(".")
        if form not in FORMATS:
            raise UserError(USAGE, f"{output}: got format {form or 'none'!r}, expected .svg, .png or .pdf")
        with opened(best_of(folders_of(run, runs))) as record:
            picture = KINDS[kind]
            figure = picture.draw(record)
            if figure is None:
                raise UserError(NO_CANDIDATE, f"{record.name}: nothing to draw for {kind}", picture.missing)
            caption = picture.caption_of(record)
            write_new(output, render(figure, form, kind), force)
            numbers = picture.numbers(record) if json and picture.numbers is not None else {}
        if json:
            emit_json({"written": str(output), "caption": caption, **numbers})
        else:
            console().print(f"{output}: {caption}", markup=False)
