"""The list of runs as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..numbers import percent
from ..words import UNKNOWN, one_line

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_WIDE = 100
"""Columns from which on the table says when a run was started."""
_MODEL_COLUMNS = (12, 40)
"""Characters of the models' names in a narrow table, and in a wide one."""
_LONGEST_NAME = 255
_STYLES = {
    "running": "green",
    "completed": "",
    "stopped": "yellow",
    "interrupted": "yellow",
    "unreadable": "red",
}


def runs_table(rows: Sequence[Mapping[str, Any]], width: int) -> Table:
    """Runs, oldest first; the gap is the best candidate's on validation. Wide tables add the start time.

    Run, iterations, gap and status are whole at any width; without room for all the start time goes
    first, then the problem, which a run's name says too, then the model.
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
        names[0]: [Text(percent(row["best_gap_percent"])) for row in rows],
        "status": [_status(row) for row in rows],
        "started": [Text(one_line(row["started"] or UNKNOWN, 60)[:16].replace("T", " ")) for row in rows],
    }
    if not wide:
        del columns["started"]
    for header in ("started", "problem", "model"):
        if sum(2 + max(map(cell_len, [h, *map(str, cells)])) for h, cells in columns.items()) - 2 > width:
            columns.pop(header, None)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for header in columns:  # a name too long for any table goes on in the next line: it is there to be copied
        justify: Literal["right", "left"] = "right" if header in names else "left"
        table.add_column(header, justify=justify, no_wrap=header != "run", overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*cells)
    return table


def _status(row: Mapping[str, Any]) -> Text:
    from rich.text import Text

    marks = (" foreign" if row["foreign"] else "") + (" UNSAFE" if row["unsafe_without"] else "")
    return Text(row["status"] + marks, style=_STYLES[row["status"]])
