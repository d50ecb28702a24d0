"""Reads users' CSV files that have a header; columns may stand in any order."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from .base import InstanceFileError
from .files import read_text, shown


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of columns, in lower case.

    Attributes:
        needed: columns that must be there.
        optional: columns that may be there.
        aliases: another name that a file may use → the column's name.
    """

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """What a header must hold, for messages."""
        others = {column: f" (or {alias})" for alias, column in self.aliases.items()}
        return "a header with the columns " + ", ".join(name + others.get(name, "") for name in self.needed)


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one line by column; `number` is the line, from 1, `written` the columns' names in the file."""

    path: Path
    number: int
    cells: Mapping[str, str]
    written: Mapping[str, str]

    def whole(self, column: str, low: int, high: int, meaning: str) -> int:
        """An integer of a column, from `low` to `high`."""
        text = self.cells[column].strip()
        value = int(text) if re.fullmatch(r"[+-]?[0-9]{1,20}", text) else None
        if value is None or not low <= value <= high:
            got = shown(text) if value is None else str(value)
            self.refuse(column, got, f"{meaning}, an integer from {low:,} to {high:,}")
        return value

    def refuse(self, column: str, got: str, expected: str) -> NoReturn:
        """Ends the reading with the row and the column."""
        refuse(self.path, f"row {self.number} column {self.written[column]}", got, expected)


def read_rows(path: Path, columns: Columns, most: int) -> list[Row]:
    """The rows of a file, at least one and at most `most`; empty lines are left out.

    Raises:
        InstanceFileError: names file, row and column, what was got and what was expected.
    """
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows: list[Row] = []
    written: dict[str, str] = {}
    try:
        for cells in reader:
            place = f"row {reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if not written:
                written = _header(path, place, cells, columns)
                continue
            if len(cells) != len(written):
                refuse(path, place, f"{len(cells)} values", str(len(written)))
            if len(rows) == most:
                refuse(path, place, "one more row", f"at most {most:,}")
            rows.append(Row(path, reader.line_num, dict(zip(written, cells, strict=True)), written))
    except csv.Error as error:
        refuse(path, f"row {reader.line_num}", f"no CSV ({error})", "comma-separated values")
    if not rows:
        refuse(path, "file", "no row", f"{columns}, and at least one row")
    return rows


def refuse(path: Path, place: str, got: str, expected: str) -> NoReturn:
    """Ends the reading with the place, what was got and what was expected."""
    raise InstanceFileError(f"{path} {place}: got {got}, expected {expected}")


def _header(path: Path, place: str, cells: Sequence[str], columns: Columns) -> dict[str, str]:
    """Column → its name in the file, in the file's order; none may be missing, double or unknown."""
    written: dict[str, str] = {}
    for number, cell in enumerate(cells, 1):
        text = cell.strip()
        name = columns.aliases.get(text.lower(), text.lower())
        if name not in columns.needed + columns.optional:
            more = f", perhaps {', '.join(columns.optional)}" if columns.optional else ""
            refuse(path, f"{place} column {number}", shown(cell), f"{columns}{more}")
        if name in written:
            refuse(path, f"{place} column {number}", f"the column {shown(cell)} twice", "each column once")
        written[name] = text
    if missing := [name for name in columns.needed if name not in written]:
        refuse(path, place, f"no column {missing[0]}", str(columns))
    return written
