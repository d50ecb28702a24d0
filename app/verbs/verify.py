"""Verb that proves a run's record by running it once more: `verify`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from ..errors import CHECK_FAILED
from .common import Json, Runs, Workers, console, emit_json, errors
from .inspect import Run

_MOST_SHOWN = 10


def register(app: typer.Typer) -> None:
    """Adds the verb to the command line."""
    app.command("verify")(verify)


def verify(
    run: Run,
    every: Annotated[bool, typer.Option("--all", help="All elites, not the best candidate alone.")] = False,
    references: Annotated[
        int, typer.Option("--references", min=0, help="References to prove again (count).")
    ] = 10,
    workers: Workers = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Run the best candidate again from the stored source and compare every answer, objective and gap."""
    with errors(json):
        from ..runs import runs_folder
        from ..verify import verify as check
        from ..views.record import find_runs, open_record

        documents = []
        for folder in find_runs(run, runs_folder(runs)):
            with open_record(folder) as record:
                documents.append(check(record, every=every, sample=references, workers=workers))
            if not json:
                _print(documents[-1])
        if json:
            emit_json(documents[0] if len(documents) == 1 else documents)
        if any(document["differences"] for document in documents):
            raise typer.Exit(CHECK_FAILED)


def _print(document: Mapping[str, Any]) -> None:
    from ..views.words import clean, count

    out = console()
    counts = document["compared"]
    parts = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    programs = count(len(document["programs"]), "program")
    verdict = "holds" if not document["differences"] else "DOES NOT HOLD"
    out.print(
        f"{document['run']}: the record {verdict}: {document['agree']:,} of {document['checked']:,} "
        f"comparisons agree ({programs}: {parts})",
        markup=False,
        style="green" if not document["differences"] else "red",
    )
    for title, rows in (("differs", document["differences"]), ("changed since", document["changed"])):
        for row in rows[:_MOST_SHOWN]:
            line = f"  {title}: {row['what']}: recorded {row['recorded']}, now {row['now']}"
            out.print(clean(line), markup=False)
        if len(rows) > _MOST_SHOWN:
            out.print(f"  … and {len(rows) - _MOST_SHOWN} more; --json lists all", markup=False)
