"""A user's jobs and machines: two CSV files that lie side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..base import Instance
from ..files import beside, shown
from ..tables import Columns, Row, read_rows, refuse
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
_JOBS = Columns(("cpu", "memory"), ("arrive", "depart"))
_CHURN_JOBS = Columns(("arrive", "depart", "cpu", "memory"), ("duration",))
_MACHINES = Columns(("free_cpu", "free_memory"), ("cpu", "memory"))


def read(path: Path) -> list[Instance]:
    """The instance of two files, with jobs that stay.

    Args:
        path: the file of the jobs.

    Raises:
        InstanceFileError: names file, row and column, what was got and what was expected.
    """
    return _instance(path, {"jobs": _queue(read_rows(_jobs_file(path), _JOBS, MOST_JOBS))})


def read_churn(path: Path) -> list[Instance]:
    """The instance of two files, with jobs that end; arguments and errors as for `read`."""
    rows = read_rows(_jobs_file(path), _CHURN_JOBS, MOST_JOBS)
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
        refuse(path, "name", path.name, "jobs.csv or NAME-jobs.csv, with the machines in a file beside it")
    return path


def _instance(path: Path, hidden: dict[str, Any]) -> list[Instance]:
    """An instance of these jobs and of the machines in the file beside theirs."""
    public = _fleet(read_rows(beside(path, path.name.replace("jobs", "machines")), _MACHINES, MOST_MACHINES))
    source = f"file {path.name}, {len(hidden['jobs'])} jobs"
    return [Instance(path.stem, path.name, "file", public, scale(public), source, hidden)]


def _stay(row: Row) -> list[Any]:
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


def _queue(rows: Sequence[Row]) -> list[list[int]]:
    """Demands in order of arrival."""
    queue = []
    for row in rows:
        if row.cells.get("depart", "").strip():
            row.refuse("depart", shown(row.cells["depart"].strip()), "nothing: no job departs here")
        demand = [row.whole(column, 0, _LARGEST, f"a demand of {column}") for column in ("cpu", "memory")]
        queue.append((_moment(row), demand))
    return [demand for _, demand in sorted(queue, key=lambda job: job[0])]


def _moment(row: Row) -> Decimal:
    """The time of arrival, 0 without such a column."""
    text = row.cells.get("arrive", "0").strip()
    if not re.fullmatch(r"[+-]?[0-9]{1,20}([.][0-9]{1,20})?", text):
        row.refuse("arrive", shown(text), "a time of arrival, a number")
    return Decimal(text)


def _fleet(rows: Sequence[Row]) -> dict[str, object]:
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
