"""Prints how much each statement of a candidate contributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..numbers import milliseconds, percent, signed
from ..words import clean, count, one_line
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console

_EFFECT = 0.005
"""A smaller change of the loss counts as none, percent points."""


def print_explanation(console: Console, found: Mapping[str, Any]) -> None:
    """Prints an explanation of a candidate."""
    from rich.text import Text

    strata = [
        r for r in found["strata"] if r["gap_percent"] is not None and r["start_gap_percent"] is not None
    ]
    better = [r for r in strata if r["gap_percent"] < r["start_gap_percent"]]
    worse = [r for r in strata if r["gap_percent"] > r["start_gap_percent"]]
    equal = len(strata) - len(better) - len(worse)
    console.print(
        f"candidate {found['candidate']} against its start program, validation split: "
        f"better on {len(better)} strata, equal on {equal}, worse on {len(worse)}; "
        f"CPU {milliseconds(found['cpu_seconds_median'])} ms per execution "
        f"(start program {milliseconds(found['start_cpu_seconds_median'])} ms)",
        markup=False,
        soft_wrap=False,
    )
    for title, rows in (("most improved", better[:3]), ("most worsened", worse[::-1][:3])):
        for row in rows:
            gaps = f"{percent(row['start_gap_percent'])} → {percent(row['gap_percent'])}"
            console.print(f"  {title}: {clean(row['stratum'])}  {gaps}", markup=False)
    table = new_table(f"loss when a statement is left out (with all: {percent(found['loss_percent'])})")
    table.add_column("lines", justify="right", no_wrap=True)
    table.add_column("statement", overflow="ellipsis", no_wrap=True)
    table.add_column("without it", justify="right", no_wrap=True)
    known = [row for row in found["statements"] if row["change_percent"] is not None]
    telling = [row for row in known if abs(row["change_percent"]) >= _EFFECT]
    for row in sorted(telling, key=lambda row: -row["change_percent"]):
        lines = f"{row['line']}" if row["line"] == row["end_line"] else f"{row['line']}–{row['end_line']}"
        change = f"{signed(row['change_percent'])} points"
        text = Text(one_line(row["text"], max(20, console.width - 34)))
        table.add_row(lines, text, change, style="green" if row["change_percent"] > 0 else "red")
    console.print(table, soft_wrap=False)
    for words, rows in (
        ("cannot run without", [row for row in found["statements"] if row["change_percent"] is None]),
        ("does the same without", [row for row in known if abs(row["change_percent"]) < _EFFECT]),
    ):
        if rows:
            lines = ", ".join(str(row["line"]) for row in rows)
            console.print(f"{words} the {count(len(rows), 'statement')} at {lines}", markup=False)
    console.print("line numbers: those of `show RUN CANDIDATE`; + is worse without the statement; effects of")
    console.print("nested statements include each other")
    console.print("loss: mean over validation instances, percent of max(|reference|, scale)")
