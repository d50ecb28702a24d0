"""Verbs that make files to show to others: `report`, `plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import NO_CANDIDATE, USAGE, UserError, unwritable
from .common import Json, Runs, console, emit_json, errors, opened
from .inspect import Force, Run, best_of, write_new


def register(app: typer.Typer) -> None:
    """Adds the verbs to the command line."""
    app.command("report")(report)
    app.command("plot")(plot)


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
    """Write report.html, one self-contained page, and report.md, the same in text."""
    with errors(json):
        from ..record.record import find_runs, open_record
        from ..record.runs import runs_folder
        from ..views import report as view

        written: list[str] = []
        found = find_runs(run, runs_folder(runs))
        for folder in found:
            where = folder if output is None else output / folder.name if len(found) > 1 else output
            targets = [where / name for name in ("report.html", "report.md")]
            if not force and (there := [str(path) for path in targets if path.exists()]):
                raise UserError(
                    USAGE,
                    f"{', '.join(there)}: exists already",
                    "replace with --force, or name another folder",
                )
            with open_record(folder) as record:
                facts = view.context(record)
                texts = view.html(record, facts), view.markdown(record, facts)
            try:
                where.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise unwritable(where, error, "folder") from error
            for path, text in zip(targets, texts, strict=True):
                write_new(path, text, force)
                written.append(str(path))
        if json:
            emit_json({"written": written})
        else:
            for name in written:
                console().print(name, markup=False)


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
        from ..record.record import find_runs
        from ..record.runs import runs_folder
        from ..views.plots.canvas import FORMATS, render
        from ..views.plots.kinds import KINDS

        if kind not in KINDS:
            raise UserError(USAGE, f"plot {kind!r}: not known, expected one of {', '.join(KINDS)}")
        if output is None:
            raise UserError(USAGE, f"plot {kind}: no file to write", "name one with -o FILE.svg")
        form = output.suffix.lower().removeprefix(".")
        if form not in FORMATS:
            raise UserError(USAGE, f"{output}: got format {form or 'none'!r}, expected .svg, .png or .pdf")
        with opened(best_of(find_runs(run, runs_folder(runs)))) as record:
            chosen = KINDS[kind]
            figure = chosen.draw(record)
            if figure is None:
                raise UserError(
                    NO_CANDIDATE, f"{record.name}: nothing to draw for {kind}", "the run holds no such data"
                )
            write_new(output, render(figure, form, kind), force)
            numbers = chosen.numbers(record) if json and chosen.numbers is not None else {}
        if json:
            emit_json({"written": str(output), "caption": chosen.caption, **numbers})
        else:
            console().print(f"{output}: {chosen.caption}", markup=False)
