"""The list of runs as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..numbers import percent
from ..record.reported import REPORTED
from ..words import UNKNOWN, one_line

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_WIDE = 100
"""From this many columns on, the table shows when each run started."""
_MODEL_COLUMNS = (12, 40)
"""Largest length of the models' names in a narrow and in a wide table, characters."""
_LONGEST_NAME = 255
_STYLES = {
    "running": "green",
    "open": "cyan",
    "completed": "",
    "stopped": "yellow",
    "interrupted": "yellow",
    "unreadable": "red",
}


def runs_table(rows: Sequence[Mapping[str, Any]], width: int) -> tuple[Table, list[str]]:
    """A table of runs, oldest first, with the best candidate's gap on validation; and the columns left out.

    Run, iterations, gap and status are never cut. A narrow table drops the start time first, then the
    problem (a run's name contains it), then the model.
    """
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    wide = width >= _WIDE
    names = "best gap (valid)" if wide else "best gap", "iterations" if wide else "iter."
    most = _MODEL_COLUMNS[wide]
    columns = {
        "run": [Text(one_line(row["run"], _LONGEST_NAME)) for row in rows],
        "problem": [Text(one_line(row["problem"] or UNKNOWN, _LONGEST_NAME)) for row in rows],
        "model": [Text(one_line(row["model"] or UNKNOWN, most)) for row in rows],
        names[1]: [Text(UNKNOWN if (n := row["iterations"]) is None else f"{n:,}") for row in rows],
        names[0]: [Text(_best(row)) for row in rows],
        "status": [_status(row) for row in rows],
        "started": [Text(one_line(row["started"] or UNKNOWN, 60)[:16].replace("T", " ")) for row in rows],
    }
    every = list(columns)
    if not wide:
        del columns["started"]
    for header in ("started", "problem", "model"):
        if sum(2 + max(map(cell_len, [h, *map(str, cells)])) for h, cells in columns.items()) - 2 > width:
            columns.pop(header, None)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for header in columns:  # a run's name wraps rather than being cut, since users copy it
        justify: Literal["right", "left"] = "right" if header in names else "left"
        table.add_column(header, justify=justify, no_wrap=header != "run", overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*cells)
    return table, [header for header in every if header not in columns]


def _best(row: Mapping[str, Any]) -> str:
    """A run's best gap, or its best score where that is only reported."""
    if row.get("trust") != REPORTED:
        return percent(row["best_gap_percent"])
    score = row["best_reported_score"]
    return UNKNOWN if score is None else f"score {score:.5g}, unverified"


def _status(row: Mapping[str, Any]) -> Text:
    from rich.text import Text

    marks = (" foreign" if row["foreign"] else "") + (" UNSAFE" if row["unsafe_without"] else "")
    return Text(row["status"] + marks, style=_STYLES[row["status"]])
