"""`export`: a record as JSON lines or CSV."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import USAGE, UserError
from .common import Force, Json, Run, Runs
from .files import new_file
from .records import opened, single
from .terminal import console, emit_json, errors, printing

WHAT = "candidates, iterations, scores, elites, completions, events or cassette."


def export(
    run: Run,
    what: Annotated[str, typer.Option("--what", help=WHAT)] = "candidates",
    form: Annotated[str, typer.Option("--format", help="jsonl or csv.")] = "jsonl",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a file [default: print].")
    ] = None,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Hand candidates, iterations, scores, elites or calls to other programs, as JSON lines or CSV.

    A cassette holds what models were asked and said, without key, address or path: FILE.jsonl answers another
    campaign of the same configuration with --model replay/FILE.jsonl.
    """
    with errors(json):
        from ...evolve.store.exports import EXPORTS
        from ..record.export import CASSETTE, ELITES, rows, write_rows
        from ..record.record import find_runs
        from ..record.runs import runs_folder

        choices = (*EXPORTS, ELITES, CASSETTE)
        if what not in choices:
            raise UserError(USAGE, f"--what {what}: unknown, expected one of {', '.join(choices)}")
        if what == CASSETTE and form != "jsonl":
            raise UserError(USAGE, f"--format {form}: a cassette is jsonl")
        if form not in ("jsonl", "csv"):
            raise UserError(USAGE, f"--format {form}: not known, expected jsonl or csv")
        with opened(single(run, find_runs(run, runs_folder(runs)))) as record:
            if output is not None:
                with new_file(output, force) as stream:
                    number = write_rows(rows(record, what), form, stream)
                if json:
                    emit_json({"run": record.name, "written": str(output), "rows": number})
                else:
                    unit = "lines of a cassette" if what == CASSETTE else what
                    console().print(f"{output}: {number:,} {unit}", markup=False)
            elif json:
                emit_json({"run": record.name, "what": what, "rows": list(rows(record, what))})
            else:
                with printing():
                    number = write_rows(rows(record, what), form, sys.stdout)
                if not number:
                    console(stderr=True).print(f"{record.name}: it holds no {what}", markup=False)
