"""`export`: a record as JSON lines or CSV."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import USAGE, UserError
from .options import Force, Json, Run, Runs
from .run_arguments import folders_of, opened, single
from .terminal import console, emit_json, errors, new_file, printing

WHAT = "candidates, iterations, scores, elites, completions, events or cassette."


def export(
    run: Run,
    what: Annotated[str, typer.Option("--what", help=WHAT)] = "candidates",
    form: Annotated[str, typer.Option("--format", help="jsonl or csv.")] = "jsonl",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a file [default: print].")
    ] = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow", help="Outcomes, evaluations and events as JSON lines while the campaign runs."
        ),
    ] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="TRACKER", help="tensorboard: scalars into the folder of -o."),
    ] = None,
    bundle: Annotated[
        bool,
        typer.Option(
            "--bundle", help="Champion, instances, references and record as a .zip for others; no prompts."
        ),
    ] = False,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Hand candidates, iterations, scores, elites or calls to other programs, as JSON lines or CSV.

    A cassette holds what models were asked and said, without key, address or path: FILE.jsonl answers another
    campaign of the same configuration with --model replay/FILE.jsonl.
    """
    with errors(json):
        from ...evolve.store.tally import EXPORTS
        from ..runs.export import CASSETTE, ELITES, rows, write_rows

        plain = what == "candidates" and form == "jsonl"
        if bundle and (follow or to is not None or not plain):
            raise UserError(USAGE, "--bundle: got --follow, --to, --what or --format too", "leave them out")
        if bundle:
            _pack(single(run, folders_of(run, runs)), output, force, json)
            return
        if follow or to is not None:
            if not plain or (json and to is None):
                raise UserError(
                    USAGE, "--follow and --to: got --what, --format or --json too", "leave them out"
                )
            _stream(single(run, folders_of(run, runs)), to, output, follow, json)
            return
        _check(what, form, (*EXPORTS, ELITES, CASSETTE), CASSETTE)
        with opened(single(run, folders_of(run, runs))) as record:
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


def _check(what: str, form: str, choices: tuple[str, ...], cassette: str) -> None:
    """Refuses what is no export, or has no such form."""
    if what not in choices:
        raise UserError(USAGE, f"--what {what}: unknown, expected one of {', '.join(choices)}")
    if what == cassette and form != "jsonl":
        raise UserError(USAGE, f"--format {form}: a cassette is jsonl")
    if form not in ("jsonl", "csv"):
        raise UserError(USAGE, f"--format {form}: not known, expected jsonl or csv")


def _pack(folder: Path, output: Path | None, force: bool, json: bool) -> None:
    """Writes a run as a .zip that `verify` takes on another machine."""
    from ..runs.export import write_bundle

    target = output or Path(f"{folder.resolve().name}.zip")
    if target.suffix != ".zip":
        raise UserError(USAGE, f"{target}: expected a name that ends in .zip")
    with opened(folder) as record, new_file(target, force) as stream:
        write_bundle(record, stream.buffer)
        name = record.name
        secret = (record.config.get("evaluation") or {}).get("secret") is not None
    if secret:
        said = f"{target}: holds the secret that the run's hidden instances were drawn with; a check needs it"
        console(stderr=True).print(said, markup=False, soft_wrap=True)
    if json:
        emit_json({"run": name, "written": str(target)})
    else:
        command = shlex.join(["gapsmith", "verify", str(target)])
        console().print(f"{target}: check it anywhere with `{command}`", markup=False, soft_wrap=True)


def _stream(folder: Path, to: str | None, output: Path | None, wait: bool, json: bool) -> None:
    """Streams outcomes, evaluations and events to standard output, or scalars into a tracker's folder."""
    from ..runs.export import UNVERIFIED, first_fitness, follow, open_sink, write_row, write_scalars
    from ..runs.figures import REPORTED, trust

    if to not in (None, "tensorboard"):
        raise UserError(USAGE, f"--to {to}: unknown, expected tensorboard")
    if (to is None) != (output is None):
        hint = "name a folder with -o" if to else "--follow prints; redirect it to write a file"
        raise UserError(USAGE, f"{'--to ' + to if to else '--follow'}: -o and --to belong together", hint)
    rows = follow(folder, wait=wait)
    try:
        if output is not None:
            if output.exists():
                raise UserError(USAGE, f"{output}: exists already", "name a new folder")
            with opened(folder) as record:
                first = first_fitness(record.reader)
                suffix = UNVERIFIED if trust(record.reader) == REPORTED else ""
            number = write_scalars(rows, open_sink(output), first, suffix)
            if json:
                emit_json({"run": folder.name, "written": str(output), "rows": number})
            else:
                console().print(f"{output}: {number:,} outcomes", markup=False)
            return
        with printing():
            for row in rows:
                write_row(row, sys.stdout)
                sys.stdout.flush()
    except KeyboardInterrupt:
        return
