"""What `run` and `resume` print in the end."""

from __future__ import annotations

from typing import Any

import typer

from ..errors import INTERRUPTED, NO_CANDIDATE
from .common import console, emit_json


def finish(documents: list[dict[str, Any]], group: str | None, json: bool) -> None:
    """Prints the results and ends with the right exit code."""
    from ..summary import group_summary
    from ..views.overview import print_group

    if group is not None:
        summary = group_summary(documents)
        if json:
            emit_json({"group": group, "runs": documents, "summary": summary})
        else:
            for document in documents:
                show(document, False)
            print_group(console(), group, summary)
    else:
        show(documents[0], json)
    if any(document["stop_reason"] == "interrupted" for document in documents):
        raise typer.Exit(INTERRUPTED)
    if all(document["best"] is None for document in documents):
        raise typer.Exit(NO_CANDIDATE)


def show(document: dict[str, Any], json: bool) -> None:
    """Prints one campaign's result."""
    if json:
        emit_json(document)
        return
    from ..views.tables import print_campaign

    out = console()
    print_campaign(out, document)
    run = document["run"]
    for command, meaning in next_commands(run, document["status"]):
        out.print(f"  {command:<44} {meaning}", markup=False)


def next_commands(run: str, status: str) -> list[tuple[str, str]]:
    """The three most useful commands after a run."""
    if status in ("interrupted", "stopped"):
        first = (f"gapsmith resume {run}", "go on")
    else:
        first = (f"gapsmith best {run} -o best.py", "the heuristic as a program")
    return [
        first,
        (f"gapsmith show {run}", "what was found"),
        (f"gapsmith show {run} best", "its code, and gaps by stratum"),
    ]
