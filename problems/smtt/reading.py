"""A user's instances: CSV, JSON lines, or plain numbers in the layout of OR-Library."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..base import Instance, InstanceFileError
from ..files import JsonFault, parse_json, read_name, read_text, shown, split_lines
from .generator import RANGES, WEIGHTED_TIGHTNESS, due_range, scale, stratum_name

FORMAT = """\
`.csv`: a header line `instance,p,d` (weighted: `instance,p,d,w`) and one line per job: the instance's name
(the column may be left out if there is only one), processing time > 0, due date, weight > 0, all integers,
times in time units, at most 10¹². `.jsonl`: one object per line, {"id": text, "p": [...], "d": [...], "w":
[...]}, `id` and, without weights, `w` optional. `.txt`: the layout of OR-Library, for each instance n
processing times, n weights and n due dates, separated by blanks and line ends; the number of jobs n is the
first number of the file's name (`wt40.txt`). Weights are refused where the problem has none, except in the
OR-Library layout, where they are left out. A `.txt` file whose 125 instances have the due dates of
OR-Library's weighted sets, stratum by stratum, gets their strata; everything else is one stratum, `all`."""

_COLUMNS = {"p": "processing_times", "d": "due_dates", "w": "weights"}
_LEAST = {"p": 1, "d": None, "w": 1}
_LARGEST = 10**12
_SHARE = 5
"""Instances of each stratum in OR-Library's weighted files; RDD is the outer loop, TF the inner one."""


def read(path: Path, weighted: bool) -> list[Instance]:
    """The instances of a file.

    Raises:
        InstanceFileError: names file, line and column, what was got and what was expected.
    """
    readers = {".csv": _csv, ".jsonl": _json_lines, ".txt": _plain}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InstanceFileError(f"{path}: got the ending {path.suffix!r}, expected .csv, .jsonl or .txt")
    text = read_text(path)
    rows = list(reader(path, text, weighted))
    strata = _library_strata([columns for _, columns in rows]) if reader is _plain else ["all"] * len(rows)
    instances = []
    for (name, columns), stratum in zip(rows, strata, strict=True):
        public = {_COLUMNS[key]: columns[key] for key in _keys(weighted)}
        instances.append(Instance(name, path.name, stratum, public, scale(public), f"file {path.name}"))
    if not instances:
        raise InstanceFileError(f"{path}: got no instance, expected at least one")
    return instances


def _csv(path: Path, text: str, weighted: bool) -> Iterator[tuple[str, dict[str, list[int]]]]:
    rows = _csv_rows(path, text)
    header = [name.strip() for name in next(rows, (1, []))[1]]
    keys = _keys(weighted)
    for key in keys:
        if key not in header:
            raise InstanceFileError(f"{path} line 1: got columns {shown(header)}, expected a column {key!r}")
    for column, name in enumerate(header, 1):
        if name not in (*keys, "instance") or header.count(name) > 1:
            raise InstanceFileError(
                f"{path} line 1 column {column}: got {shown(name)}, "
                f"expected each of {['instance', *keys]} once"
            )
    instances: dict[str, dict[str, list[int]]] = {}
    for line, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != len(header):
            raise InstanceFileError(f"{path} line {line}: got {len(row)} columns, expected {len(header)}")
        cells = dict(zip(header, row, strict=True))
        name = read_name(cells.get("instance", "1").strip(), f"{path} line {line} instance")
        columns = instances.setdefault(name, {key: [] for key in keys})
        for key in keys:
            where = f"{path} line {line} column {header.index(key) + 1} ({key})"
            columns[key].append(_number(cells[key].strip(), key, where))
    yield from instances.items()


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with its line, for a row of several lines (a quoted cell may hold ends of line) the last."""
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        expected = f"comma-separated values, each of at most {csv.field_size_limit():,} characters"
        raise InstanceFileError(
            f"{path} line {rows.line_num}: got no CSV ({error}), expected {expected}"
        ) from error


def _json_lines(path: Path, text: str, weighted: bool) -> Iterator[tuple[str, dict[str, list[int]]]]:
    seen: set[str] = set()
    for line, content in enumerate(split_lines(text), 1):
        if not content.strip():
            continue
        try:
            row = parse_json(content)
        except JsonFault as fault:
            column = f" column {fault.column}" if fault.column else ""
            raise InstanceFileError(f"{path} line {line}{column}: {fault}") from fault
        if not isinstance(row, dict):
            raise InstanceFileError(f"{path} line {line}: got {type(row).__name__}, expected an object")
        name = read_name(row.get("id", f"line-{line}"), f"{path} line {line} id")
        if name in seen:
            raise InstanceFileError(f"{path} line {line} id: got {shown(name)}, expected a text used once")
        seen.add(name)
        yield name, _lists(row, weighted, f"{path} line {line}")


def _lists(row: dict[str, Any], weighted: bool, where: str) -> dict[str, list[int]]:
    keys = _keys(weighted)
    for key in row:
        if key not in (*keys, "id"):
            raise InstanceFileError(f"{where}: got the key {shown(key)}, expected {['id', *keys]}")
    columns = {}
    for key in keys:
        values = row.get(key)
        if not isinstance(values, list) or not values:
            raise InstanceFileError(f"{where} key {key!r}: got {shown(values)}, expected a list of integers")
        columns[key] = [_number(value, key, f"{where} {key}[{k}]") for k, value in enumerate(values)]
    lengths = {key: len(values) for key, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InstanceFileError(f"{where}: got lists of lengths {lengths}, expected equal lengths")
    return columns


def _plain(path: Path, text: str, weighted: bool) -> Iterator[tuple[str, dict[str, list[int]]]]:
    digits = re.search(r"[0-9]+", path.stem)
    if digits is None or not 1 <= int(digits[0]) <= 100_000:
        raise InstanceFileError(f"{path}: expected the number of jobs in the file's name, as in wt40.txt")
    jobs = int(digits[0])
    words = [
        (word, line, column)
        for line, content in enumerate(split_lines(text), 1)
        for column, word in enumerate(content.split(), 1)
    ]
    if len(words) % (3 * jobs):
        raise InstanceFileError(
            f"{path}: got {len(words)} numbers, expected a multiple of {3 * jobs} "
            f"({jobs} processing times, {jobs} weights and {jobs} due dates for each instance)"
        )
    for k in range(len(words) // (3 * jobs)):
        columns = {}
        for row, key in enumerate("pwd"):
            part = words[(3 * k + row) * jobs :][:jobs]
            columns[key] = [_number(w, key, f"{path} line {line} number {c} ({key})") for w, line, c in part]
        yield f"{path.stem}-{k + 1:03d}", columns


def _library_strata(instances: Sequence[dict[str, list[int]]]) -> list[str]:
    """The strata of OR-Library's weighted files if number and due dates agree with them, else `all`."""
    cells = [(rdd, tf) for rdd in RANGES for tf in WEIGHTED_TIGHTNESS for _ in range(_SHARE)]
    if len(instances) != len(cells):
        return ["all"] * len(instances)
    for (rdd, tf), columns in zip(cells, instances, strict=True):
        low, high = due_range(sum(columns["p"]), rdd, tf)
        # The files' interval may be rounded the other way, hence one time unit of room.
        if not all(max(0, low) - 1 <= date <= max(0, high) + 1 for date in columns["d"]):
            return ["all"] * len(instances)
    return [stratum_name(rdd, tf) for rdd, tf in cells]


def _number(value: object, key: str, where: str) -> int:
    least = _LEAST[key]
    expected = f"an integer of at most {_LARGEST:,}" + ("" if least is None else f" and ≥ {least}")
    if isinstance(value, str) and re.fullmatch(r"[+-]?[0-9]{1,20}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        raise InstanceFileError(f"{where}: got {shown(value)}, expected {expected}")
    if least is not None and value < least:
        raise InstanceFileError(f"{where}: got {value}, expected {expected}")
    return value


def _keys(weighted: bool) -> tuple[str, ...]:
    return ("p", "d", "w") if weighted else ("p", "d")
