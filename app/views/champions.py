"""Prints the champions of the time classes, with what a proof costs among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...evolve.timing import edge, time_class
from ..numbers import figure, gap_cell, time_words
from ..record.headline import best_baseline_name
from ..record.reported import REPORTED
from ..words import UNKNOWN
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console


COLUMNS = ("time", "program", "validation", "test", "takes")


def print_champions(console: Console, summary: Mapping[str, Any]) -> None:
    """Prints one row for each champion, fastest first, among them the solver and the exact method."""
    rows = champion_rows(summary)
    if not rows:
        return
    table = new_table("best at its time: mean CPU of an instance, gap in percent")
    for title in COLUMNS:
        if title == "program":
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table, soft_wrap=False)
    for line in champion_notes(summary):
        console.print(line, markup=False)


def champion_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The cells of the table, fastest row first: champions, the stopped solver, and the proof.

    A bound that knows the future is no rival of a rule that does not, so it has no row.

    There are none where no program is valid everywhere on validation. Nor are there any of reported scores,
    because an evaluator's time is not a program's.
    """
    if summary.get("trust") == REPORTED or not summary["champions"]:
        return []
    rows = [
        *(
            (row["time_seconds"], _row(row, row["baseline"] or row["candidate"][:8]))
            for row in summary["champions"]
        ),
        *((row["time_seconds"], _row(row, row["solver"])) for row in summary["solver"]),
    ]
    if (proof := summary["proof"]) is not None and not summary["knows_future"]:
        rows.append((proof["seconds_median"], _proof_row(proof)))
    return [cells for _, cells in sorted(rows, key=lambda row: row[0])]


def champion_notes(summary: Mapping[str, Any]) -> list[str]:
    """How the table is to be read, in words."""
    floor = (summary["timing"] or {}).get("floor_seconds")
    above = "" if not floor else f" above the sandbox's {time_words(floor)}"
    lines = [
        f"time: mean CPU of an execution{above}",
        "a slower program is named only where it is better beyond noise on validation",
    ]
    lines += _without_row(summary, floor or 0.0)
    if (limit := summary["time_budget_seconds"]) is not None:
        lines.append(f"time budget: no champion takes more than {time_words(limit)}")
    if summary["steered_by_time"]:
        lines.append("time steers this search: `replay` holds, another machine takes another course")
    if summary["solver"]:
        lines.append(
            "solver: stopped after so many deterministic seconds, one thread, start and model not counted"
        )
    proof = summary["proof"]
    if summary["knows_future"]:
        lines += _bound_lines(summary, proof)
    elif proof is not None:
        lines.append(
            f"proof: {proof['proven']} of {proof['instances']} validation instances, 90 % of them within "
            f"{time_words(proof['seconds_p90'])} of wall time"
        )
    return lines


def _bound_lines(summary: Mapping[str, Any], proof: Mapping[str, Any] | None) -> list[str]:
    """What stands in place of a proof where no program can have the reference, and what is attainable."""
    lines = ["bound that knows the future: no online rule has to attain it"]
    if proof is not None:
        takes = time_words(proof["seconds_median"])
        lines.append(f"the bound takes {takes} of wall time: {', '.join(proof['methods'])}")
    if (name := best_baseline_name({**summary, "time_budget_seconds": None})) is not None:
        figures = summary["baselines"][name]
        split = "test" if figures["test"] else "valid"
        word = "test" if split == "test" else "validation"
        lines.append(f"attainable: baseline {name} has {gap_cell(figures[split])} on {word}")
    return lines


def _without_row(summary: Mapping[str, Any], floor: float) -> list[str]:
    """What the campaign's best takes (CPU seconds above `floor`), if the best is valid and has no row."""
    best, rows = summary["best"], summary["champions"]
    if best is None or not rows or any(row["candidate"] == best["candidate"] for row in rows):
        return []
    valid = best["splits"]["valid"]
    if valid is None or valid["fitness"] is None or valid["failed"]:
        return []
    takes = time_words(max(0.0, valid["cpu_seconds_mean"] - floor))
    return [f"best {best['candidate'][:8]} takes {takes}; a program above is no worse within noise"]


def _row(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    last, splits = edge(time_class(row["time_seconds"])), row["splits"]
    return (
        UNKNOWN if last is None else f"≤ {time_words(last)}",
        name,
        gap_cell(splits["valid"]),
        gap_cell(splits["test"]) if splits["test"] else UNKNOWN,
        time_words(row["time_seconds"]),
    )


def _proof_row(proof: Mapping[str, Any]) -> tuple[str, ...]:
    takes = time_words(proof["seconds_median"])
    return ("proof", ", ".join(proof["methods"]), figure(0.0), figure(0.0), takes)
