"""What reading instance files gave, as a table and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from ..words import count
from .plain import PlainTable


def print_readings(out: Console, rows: Sequence[Mapping[str, Any]], refused: int) -> None:
    """Files with the number of their instances, then each refusal in a sentence."""
    table = PlainTable("")
    table.add_column("file", overflow="fold")
    table.add_column("instances", justify="right")
    for row in rows:
        if row["fault"] is None:
            table.add_row(row["file"], str(row["instances"]))
    if refused < len(rows):
        out.print(table)
    for row in rows:
        if row["fault"] is not None:
            out.print(f"refused: {row['fault']}", markup=False, style="red")
    instances = count(sum(row["instances"] for row in rows), "instance")
    out.print(f"{count(len(rows), 'file')}: {instances} read, {count(refused, 'file')} refused", markup=False)
