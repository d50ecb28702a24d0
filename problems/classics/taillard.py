"""Taillard's 30 flow shops of 20 jobs, made again from his seeds, and files in his layout.

E. Taillard, Benchmarks for basic scheduling problems, European Journal of Operational Research 64 (1993)
278-285, doi:10.1016/0377-2217(93)90182-M.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from ..base import Instance, InstanceFileError
from ..files import read_text, shown, split_lines
from ..shops.reading import too_many_operations
from ..shops.taillard import between, lehmer

FORMAT = """\
A text file in Taillard's layout: a line that begins with the numbers of jobs n and machines m (seed and
bounds may follow), then m lines of n processing times, one line for each machine. Lines of words before the
first numbers, lines that begin with `#`, and the titles of Taillard's files (`number of jobs …`, `processing
times :`) are read over, other text is refused. A file may hold several instances, one after the other. Times
are integers from 1 to 10⁹, time units. At most 20,000 operations (`--set problem.most_operations=N` lifts
that up to 200,000)."""

SIZES = ((20, 5), (20, 10), (20, 20))
"""Jobs and machines of each group of ten, in the order of the instances' numbers."""

_SEEDS = """
873654221 379008056 1866992158 216771124 495070989 402959317 1369363414 2021925980 573109518 88325120
587595453 1401007982 873136276 268827376 1634173168 691823909 73807235 1273398721 2065119309 1672900551
479340445 268827376 1958948863 918272953 555010963 2010851491 1519833303 1748670931 1923497586 1829909967
"""
_LONGEST = 10**9
_BETWEEN = re.compile(r"((number|nb) of jobs\b.*|processing times ?:?|[+-]*|eof)$", re.IGNORECASE)
"""Lines of words that may stand behind numbers."""
_COUNT = "a line that begins with the numbers of jobs and machines, each from 1 to 1,000"


def sets() -> dict[str, str]:
    """Name of each set → one sentence."""
    groups = {
        f"taillard-{n}x{m}": f"ta{10 * k + 1:03d} to ta{10 * k + 10:03d} of Taillard's flow shops"
        for k, (n, m) in enumerate(SIZES)
    }
    return {"taillard": "Taillard's 30 flow shops of 20 jobs, compared with the best known values", **groups}


def instances(label: str) -> list[Instance]:
    """The 30 instances (`taillard`), or the ten of one size (`taillard-20x5`).

    Raises:
        KeyError: no set of this name.
    """
    if label not in sets():
        raise KeyError(label)
    shops = []
    for number, seed in enumerate(_SEEDS.split(), 1):
        jobs, machines = SIZES[(number - 1) // 10]
        if label in ("taillard", f"taillard-{jobs}x{machines}"):
            source = f"Taillard 1993, flow shop ta{number:03d}, time seed {seed}"
            public = {"times": _times(int(seed), jobs, machines)}
            shops.append(Instance(f"ta{number:03d}", label, f"{jobs}x{machines}", public, 1, source))
    return shops


def _times(seed: int, jobs: int, machines: int) -> list[list[int]]:
    """Times of the jobs; the generator goes machine by machine."""
    values = lehmer(seed)
    rows = [[between(next(values), 1, 99) for _ in range(jobs)] for _ in range(machines)]
    return [list(job) for job in zip(*rows, strict=True)]


def read(path: Path, most: int = 20_000) -> list[Instance]:
    """The instances of a file, of at most `most` operations, numbered if they are several.

    Raises:
        InstanceFileError: names file, line and column, what was got and what was expected.
    """
    text = read_text(path)
    shops = list(_shops(path, text, most))
    if not shops:
        raise InstanceFileError(f"{path}: got no numbers, expected {_COUNT}")
    width, several = len(str(len(shops))), len(shops) > 1
    names = [f"{path.stem}-{k:0{width}}" if several else path.stem for k in range(1, len(shops) + 1)]
    return [
        Instance(name, path.name, f"{len(times)}x{len(times[0])}", {"times": times}, 1, f"file {path.name}")
        for name, times in zip(names, shops, strict=True)
    ]


def _rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """Line and words of each line of numbers; refuses text behind them that is no known title."""
    rows: list[tuple[int, list[str]]] = []
    for number, line in enumerate(split_lines(text), 1):
        if re.match(r"\s*[-+]?[0-9.]", line):
            rows.append((number, line.split()))
        elif rows and not _BETWEEN.match(" ".join(line.partition("#")[0].split())):
            _refuse(path, number, 0, shown(line.strip()), "numbers, or a title of Taillard's files")
    return rows


def _shops(path: Path, text: str, most: int) -> Iterator[list[list[int]]]:
    """Processing times, one list per job, of each instance in a text."""
    rows = _rows(path, text)
    place = 0
    while place < len(rows):
        line, words = rows[place]
        if len(words) < 2:
            _refuse(path, line, 0, f"{len(words)} number", _COUNT)
        jobs, machines = (_number(path, line, words, k, 1_000, _COUNT) for k in (0, 1))
        if jobs * machines > most:
            _refuse(path, line, 0, f"{jobs} x {machines}", too_many_operations(jobs * machines, most))
        for word in words[2:]:
            if not re.fullmatch(r"[0-9]{1,20}", word):
                _refuse(path, line, 0, shown(word), "seeds and bounds, whole numbers")
        body = rows[place + 1 : place + 1 + machines]
        if len(body) < machines:
            got = f"{len(body)} lines of times after the line {jobs} {machines}"
            _refuse(path, line, 0, got, f"{machines}, one for each machine")
        yield _columns(path, body, jobs)
        place += 1 + machines


def _columns(path: Path, body: list[tuple[int, list[str]]], jobs: int) -> list[list[int]]:
    meaning = f"a processing time, an integer from 1 to {_LONGEST:,}"
    table: list[list[int]] = []
    for line, words in body:
        if len(words) != jobs:
            _refuse(path, line, 0, f"{len(words)} numbers", f"{jobs}, the times of all jobs on one machine")
        table.append([_number(path, line, words, k, _LONGEST, meaning) for k in range(jobs)])
    return [list(job) for job in zip(*table, strict=True)]


def _number(path: Path, line: int, words: list[str], place: int, high: int, expected: str) -> int:
    word: Any = words[place]
    value = int(word) if re.fullmatch(r"[+-]?[0-9]{1,20}", word) else None
    if value is None or not 1 <= value <= high:
        _refuse(path, line, place + 1, shown(word) if value is None else str(value), expected)
    return value


def _refuse(path: Path, line: int, place: int, got: str, expected: str) -> NoReturn:
    column = f" column {place}" if place else ""
    raise InstanceFileError(f"{path} line {line}{column}: got {got}, expected {expected}")
