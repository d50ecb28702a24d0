"""What `run` and `resume` print in the end."""

from __future__ import annotations

from typing import Any

import typer

from ..errors import INTERRUPTED, NO_CANDIDATE
from .common import console, emit_json


def finish(documents: list[dict[str, Any]], group: str | None, json: bool) -> None:
    """Prints the results and ends with the right exit code."""
    from ..summary import group_summary

    if group is not None:
        summary = group_summary(documents)
        if json:
            emit_json({"group": group, "runs": documents, "summary": summary})
        else:
            for document in documents:
                show(document, False)
            show_group(group, summary)
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


def show_group(group: str, summary: dict[str, Any]) -> None:
    """Prints the figures over the runs of a group."""
    from ..views.numbers import interval, percent
    from ..views.tables import new_table

    table = new_table(f"group {group}: best candidate's gap over {summary['runs']} runs, mean of ratios")
    for column in ("split", "mean over runs", "95 % interval over runs", "smallest", "largest"):
        table.add_column(column, justify="left" if column == "split" else "right")
    for split in ("train", "valid", "test"):
        row = summary[split]
        low, high = row["mean_gap_percent_range"] or (None, None)
        bounds = interval(row["mean_gap_ci95_percent"])
        table.add_row(split, percent(row["mean_gap_percent"]), bounds, percent(low), percent(high))
    console().print(table)
