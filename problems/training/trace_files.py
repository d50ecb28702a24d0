"""Reads traces of training jobs, CSV or JSON lines: a header, then the lengths of one job a line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from ..base import InstanceFileError
from ..files import JsonFault, decimal, number_of, parse_json, read_name, read_text, shown, split_lines

MOST_TOKENS = 10**8
_MOST_SAMPLES = 20_000
_MOST_EXPONENT = 30


@dataclass(frozen=True, slots=True)
class TraceJob:
    """One line of a trace.

    Attributes:
        name: of the job.
        settings: what the line says beside its lengths, key → number.
        lengths: tokens of its samples or sequences, in order.
        place: of the line in the file, for messages.
    """

    name: str
    settings: Mapping[str, Decimal]
    lengths: Sequence[int]
    place: str


@dataclass(frozen=True, slots=True)
class Trace:
    """A file: its header (key → numbers, each with where it stands) and its jobs."""

    path: Path
    header: Mapping[str, tuple[str, Sequence[Decimal]]]
    jobs: Sequence[TraceJob]

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number of the header."""
        return self.wholes(key, 1, low, high, None if default is None else [default])[0]

    def wholes(
        self, key: str, count: int | None, low: int, high: int, default: Sequence[int] | None = None
    ) -> list[int]:
        """Whole numbers of the header, as many as `count` says (None: any number)."""
        place, values = self.numbers(key, count, default)
        for value in values:
            if value != value.to_integral_value() or not low <= value <= high:
                refuse(self.path, f"{place}, {key}", value, f"a whole number from {low:,} to {high:,}")
        return [int(value) for value in values]

    def numbers(
        self, key: str, count: int | None, default: Sequence[int | Decimal] | None = None
    ) -> tuple[str, list[Decimal]]:
        """Where a key of the header stands, and its numbers."""
        if key not in self.header:
            if default is None:
                refuse(self.path, "header", "nothing", f"the key {key}")
            return "header", [Decimal(value) for value in default]
        place, values = self.header[key]
        if count is not None and len(values) != count:
            expected = f"{count} number{'s' * (count > 1)}"
            refuse(self.path, f"{place}, {key}", f"{len(values)} numbers", expected)
        return place, list(values)


def refuse(path: Path, place: str, got: object, expected: str) -> NoReturn:
    """Ends the reading with the place, what was got and what was expected."""
    text = got if isinstance(got, str) else shown(got)
    raise InstanceFileError(f"{path}, {place}: got {text}, expected {expected}")


def read_trace(path: Path, keys: Sequence[str], job_keys: Sequence[str]) -> Trace:
    """A trace file.

    CSV: lines `KEY,NUMBER,…` for the header, then `NAME,` the numbers of `job_keys`, and the lengths. JSON
    lines: an object with the header's keys, then one object a job with `name`, the `job_keys` and `lengths`.

    Args:
        path: ends in .csv or .jsonl.
        keys: that a header may have.
        job_keys: numbers that every job has beside its lengths, in the order of the columns.

    Raises:
        InstanceFileError: names file, line, what was got and what was expected.
    """
    kinds = {".csv": _csv_lines, ".jsonl": _json_lines}
    if path.suffix.lower() not in kinds:
        refuse(path, "name", path.name, "a file that ends in .csv or .jsonl")
    text = read_text(path)
    header: dict[str, tuple[str, Sequence[Decimal]]] = {}
    jobs: list[TraceJob] = []
    for place, name, values in kinds[path.suffix.lower()](path, text, keys, job_keys):
        if name in keys:
            if name in header:
                refuse(path, place, f"{name} twice", "each key of the header once")
            header[name] = (place, values)
        else:
            jobs.append(_job(path, place, name, values, job_keys))
    if not jobs:
        refuse(path, "file", "no job", "at least one line with lengths")
    names: set[str] = set()
    for job in jobs:
        if job.name in names:
            refuse(path, job.place, repr(job.name), "a name that no earlier job has")
        names.add(job.name)
    return Trace(path, header, jobs)


def _job(path: Path, place: str, name: str, values: Sequence[Decimal], job_keys: Sequence[str]) -> TraceJob:
    settings = dict(zip(job_keys, values, strict=False))
    lengths = values[len(job_keys) :]
    if len(settings) < len(job_keys) or not lengths:
        expected = ", ".join([*job_keys, "at least one length (tokens)"])
        refuse(path, place, f"{len(values)} numbers after the name", expected)
    if len(lengths) > _MOST_SAMPLES:
        refuse(path, place, f"{len(lengths)} lengths", f"at most {_MOST_SAMPLES:,}")
    for column, length in enumerate(lengths, 1):
        if length != length.to_integral_value() or not 1 <= length <= MOST_TOKENS:
            refuse(path, f"{place}, length {column}", length, f"whole tokens from 1 to {MOST_TOKENS:,}")
    return TraceJob(name, settings, [int(length) for length in lengths], place)


Line = tuple[str, str, Sequence[Decimal]]
"""Where it stands, the key or the job's name, the numbers after it."""


def _csv_lines(path: Path, text: str, keys: Sequence[str], job_keys: Sequence[str]) -> Iterator[Line]:
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        for row in reader:
            place = f"row {reader.line_num}"
            cells = [cell.strip() for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                name = cells[0] if cells[0] in keys else read_name(cells[0], f"{path}, {place}, name")
                yield (
                    place,
                    name,
                    [_number(path, f"{place}, column {n}", c) for n, c in enumerate(cells[1:], 2)],
                )
    except csv.Error as error:
        raise InstanceFileError(
            f"{path}, row {reader.line_num}: got no CSV ({error}), expected CSV"
        ) from error


def _json_lines(path: Path, text: str, keys: Sequence[str], job_keys: Sequence[str]) -> Iterator[Line]:
    wanted = ("name", *job_keys, "lengths")
    header = True
    for number, line in enumerate(split_lines(text), 1):
        if not line.strip():
            continue
        place = f"row {number}"
        entry = _object(path, place, line)
        if header:
            if unknown := [key for key in entry if key not in keys]:
                refuse(
                    path, place, f"the key {shown(unknown[0])}", f"a header with keys of {', '.join(keys)}"
                )
            for key, value in entry.items():
                values = value if isinstance(value, list) else [value]
                yield place, key, [_number(path, f"{place}, {key}", item) for item in values]
            header = False
            continue
        if set(entry) != set(wanted) or not isinstance(entry["lengths"], list):
            refuse(
                path, place, f"keys {', '.join(map(str, entry))}", f"a job with {', '.join(wanted)} (a list)"
            )
        values = [entry[key] for key in job_keys] + entry["lengths"]
        name = read_name(entry["name"], f"{path}, {place}, name")
        yield place, name, [_number(path, place, value) for value in values]


def _object(path: Path, place: str, line: str) -> dict[str, Any]:
    try:
        entry = parse_json(line, parse_float=decimal, parse_constant=Decimal)
    except JsonFault as fault:
        refuse(path, place, fault.got, fault.expected)
    if not isinstance(entry, dict):
        refuse(path, place, entry, "an object")
    return entry


def _number(path: Path, place: str, written: object) -> Decimal:
    """A number as written, exact."""
    number = None
    if isinstance(written, str | int | Decimal) and not isinstance(written, bool):
        number = number_of(written)
    if number is None:
        refuse(path, place, shown(written), "a number in plain digits")
    if not number.is_finite() or (number and abs(number.adjusted()) > _MOST_EXPONENT):
        refuse(path, place, number, "a number of ordinary size")
    return number
