"""`best`: the best heuristic, as a program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Force, Json, Run, Runs, duration
from .run_arguments import best_of, folders_of, opened, warn_of_reaching
from .terminal import console, emit_json, errors, write_new


def best(
    run: Run,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a program that runs alone.")
    ] = None,
    force: Force = False,
    within: Annotated[
        float | None,
        typer.Option(
            "--within",
            parser=duration,
            metavar="TIME",
            help="Best on validation of those that take at most this CPU time on an instance, as 10ms.",
        ),
    ] = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Print the best heuristic's source, or write it as a program that runs alone."""
    with errors(json):
        from ..runs.champions import best_within
        from ..views.candidate import best_document, print_code

        with opened(best_of(folders_of(run, runs))) as record:
            id = record.resolve("best") if within is None else best_within(record.reader, within).program
            if output is not None:
                from ..runs.standalone import evaluate_command, program_text

                write_new(output, program_text(record, id, str(output)), force)
                warn_of_reaching(record, id)
            if json:
                emit_json({**best_document(record, id), "written": None if output is None else str(output)})
            elif output is not None:
                out = console()
                out.print(f"{output}: candidate {id} of {record.name}", markup=False)
                out.print(
                    f"  check it again: {evaluate_command(record, str(output))}", markup=False, soft_wrap=True
                )
            else:
                for text in record.candidate(id).files.values():
                    print_code(console(), text)
