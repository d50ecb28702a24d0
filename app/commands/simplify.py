"""`simplify`: reduce a heuristic without loss."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, Run, Runs, TrustRun, WithoutAgain, Workers, trust_of
from .run_arguments import best_of, check_ended, folders_of, opened, warn_of_reaching
from .terminal import check_new, console, emit_json, errors, write_new

if TYPE_CHECKING:
    from ..runs.record import RunRecord


def simplify(
    run: Run,
    candidate: Annotated[
        str, typer.Argument(metavar="CANDIDATE", help="Id, unambiguous prefix, best or start.")
    ] = "best",
    evaluations: Annotated[int, typer.Option("--evaluations", min=1, help="Variants to try (count).")] = 300,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Also write the program there.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a file that exists, or a smaller form kept earlier.")
    ] = False,
    workers: Workers = None,
    trust_run: TrustRun = False,
    unsafe_without: WithoutAgain = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Reduce a heuristic as long as its validation gap does not get worse beyond noise."""
    with errors(json):
        from ..analysis.simplify import keep, simplified
        from ..runs.record import open_record
        from ..runs.standalone import simplified_text
        from ..setup.reruns import setup_of_record

        folder = best_of(folders_of(run, runs))
        check_ended(folder)
        if output is not None:
            check_new(output, force)
        with console(stderr=True).status("") as status, opened(folder) as record:
            document = simplified(
                record,
                setup_of_record(record, trust_of(trust_run, unsafe_without), workers=workers),
                record.resolve(candidate),
                evaluations,
                lambda number: status.update(f"variant {number} of at most {evaluations}"),
            )
        with open_record(folder) as record:
            path = keep(record, document, force)
            warn_of_reaching(record, document["candidate"])
            if path is None:
                _stays(record, document)
            if output is not None:
                write_new(output, simplified_text(record, document, str(output)), force)
        if json:
            emit_json({**document, "written": str(output or path) if output or path else None})
        else:
            _print(document, output or path)


def _stays(record: RunRecord, document: Mapping[str, Any]) -> None:
    """Says on standard error that the run holds a smaller form than the one just made."""
    from ..runs.record import stored_simplification

    before = stored_simplification(record, document["candidate"]) or document
    after = document
    sizes = [
        f"{form['statements_after']} statements, {form['nodes_after']} nodes" for form in (before, after)
    ]
    console(stderr=True).print(
        f"{record.name}: the form kept earlier is smaller ({sizes[0]}; this one: {sizes[1]}) and stays; "
        "--force replaces it",
        markup=False,
    )


def _print(document: Mapping[str, Any], path: Path | None) -> None:
    from ..views.candidate import print_code, print_simplified

    out = console()
    print_simplified(out, document)
    for text in document["files"].values():
        print_code(out, text)
    if path is not None:
        out.print(f"\n{path}: the simplified form as a program that runs alone", markup=False)
