"""Prints the champions of the time classes, with what a proof costs among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..numbers import figure, gap_cell, time_words
from ..record.reported import REPORTED
from ..words import UNKNOWN
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console


def print_champions(console: Console, summary: Mapping[str, Any]) -> None:
    """Prints one row for each champion, fastest first, and the proof by the exact method at its own time."""
    if summary.get("trust") == REPORTED:  # the time of an evaluator is not that of a program
        return
    rows = [_row(row) for row in summary["champions"]]
    if not rows:
        return
    if (proof := summary["proof"]) is not None:
        place = sum(row["time_seconds"] <= proof["seconds_median"] for row in summary["champions"])
        rows.insert(place, _proof_row(proof))
    table = new_table("best at its time: mean CPU of an instance, gap in percent")
    table.add_column("time", justify="right", no_wrap=True)
    table.add_column("program", overflow="fold")
    for column in ("validation", "test"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("takes", justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table, soft_wrap=False)
    for line in champion_notes(summary):
        console.print(line, markup=False)


def champion_notes(summary: Mapping[str, Any]) -> list[str]:
    """How the table is to be read, in words."""
    floor = (summary["timing"] or {}).get("floor_seconds")
    above = "" if not floor else f" above the sandbox's {time_words(floor)}"
    lines = [
        f"time: mean CPU of an execution{above}",
        "a slower program is named only where it is better beyond noise on validation",
    ]
    if (limit := summary["time_budget_seconds"]) is not None:
        lines.append(f"time budget: no champion takes more than {time_words(limit)}")
    if summary["steered_by_time"]:
        lines.append("time steers this search: `replay` holds, another machine takes another course")
    if (proof := summary["proof"]) is not None:
        lines.append(
            f"proof: {proof['proven']} of {proof['instances']} validation instances, 90 % of them within "
            f"{time_words(proof['seconds_p90'])} of wall time"
        )
    return lines


def _row(row: Mapping[str, Any]) -> tuple[str, ...]:
    edge, splits = row["time_class_seconds"], row["splits"]
    name = row["baseline"] or row["candidate"][:8]
    return (
        UNKNOWN if edge is None else f"≤ {time_words(edge)}",
        name,
        gap_cell(splits["valid"]),
        gap_cell(splits["test"]) if splits["test"] else UNKNOWN,
        time_words(row["time_seconds"]),
    )


def _proof_row(proof: Mapping[str, Any]) -> tuple[str, ...]:
    takes = time_words(proof["seconds_median"])
    return ("proof", ", ".join(proof["methods"]), figure(0.0), figure(0.0), takes)
