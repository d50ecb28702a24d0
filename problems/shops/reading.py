"""A user's job shops: the standard layout, collections of it, and Taillard's layout."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ..base import Instance, InstanceFileError
from ..files import read_name, read_text, shown, split_lines
from .laws import scale

FORMAT = """\
A text file of integers separated by blanks. *Standard layout* (JSPLIB, OR-Library): a line with the numbers
of jobs n and machines m, then one line per job of m pairs `machine time` in the order of its route, machines
from 0. Of several instances in one file (OR-Library's `jobshop1`) each follows a line `instance NAME`.
*Taillard's layout*: a line that begins with n and m (seeds and bounds may follow), n lines of m processing
times, then n lines of m machines, from 1. Lines of words and of `+` signs before the numbers are titles, and
so are `Times` and `Machines` between them; a line `Nb of jobs …` begins a further instance, lines that begin
with `#` are comments, other text behind the first number is refused. Times are integers from 0 (in a blocking
shop from 1) to 10⁹, time units; a job may visit a machine more than once. At most 20,000 operations (`--set
problem.most_operations=N` lifts that up to 200,000)."""

MOST_OPERATIONS = 200_000
"""Of any file."""
_LONGEST = 10**9
_NAME = re.compile(r"\s*instance\s+(\S+)\s*$", re.IGNORECASE)
_HEADING = re.compile(r"\s*nb of jobs\b", re.IGNORECASE)
"""Begins each instance of Taillard's files."""
_BETWEEN = ("", "times", "machines", "eof")
"""What may stand between and behind the numbers of an instance."""
_COUNT = "a line that begins with the numbers of jobs and machines, each from 1 to 1,000"


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of numbers: its words, each with its column (from 1), and its line number."""

    line: int
    words: tuple[tuple[int, str], ...]


def read(path: Path, most: int = 20_000, shortest: int = 0) -> list[Instance]:
    """The instances of a file.

    Args:
        path: of the file.
        most: operations of an instance.
        shortest: time of an operation, 0 or 1.

    Raises:
        InstanceFileError: names file, line and column, what was got and what was expected.
    """
    text = read_text(path)
    instances: dict[str, Instance] = {}
    for name, line, rows in _sections(path, text):
        if name in instances:
            _refuse(path, line, 0, f"the instance {shown(name)} twice", "each name once")
        public = _ShopReader(path, rows, line, most, shortest).public()
        stratum = f"{len(public['routes'])}x{public['machines']}"
        instances[name] = Instance(name, path.name, stratum, public, scale(public), f"file {path.name}")
    if not instances:
        raise InstanceFileError(f"{path}: got no numbers, expected {_COUNT}")
    return list(instances.values())


def _sections(path: Path, text: str) -> Iterator[tuple[str, int, list[_Row]]]:
    """Name, line and rows of numbers of each instance; titles and comments are left out."""
    name, first, rows, part = path.stem, 1, list[_Row](), 1
    for number, content in enumerate(split_lines(text), 1):
        title = _NAME.match(content)
        if title:
            if rows:
                yield name, first, rows
            name, first, rows = read_name(title[1], f"{path} line {number}"), number, []
        elif rows and _HEADING.match(content):
            yield name, first, rows
            part += 1
            name, first, rows = f"{path.stem}-{part}", number, []
        elif (
            rows and _is_title(content) and content.partition("#")[0].strip(" \t+=-:").lower() not in _BETWEEN
        ):
            _refuse(path, number, 0, shown(content.strip()), "numbers, or a line `instance NAME`")
        elif content.strip() and not content.lstrip().startswith("#") and not _is_title(content):
            words = tuple((m.start() + 1, m[0]) for m in re.finditer(r"\S+", content))
            rows.append(_Row(number, words))
    if rows:
        yield name, first, rows


def _is_title(content: str) -> bool:
    """Whether a line holds words only: no number at its beginning."""
    return not re.match(r"\s*[-+]?[0-9.]", content) or set(content.strip()) <= {"+", "-"}


class _ShopReader:
    """Reads one instance from its rows."""

    def __init__(self, path: Path, rows: list[_Row], line: int, most: int, shortest: int) -> None:
        self._path, self._rows, self._line = path, rows, line
        self._most, self._shortest = most, shortest

    def public(self) -> dict[str, Any]:
        """Machines, routes and times."""
        first = self._rows[0]
        if len(first.words) < 2:
            self._fault(first, 0, f"{len(first.words)} number", _COUNT)
        jobs, machines = (self._number(first, k, 1, 1_000, _COUNT) for k in (0, 1))
        if jobs * machines > self._most:
            self._fault(first, 0, f"{jobs} x {machines}", too_many_operations(jobs * machines, self._most))
        for place in range(2, len(first.words)):
            self._number(first, place, 0, 10**19, "a seed or a bound behind the numbers of jobs and machines")
        rows = self._rows[1:]
        if len(rows) == jobs and all(len(row.words) == 2 * machines for row in rows):
            return self._standard(machines, rows)
        if len(rows) == 2 * jobs and all(len(row.words) == machines for row in rows):
            return self._taillard(machines, rows)
        return self._misfit(jobs, machines, rows)

    def _standard(self, machines: int, rows: list[_Row]) -> dict[str, Any]:
        pairs = range(0, 2 * machines, 2)
        routes = [[self._machine(row, k, 0, machines) for k in pairs] for row in rows]
        times = [[self._time(row, k + 1) for k in pairs] for row in rows]
        return {"machines": machines, "routes": routes, "times": times}

    def _taillard(self, machines: int, rows: list[_Row]) -> dict[str, Any]:
        jobs, places = len(rows) // 2, range(machines)
        times = [[self._time(row, k) for k in places] for row in rows[:jobs]]
        routes = [[self._machine(row, k, 1, machines) - 1 for k in places] for row in rows[jobs:]]
        return {"machines": machines, "routes": routes, "times": times}

    def _misfit(self, jobs: int, machines: int, rows: list[_Row]) -> NoReturn:
        """Names the first line that fits neither layout."""
        wide = 2 * machines if not rows or len(rows[0].words) != machines else machines
        many = jobs if wide == 2 * machines else 2 * jobs
        layout = (
            "standard layout: pairs machine time" if many == jobs else "Taillard's layout: times, machines"
        )
        for row in rows[:many]:
            if len(row.words) != wide:
                self._fault(row, 0, f"{len(row.words)} numbers", f"{wide} ({layout} of {machines} machines)")
        last = rows[many] if len(rows) > many else (rows or self._rows)[-1]
        self._fault(last, 0, f"{len(rows)} lines of numbers after the first", f"{many} ({layout})")

    def _machine(self, row: _Row, place: int, least: int, machines: int) -> int:
        meaning = f"a machine, an integer from {least} to {machines - 1 + least}"
        return self._number(row, place, least, machines - 1 + least, meaning)

    def _time(self, row: _Row, place: int) -> int:
        meaning = f"a processing time, an integer from {self._shortest} to {_LONGEST:,}"
        return self._number(row, place, self._shortest, _LONGEST, meaning)

    def _number(self, row: _Row, place: int, low: int, high: int, expected: str) -> int:
        _, word = row.words[place]
        value = int(word) if re.fullmatch(r"[+-]?[0-9]{1,20}", word) else None
        if value is None or not low <= value <= high:
            self._fault(row, place + 1, shown(word) if value is None else str(value), expected)
        return value

    def _fault(self, row: _Row, place: int, got: str, expected: str) -> NoReturn:
        _refuse(self._path, row.line, place, got, expected)


def too_many_operations(count: int, most: int) -> str:
    """What a message expects of a shop that has too many operations, and how to lift the limit."""
    if count > MOST_OPERATIONS:
        return f"at most {MOST_OPERATIONS:,} operations"
    return f"at most {most:,} operations (`--set problem.most_operations={count}` lifts the limit)"


def _refuse(path: Path, line: int, place: int, got: str, expected: str) -> NoReturn:
    column = f" column {place}" if place else ""
    raise InstanceFileError(f"{path} line {line}{column}: got {got}, expected {expected}")
