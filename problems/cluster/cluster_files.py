"""A user's jobs and machines: two CSV files that lie side by side."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from ..base import Instance, InstanceFileError
from ..files import read_text, shown
from .laws import scale

FORMAT = """\
Two CSV files in one folder: the jobs, in a file whose name holds the word `jobs`, and the machines in a file
with `machines` in its place (`jobs.csv` and `machines.csv`, `monday-jobs.csv` and `monday-machines.csv`).
`--instances` names the first. Jobs: the columns `cpu` and `memory` (demand), optionally `arrive` (a number;
jobs are taken in its order, else in the order of the file) and `depart`, which must be empty: nothing departs
here. Machines: `free_cpu` and `free_memory`, optionally `cpu` and `memory`, the capacity, which all machines
have alike (without them the largest free room). Columns may stand in any order. Demands and rooms are
integers from 0 to 10⁹ in any unit, the same in both files (millicores, MiB); shares of a machine become
integers by a factor, say 10,000."""

CHURN_FORMAT = """\
Two CSV files in one folder, as for cluster-scheduling: the jobs, in a file whose name holds the word `jobs`,
and the machines in a file with `machines` in its place; `--instances` names the first. Jobs: the columns
`arrive` and `depart` (whole minutes, depart after arrive; an empty depart: the job stays), `cpu` and
`memory`, optionally `duration` (told to the scheduler; without it the true one). The run ends a minute after
the last arrival. Machines: `free_cpu` and `free_memory`, optionally `cpu` and `memory`, the capacity. Columns
may stand in any order; numbers are integers from 0 to 10⁹."""

MOST_JOBS = 20_000
MOST_MACHINES = 5_000
_LARGEST = 10**9
_JOBS = {"cpu": True, "memory": True, "arrive": False, "depart": False}
_CHURN_JOBS = {"arrive": True, "depart": True, "cpu": True, "memory": True, "duration": False}
_MACHINES = {"free_cpu": True, "free_memory": True, "cpu": False, "memory": False}
"""Column → whether it must be there."""


@dataclass(frozen=True, slots=True)
class _Row:
    """Cells of one line by column."""

    path: Path
    number: int
    cells: Mapping[str, str]

    def whole(self, column: str, low: int, high: int, meaning: str) -> int:
        """An integer of a column."""
        text = self.cells[column].strip()
        value = int(text) if re.fullmatch(r"[+-]?[0-9]{1,20}", text) else None
        if value is None or not low <= value <= high:
            got = shown(text) if value is None else str(value)
            self.refuse(column, got, f"{meaning}, an integer from {low:,} to {high:,}")
        return value

    def moment(self) -> Decimal:
        """The time of arrival, 0 without such a column."""
        text = self.cells.get("arrive", "0").strip()
        if not re.fullmatch(r"[+-]?[0-9]{1,20}([.][0-9]{1,20})?", text):
            self.refuse("arrive", shown(text), "a time of arrival, a number")
        return Decimal(text)

    def refuse(self, column: str, got: str, expected: str) -> NoReturn:
        """Ends the reading with row and column."""
        _refuse(self.path, f"row {self.number} column {column}", got, expected)


def read(path: Path) -> list[Instance]:
    """The instance of two files, with jobs that stay.

    Args:
        path: the file of the jobs.

    Raises:
        InstanceFileError: names file, row and column, what was got and what was expected.
    """
    return _instance(path, {"jobs": _queue(_rows(_jobs_file(path), _JOBS, MOST_JOBS))})


def read_churn(path: Path) -> list[Instance]:
    """The instance of two files, with jobs that end; arguments and errors as for `read`."""
    rows = _rows(_jobs_file(path), _CHURN_JOBS, MOST_JOBS)
    stream = sorted((_stay(row) for row in rows), key=lambda job: job[0])
    end = stream[-1][0] + 1
    jobs = []
    for arrive, depart, cpu, memory, estimate in stream:
        until = end if depart is None else depart
        jobs.append([arrive, until, cpu, memory, until - arrive if estimate is None else estimate])
    return _instance(path, {"horizon": end, "jobs": jobs})


def _jobs_file(path: Path) -> Path:
    """The path, if its name tells the name of the machines' file."""
    if "jobs" not in path.name:
        _refuse(path, "name", path.name, "jobs.csv or NAME-jobs.csv, with the machines in a file beside it")
    return path


def _instance(path: Path, hidden: dict[str, Any]) -> list[Instance]:
    """An instance of these jobs and of the machines in the file beside theirs."""
    public = _fleet(_rows(path.with_name(path.name.replace("jobs", "machines")), _MACHINES, MOST_MACHINES))
    source = f"file {path.name}, {len(hidden['jobs'])} jobs"
    return [Instance(path.stem, path.name, "file", public, scale(public), source, hidden)]


def _stay(row: _Row) -> list[Any]:
    """[arrive, depart or None, cpu, memory, told duration or None] of a row."""
    arrive = row.whole("arrive", 0, _LARGEST, "a minute of arrival")
    empty = not row.cells["depart"].strip()
    depart = None if empty else row.whole("depart", 0, _LARGEST, "a minute of departure, or nothing")
    if depart is not None and depart <= arrive:
        row.refuse("depart", str(depart), f"a minute after the arrival at {arrive}")
    estimate = None
    if row.cells.get("duration", "").strip():
        estimate = row.whole("duration", 1, _LARGEST, "a told duration, minutes")
    demand = [row.whole(column, 0, _LARGEST, f"a demand of {column}") for column in ("cpu", "memory")]
    return [arrive, depart, *demand, estimate]


def _queue(rows: Sequence[_Row]) -> list[list[int]]:
    """Demands in order of arrival."""
    queue = []
    for row in rows:
        if row.cells.get("depart", "").strip():
            row.refuse("depart", shown(row.cells["depart"].strip()), "nothing: no job departs here")
        demand = [row.whole(column, 0, _LARGEST, f"a demand of {column}") for column in ("cpu", "memory")]
        queue.append((row.moment(), demand))
    return [demand for _, demand in sorted(queue, key=lambda job: job[0])]


def _fleet(rows: Sequence[_Row]) -> dict[str, object]:
    """Public part: capacity and free room."""
    free = {
        column: [row.whole(f"free_{column}", 0, _LARGEST, f"free {column}") for row in rows]
        for column in ("cpu", "memory")
    }
    capacity = {}
    for column, rooms in free.items():
        capacity[column] = max(1, *rooms)
        for row, room in zip(rows, rooms, strict=True):
            if column not in row.cells:
                break
            size = row.whole(column, 1, _LARGEST, f"the {column} of a machine")
            if row is rows[0]:
                capacity[column] = size
            if size != capacity[column]:
                row.refuse(column, str(size), f"{capacity[column]} as in the first row: machines are alike")
            if room > size:
                row.refuse(f"free_{column}", str(room), f"at most the {column} of the machine, {size}")
    return {**capacity, "free_cpu": free["cpu"], "free_memory": free["memory"]}


def _rows(path: Path, columns: Mapping[str, bool], most: int) -> list[_Row]:
    """The rows of a file under the names of its header."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows: list[_Row] = []
    header: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                header = _header(path, reader.line_num, cells, columns)
                continue
            if len(cells) != len(header):
                _refuse(path, f"row {reader.line_num}", f"{len(cells)} values", str(len(header)))
            if len(rows) == most:
                _refuse(path, f"row {reader.line_num}", "one more row", f"at most {most:,}")
            rows.append(_Row(path, reader.line_num, dict(zip(header, cells, strict=True))))
    except csv.Error as error:
        _refuse(path, f"row {reader.line_num}", f"no CSV ({error})", "comma-separated values")
    if not rows:
        _refuse(path, "file", "no row", f"a header with {', '.join(columns)}, and at least one row")
    return rows


def _header(path: Path, number: int, cells: Sequence[str], columns: Mapping[str, bool]) -> list[str]:
    """The names of the columns; none may be missing, double or unknown."""
    names = [cell.strip().lower() for cell in cells]
    listing = ", ".join(columns)
    for place, name in enumerate(names):
        where = f"row {number} column {place + 1}"
        if name not in columns:
            _refuse(path, where, shown(cells[place]), f"one of the columns {listing}")
        if name in names[:place]:
            _refuse(path, where, f"the column {shown(cells[place])} twice", "each column once")
    if missing := [name for name, needed in columns.items() if needed and name not in names]:
        _refuse(path, f"row {number}", f"no column {missing[0]}", f"a header with {listing}")
    return names


def _refuse(path: Path, place: str, got: str, expected: str) -> NoReturn:
    raise InstanceFileError(f"{path} {place}: got {got}, expected {expected}")
