"""The list of runs: one row each, read without loading instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.store.reader import Reader
from ...evolve.store.schema import StoreError
from ...problems.base import decode_number
from ..runs import status
from ..summary import best_candidate
from .numbers import percent
from .words import UNKNOWN, clean

if TYPE_CHECKING:
    from rich.table import Table

_STYLES = {
    "running": "green",
    "completed": "",
    "stopped": "yellow",
    "interrupted": "yellow",
    "unreadable": "red",
}


def run_row(folder: Path) -> dict[str, Any]:
    """One run under the field names of the JSON contract; `status` is `unreadable` with a `note` if it is."""
    try:
        reader = Reader.open(folder)
        try:
            return _row(folder, reader)
        finally:
            reader.close()
    except StoreError as error:
        empty = dict.fromkeys(("problem", "model", "iterations", "best_gap_percent", "started"))
        unknown = {"status": "unreadable", "unsafe_without": [], "note": str(error)}
        return {"run": folder.name, **empty, **unknown}


def _row(folder: Path, reader: Reader) -> dict[str, Any]:
    models = reader.record("model") or []
    return {
        "run": folder.name,
        "problem": (reader.record("problem") or {}).get("name"),
        "model": models if isinstance(models, str) else ", ".join(models) or None,
        "status": status(folder, reader.record("stop_reason")),
        "unsafe_without": list(reader.record("unsafe_without") or ()),
        "iterations": reader.value("SELECT count(*) FROM iterations WHERE told IS NOT NULL"),
        "best_gap_percent": mean_gap(reader, best_candidate(reader), "valid"),
        "started": reader.record("created"),
        "group": reader.record("group"),
    }


def mean_gap(reader: Reader, program: str | None, split: str) -> float | None:
    """Mean of ratios over non-zero references (percent) of a complete evaluation, straight from its rows.

    Raises:
        StoreError: executions of it are missing, or a gap is no number.
    """
    rows = reader.rows(
        "SELECT gap, executions FROM evaluations JOIN executions ON id = evaluation "
        "WHERE program = ? AND split = ? AND evaluations.status = 'complete'",
        (program, split),
    )
    if rows and len(rows) != rows[0]["executions"]:
        raise StoreError(f"{program} on {split}: the record is damaged: executions are missing")
    try:
        gaps = [float(decode_number(row["gap"])) for row in rows if row["gap"] is not None]
    except ValueError as error:
        raise StoreError(f"{program} on {split}: the record is damaged: {error}") from error
    return sum(gaps) / len(gaps) * 100 if gaps else None


def runs_table(rows: Sequence[Mapping[str, Any]], width: int) -> Table:
    """Runs, oldest first; the gap is the best candidate's on validation. Wide tables add the start time."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("run", no_wrap=True)  # whole at any width: it is there to be copied
    table.add_column("problem", overflow="ellipsis", no_wrap=True)
    table.add_column("model", overflow="ellipsis", no_wrap=True, max_width=12 if width < 100 else 40)
    table.add_column("iterations" if width >= 100 else "iter.", justify="right")
    table.add_column("best gap (valid)" if width >= 100 else "best gap", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    if width >= 100:
        table.add_column("started", no_wrap=True)
    for row in rows:
        iterations = UNKNOWN if row["iterations"] is None else f"{row['iterations']:,}"
        cells = [
            clean(row["run"]),
            clean(row["problem"] or UNKNOWN),
            clean(row["model"] or UNKNOWN),
            iterations,
            percent(row["best_gap_percent"]),
        ]
        texts = [Text(cell) for cell in cells]
        unsafe = " UNSAFE" if row["unsafe_without"] else ""
        texts.append(Text(row["status"] + unsafe, style=_STYLES[row["status"]]))
        if width >= 100:
            texts.append(Text((row["started"] or UNKNOWN)[:16].replace("T", " ")))
        table.add_row(*texts)
    return table
