"""A user's buffers in MiniMalloc's form (CSV), read and written back with their offsets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import Any, NoReturn

from ..base import Instance, InstanceFileError, Json
from ..files import read_name, read_text, shown

FORMAT = """\
CSV, one instance a file, one buffer a row (the form of MiniMalloc's benchmarks): a header with the columns
`id`, `lower` (first step of its life), `upper` (step at which its life ends, > lower) and `size` (any one
unit, > 0), in any order; `start` and `end` may stand for `lower` and `upper`. A column `offset` is not read.
Numbers are integers up to 2⁶²; sizes are divided by their greatest common divisor, which is then the unit of
peaks. `gapsmith evaluate memory-mapping HEURISTIC.py --instances FILE.csv --answers OUT.csv` writes the
buffers back with a column `offset` in the file's unit."""

MOST_BUFFERS = 20_000
_LARGEST = 2**62
_COLUMNS = ("id", "lower", "upper", "size")
_ALIASES = {"start": "lower", "end": "upper"}
_HEADER = "a header with the columns id, lower (or start), upper (or end) and size"


@dataclass(frozen=True, slots=True)
class _Row:
    """Cells of one line by the names of their columns; `number` is the line, `written` the header's names."""

    path: Path
    number: int
    cells: dict[str, str]
    written: dict[str, str]

    def whole(self, column: str, low: int, meaning: str) -> int:
        """An integer of a column, at least `low`."""
        text = self.cells[column].strip()
        value = int(text) if re.fullmatch(r"[+-]?[0-9]{1,20}", text) else None
        if value is None or not low <= value <= _LARGEST:
            got = shown(text) if value is None else str(value)
            self.refuse(column, got, f"{meaning}, an integer from {low} to 2^62")
        return value

    def refuse(self, column: str, got: str, expected: str) -> NoReturn:
        """Ends the reading with the row and the column."""
        _refuse(self.path, f"row {self.number} column {self.written[column]}", got, expected)


def read(path: Path) -> list[Instance]:
    """The instance of a file.

    Raises:
        InstanceFileError: names file, row and column, what was got and what was expected.
    """
    text = read_text(path)
    rows = _rows(path, text)
    ids: dict[str, int] = {}
    buffers = []
    for row in rows:
        name = read_name(row.cells["id"].strip(), f"{path} row {row.number} column id")
        if name in ids:
            row.refuse("id", f"{shown(name)}, as in row {ids[name]}", "each id once")
        ids[name] = row.number
        lower = row.whole("lower", -_LARGEST, "the first step of a life")
        upper = row.whole("upper", -_LARGEST, "the end of a life")
        if upper <= lower:
            row.refuse("upper", str(upper), f"the end of a life, more than its first step {lower}")
        buffers.append([lower, upper, row.whole("size", 1, "a size")])
    unit = gcd(*(size for _, _, size in buffers))
    public = {"buffers": [[lower, upper, size // unit] for lower, upper, size in buffers]}
    hidden = {"ids": list(ids), "unit": unit}
    return [Instance(path.stem, path.name, "file", public, 1, f"file {path.name}, unit {unit}", hidden)]


def write(instance: Instance, answer: Json) -> str:
    """CSV text of the buffers with their offsets, in the unit and with the ids of the instance's file."""
    hidden = instance.hidden or {}
    buffers, offsets = instance.public["buffers"], list[int](answer)  # type: ignore[arg-type]
    ids = hidden.get("ids") or [str(i) for i in range(len(buffers))]
    unit = hidden.get("unit", 1)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS, "offset"])
    for name, (lower, upper, size), offset in zip(ids, buffers, offsets, strict=True):
        writer.writerow([name, lower, upper, size * unit, offset * unit])
    return text.getvalue()


def _rows(path: Path, text: str) -> list[_Row]:
    """The rows of a file under the names of its header."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[_Row] = []
    header: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = _header(path, reader.line_num, cells)
                written = dict(zip(header, (cell.strip() for cell in cells), strict=True))
                continue
            if len(cells) != len(header):
                _refuse(path, f"row {reader.line_num}", f"{len(cells)} values", f"{len(header)}")
            if len(rows) == MOST_BUFFERS:
                _refuse(path, f"row {reader.line_num}", "one more buffer", f"at most {MOST_BUFFERS:,}")
            named: dict[str, Any] = dict(zip(header, cells, strict=True))
            rows.append(_Row(path, reader.line_num, named, written))
    except csv.Error as error:
        _refuse(path, f"row {reader.line_num}", f"no CSV ({error})", "comma-separated values")
    if not rows:
        _refuse(path, "file", "no buffer", f"{_HEADER}, and a row for each buffer")
    return rows


def _header(path: Path, number: int, cells: Sequence[str]) -> list[str]:
    """The columns under their own names; none may be missing, double or unknown."""
    names = [_ALIASES.get(cell.strip().lower(), cell.strip().lower()) for cell in cells]
    for place, name in enumerate(names):
        where = f"row {number} column {place + 1}"
        if name not in (*_COLUMNS, "offset"):
            _refuse(path, where, shown(cells[place]), _HEADER)
        if name in names[:place]:
            _refuse(path, where, f"the column {shown(cells[place])} twice", "each column once")
    if missing := [name for name in _COLUMNS if name not in names]:
        _refuse(path, f"row {number}", f"no column {missing[0]}", _HEADER)
    return names


def _refuse(path: Path, place: str, got: str, expected: str) -> NoReturn:
    raise InstanceFileError(f"{path} {place}: got {got}, expected {expected}")
