"""`compare`: campaigns side by side."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from ..errors import USAGE, UserError
from .options import Force, Json, Runs
from .run_arguments import folders_of, opened
from .terminal import console, emit_json, errors, write_new


def compare(
    run: Annotated[list[str], typer.Argument(metavar="RUN", help="Two or more runs or groups of runs.")],
    by: Annotated[
        str, typer.Option("--by", help="What is equal: evaluations, executions, cpu, usd.")
    ] = "evaluations",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Curves as .svg, .png or .pdf.")
    ] = None,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Put campaigns side by side at an equal budget; the first named is compared with each other one."""
    with errors(json):
        from ..analysis.compare import compare as compared
        from ..runs.curves import BUDGETS
        from ..views.compare import print_comparison
        from ..views.plots.canvas import FORMATS, render
        from ..views.plots.search import curves

        if by not in BUDGETS:
            raise UserError(USAGE, f"--by {by}: not known, expected one of {', '.join(BUDGETS)}")
        form = "svg" if output is None else output.suffix.lower().removeprefix(".")
        if form not in FORMATS:
            raise UserError(USAGE, f"{output}: got format {form or 'none'!r}, expected .svg, .png or .pdf")
        groups = [folders_of(text, runs) for text in run]
        with ExitStack() as stack:
            records = [[stack.enter_context(opened(folder)) for folder in arm] for arm in groups]
            names = [arm[0].name if len(arm) == 1 else text for text, arm in zip(run, records, strict=True)]
            document = compared(names, records, by)
        if output is not None:
            write_new(output, render(curves(document), form, "compare"), force)
        if json:
            emit_json(document)
            return
        print_comparison(console(), document)
        if output is not None:
            console().print(f"{output}: best validation gap so far over {document['unit']}", markup=False)
