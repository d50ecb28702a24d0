"""A user's task graphs: an own JSON layout, DOT, and the Standard Task Graph format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..base import Instance
from ..files import JsonFault, parse_json, read_name, read_text, shown, split_lines
from .building import LONGEST, MOST_PROCESSORS, Edge, GraphTask, build, refuse
from .dot import read_dot
from .stg import read_stg

FORMAT = """\
By the ending of the file. `.json`: an object, or a list of objects, with `times` (a list for each task with
its time on each processor, `null` where it cannot run), `edges` (lists `[task, successor, transfer]`, tasks
from 0) and maybe `name`. `.dot`, `.gv`: a digraph with `cost` on nodes (one number, or one for each processor
with blanks between, `-` where the task cannot run) and `size` on edges (transfer; 0 without); keys that
say how to draw are read over, others refused. `.stg`: the
Standard Task Graph Set, a line `task time count predecessors…` for each task. Where a file gives one time for
all processors, the parameter `processors` says how many there are. Times are whole numbers from 1 to 10⁹,
transfers from 0, time units; beginnings and ends of time 0 whose edges transfer nothing are left out. Tasks
that stand behind one of their successors are numbered anew, so that every edge leads to a higher number."""

_KEYS = {"name", "times", "edges"}


def read(path: Path, processors: int) -> list[Instance]:
    """The instances of a file.

    Args:
        path: ends in .json, .dot, .gv or .stg.
        processors: equal processors of a file that names none.

    Raises:
        InstanceFileError: names file and place, what was got and what was expected.
    """
    text = read_text(path)
    ending = path.suffix.lower()
    if ending == ".json":
        return _read_json(path, text)
    if ending in (".dot", ".gv"):
        tasks, edges = read_dot(path, text, processors)
    elif ending == ".stg":
        tasks, edges = read_stg(path, split_lines(text), processors)
    else:
        refuse(path, "file name", shown(path.name), "a file that ends in .json, .dot, .gv or .stg")
    for task in tasks:
        if 0 in task.times or not any(task.times):
            refuse(path, task.place, f"time 0 or no time of {shown(task.name)}", "times of at least 1")
    return [build(path, path.stem, tasks, edges)]


def _read_json(path: Path, text: str) -> list[Instance]:
    try:
        document = parse_json(text)
    except JsonFault as fault:
        place = f"line {fault.line} column {fault.column}" if fault.line else "file"
        refuse(path, place, fault.got, fault.expected)
    entries = document if isinstance(document, list) else [document]
    instances: dict[str, Instance] = {}
    for n, entry in enumerate(entries, 1):
        place = f"graph {n}" if isinstance(document, list) else "file"
        if not isinstance(entry, dict) or not {"times", "edges"} <= set(entry) <= _KEYS:
            got = ", ".join(map(shown, entry)) if isinstance(entry, dict) else shown(entry)
            refuse(path, place, got, "an object with times, edges and maybe name")
        alone = path.stem if len(entries) == 1 else f"{path.stem}-{n}"
        name = read_name(entry.get("name", alone), f"{path} {place} name")
        if name in instances:
            refuse(path, place, f"the name {shown(name)} twice", "each name once")
        tasks = _tasks(path, place, entry["times"])
        instances[name] = build(path, name, tasks, _edges(path, place, entry["edges"], len(tasks)))
    if not instances:
        refuse(path, "file", "no graph", "at least one")
    return list(instances.values())


def _tasks(path: Path, place: str, rows: Any) -> list[GraphTask]:
    """The tasks of `times`."""
    if not isinstance(rows, list) or not rows:
        refuse(path, f"{place} times", shown(rows), "a list with a row for each task")
    wide = len(rows[0]) if isinstance(rows[0], list) else 0
    expected = f"a list of {wide or 'some'} times, 1 to {MOST_PROCESSORS}, as long as the first"
    tasks = []
    for n, row in enumerate(rows):
        where = f"{place} times[{n}]"
        if not isinstance(row, list) or len(row) != wide or not 1 <= wide <= MOST_PROCESSORS:
            refuse(path, where, shown(row), expected)
        for p, time in enumerate(row):
            if time is not None:
                _whole(path, f"{where}[{p}]", time, 1, LONGEST, "a time or null")
        if not any(row):
            refuse(path, where, "a task without processor", "at least one time that is not null")
        tasks.append(GraphTask(str(n), row, where))
    return tasks


def _edges(path: Path, place: str, rows: Any, count: int) -> list[Edge]:
    """The edges of `edges`."""
    if not isinstance(rows, list):
        refuse(path, f"{place} edges", shown(rows), "a list of [task, successor, transfer]")
    edges = []
    for n, row in enumerate(rows):
        where = f"{place} edges[{n}]"
        if not isinstance(row, list) or len(row) != 3:
            refuse(path, where, shown(row), "[task, successor, transfer]")
        for k in (0, 1):
            _whole(path, f"{where}[{k}]", row[k], 0, count - 1, "a task")
        if row[0] == row[1]:
            refuse(path, where, "an edge of a task to itself", "an edge to another task")
        _whole(path, f"{where}[2]", row[2], 0, LONGEST, "a transfer")
        tail, head, size = row
        edges.append(Edge(tail, head, size, where))
    return edges


def _whole(path: Path, place: str, value: Any, least: int, most: int, meaning: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        refuse(path, place, shown(value), f"{meaning}, a whole number from {least} to {most:,}")
