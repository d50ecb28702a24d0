"""Verbs that follow how a campaign went: `diff`, `lineage`, `export`, `watch`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import USAGE, UserError
from .common import Json, Runs, console, emit_json, errors, opened, printing
from .inspect import Force, Run, best_of, new_file, single

Candidate = Annotated[str, typer.Argument(help="Id, unambiguous prefix, best or start.")]


def register(app: typer.Typer) -> None:
    """Adds the verbs to the command line."""
    for verb in (diff, lineage, export, watch):
        app.command(verb.__name__)(verb)


def diff(
    run: Run, a: Candidate = "start", b: Candidate = "best", runs: Runs = None, json: Json = False
) -> None:
    """Compare the text of two candidates, by default the start program and the best."""
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder
        from ..views.history import loss, print_diff, unified

        with opened(single(run, find_runs(run, runs_folder(runs)))) as record:
            first, second = record.resolve(a), record.resolve(b)
            if json:
                losses = [loss(record, first), loss(record, second)]
                names = {"run": record.name, "a": first, "b": second}
                emit_json({**names, "diff": unified(record, first, second), "training_loss_percent": losses})
            else:
                print_diff(console(), record, first, second)


def lineage(run: Run, candidate: Candidate = "best", runs: Runs = None, json: Json = False) -> None:
    """Show a candidate's ancestry with loss and operator at each step."""
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder
        from ..views.history import ancestry, print_ancestry

        with opened(best_of(find_runs(run, runs_folder(runs)))) as record:
            id = record.resolve(candidate)
            steps = ancestry(record, id)
            if json:
                emit_json({"run": record.name, "candidate": id, "steps": steps})
            else:
                print_ancestry(console(), steps)


def export(
    run: Run,
    what: Annotated[
        str, typer.Option("--what", help="candidates, scores, completions, events or cassette.")
    ] = "candidates",
    form: Annotated[str, typer.Option("--format", help="jsonl or csv.")] = "jsonl",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a file [default: print].")
    ] = None,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Hand candidates, scores, completions or events to other programs, as JSON lines or CSV.

    A cassette holds what models were asked and said, without key, address or path: FILE.jsonl answers another
    campaign of the same configuration with --model replay/FILE.jsonl.
    """
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder
        from ..views.history import CASSETTE, EXPORTS, rows, write_rows

        if what not in (*EXPORTS, CASSETTE):
            known = ", ".join((*EXPORTS, CASSETTE))
            raise UserError(USAGE, f"--what {what}: not known, expected one of {known}")
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
                    write_rows(rows(record, what), form, sys.stdout)


def watch(run: Run, runs: Runs = None, json: Json = False) -> None:
    """Follow a campaign of another process, or look at a finished one; it is left alone."""
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder
        from ..views.watching import snapshot
        from ..views.watching import watch as follow

        folder = single(run, find_runs(run, runs_folder(runs)))
        if json:
            with opened(folder) as record:
                emit_json(snapshot(record))
            return
        try:
            follow(folder, console())
        except KeyboardInterrupt:
            return
