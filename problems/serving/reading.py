"""A user's requests: CSV with arrival, prompt and output tokens, after the workers and their memory."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ..base import InstanceFileError
from ..files import read_text, shown
from ..strata import Draw
from .laws import scale

FORMAT = """\
CSV: a line `workers,NUMBER`, a line `memory,NUMBER` (tokens of one worker), a line
`arrival,prompt_tokens,output_tokens`, then one request a line. Arrivals are rounds (one token of output each)
from 0, in any order; tokens are at least 1, and prompt and output together at most the memory. All are whole
numbers."""

_HEADER = ["arrival", "prompt_tokens", "output_tokens"]
_MOST_REQUESTS, _MOST_WORKERS, _MOST_TOKENS, _MOST_OUTPUTS, _LATEST = 1_000, 64, 10**7, 100_000, 100_000


@dataclass(frozen=True, slots=True)
class ServingEntry:
    """An instance of a file before its parts are hidden or not."""

    name: str
    set: str
    stratum: str
    draw: Draw
    source: str


def read(path: Path) -> list[ServingEntry]:
    """The instance of a file.

    Raises:
        InstanceFileError: names file, row and column, what was got and what was expected.
    """
    text = read_text(path)
    rows = _rows(path, text)
    workers = _setting(path, next(rows, (0, [])), "workers", _MOST_WORKERS)
    memory = _setting(path, next(rows, (0, [])), "memory", _MOST_TOKENS)
    place, header = next(rows, (0, []))
    if header != _HEADER:
        _refuse(path, place, 0, ",".join(header) or "nothing", ",".join(_HEADER))
    requests = [_request(path, place, cells, memory) for place, cells in rows]
    if not requests:
        _refuse(path, place, 0, "no request", "at least one")
    if len(requests) > _MOST_REQUESTS or sum(output for *_, output in requests) > _MOST_OUTPUTS:
        tokens = sum(output for *_, output in requests)
        expected = f"at most {_MOST_REQUESTS:,} requests with {_MOST_OUTPUTS:,} output tokens in all"
        _refuse(path, place, 0, f"{len(requests)} requests with {tokens} output tokens", expected)
    arrivals, prompts, outputs = map(list, zip(*sorted(requests, key=lambda r: r[0]), strict=True))
    public = {
        "workers": workers,
        "memory": memory,
        "arrivals": arrivals,
        "prompts": prompts,
        "outputs": outputs,
    }
    stratum = f"{len(requests)} requests, {workers} workers"
    return [ServingEntry(path.stem, path.name, stratum, Draw(public, scale(outputs)), f"file {path.name}")]


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row that is not empty."""
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        _refuse(path, reader.line_num, 0, f"no CSV ({error})", "CSV")


def _setting(path: Path, row: tuple[int, Sequence[str]], key: str, most: int) -> int:
    place, cells = row
    if len(cells) != 2 or cells[0] != key:
        _refuse(path, place, 0, ",".join(cells) or "nothing", f"{key},NUMBER")
    return _whole(path, place, 2, cells[1], 1, most, key)


def _request(path: Path, place: int, cells: Sequence[str], memory: int) -> tuple[int, int, int]:
    if len(cells) != len(_HEADER):
        _refuse(path, place, 0, f"{len(cells)} cells", f"{len(_HEADER)}: {','.join(_HEADER)}")
    arrival = _whole(path, place, 1, cells[0], 0, _LATEST, "an arrival")
    prompt = _whole(path, place, 2, cells[1], 1, memory, "tokens of a prompt")
    output = _whole(path, place, 3, cells[2], 1, memory, "tokens of an output")
    if prompt + output > memory:
        _refuse(path, place, 0, f"{prompt} + {output} tokens", f"at most the memory, {memory}")
    return arrival, prompt, output


def _whole(path: Path, place: int, column: int, text: str, low: int, high: int, meaning: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
    if not low <= value <= high:
        _refuse(path, place, column, shown(text), f"{meaning}, a whole number from {low} to {high:,}")
    return value


def _refuse(path: Path, row: int, column: int, got: str, expected: str) -> NoReturn:
    where = (f" row {row}" if row else "") + (f" column {column}" if column else "")
    raise InstanceFileError(f"{path}{where}: got {got}, expected {expected}")
