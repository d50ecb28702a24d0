"""A user's buffers in MiniMalloc's form (CSV), read and written back with their offsets."""

from __future__ import annotations

import csv
import io
from math import gcd
from pathlib import Path

from ..base import Instance, Json
from ..files import read_name, shown
from ..tables import Columns, read_rows

FORMAT = """\
CSV, one instance a file, one buffer a row (the form of MiniMalloc's benchmarks): a header with the columns
`id`, `lower` (first step of its life), `upper` (step at which its life ends, > lower) and `size` (any one
unit, > 0), in any order; `start` and `end` may stand for `lower` and `upper`. A column `offset` is not read.
Numbers are integers up to 2⁶²; sizes are divided by their greatest common divisor, which is then the unit of
peaks. `gapsmith evaluate memory-mapping HEURISTIC.py --instances FILE.csv --answers OUT.csv` writes the
buffers back with a column `offset` in the file's unit."""

MOST_BUFFERS = 20_000
_LARGEST = 2**62
_COLUMNS = Columns(("id", "lower", "upper", "size"), ("offset",), {"start": "lower", "end": "upper"})


def read(path: Path) -> list[Instance]:
    """The instance of a file.

    Raises:
        InstanceFileError: names file, row and column, what was got and what was expected.
    """
    ids: dict[str, int] = {}
    buffers = []
    for row in read_rows(path, _COLUMNS, MOST_BUFFERS):
        name = read_name(row.cells["id"].strip(), f"{path} row {row.number} column id")
        if name in ids:
            row.refuse("id", f"{shown(name)}, as in row {ids[name]}", "each id once")
        ids[name] = row.number
        lower = row.whole("lower", -_LARGEST, _LARGEST, "the first step of a life")
        upper = row.whole("upper", -_LARGEST, _LARGEST, "the end of a life")
        if upper <= lower:
            row.refuse("upper", str(upper), f"the end of a life, more than its first step {lower}")
        buffers.append([lower, upper, row.whole("size", 1, _LARGEST, "a size")])
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
    writer.writerow([*_COLUMNS.needed, "offset"])
    for name, (lower, upper, size), offset in zip(ids, buffers, offsets, strict=True):
        writer.writerow([name, lower, upper, size * unit, offset * unit])
    return text.getvalue()
