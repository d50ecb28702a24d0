"""Exports rows of a run's record as JSON lines or CSV."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from ...evolve.store.exports import export_rows
from ...problems.base import decode_number
from ...sandbox import unseen
from ..words import escaped
from .record import RunRecord

CASSETTE = "cassette"
"""Prompts and replies of all model calls; `--model replay/FILE.jsonl` answers from them without the run."""

SCORES = "scores"
"""Every program on every instance that it was executed on."""

ELITES = "elites"
"""The elite of each cell of the archive at the end of the record."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Starts of a formula, in full width too, as some spreadsheets read them."""
_NUMBER = re.compile(r"[+-]?(\d++(/\d+|(\.\d+)?(e[+-]?\d+)?)|\.\d+(e[+-]?\d+)?|inf)")
"""Numbers as the store writes them: `-12`, `-7/3`, `-0.5`, `1e-09`."""


def rows(record: RunRecord, what: str) -> Iterator[dict[str, Any]]:
    """Yields the rows of an export."""
    if what == CASSETTE:
        from .recorded import cassette_of

        yield from cassette_of(record.reader).rows()
        return
    if what == ELITES:
        yield from _elites(record)
        return
    for row in export_rows(record.reader, what):
        yield _with_numbers(row) if what == SCORES else row


def _with_numbers(row: dict[str, Any]) -> dict[str, Any]:
    """A score with numbers for any program beside the exact texts: `gap_percent`, `objective_number`, …"""
    numbers = {key: _float(row[key]) for key in ("objective", "reference", "excess", "gap")}
    gap = numbers.pop("gap")
    row = {**row, "gap_percent": None if gap is None else 100 * gap}
    return {**row, **{f"{key}_number": value for key, value in numbers.items()}}


def _float(text: str | None) -> float | None:
    """A stored number as a float; None of one that is beyond all floats."""
    try:
        return None if text is None else float(decode_number(text))
    except OverflowError:
        return None


def _elites(record: RunRecord) -> Iterator[dict[str, Any]]:
    """Yields one row for each filled cell of each island, the best elite first."""
    for elite in record.archive.elites() if record.archive is not None else ():
        yield {
            "island": elite.island,
            "cell": list(elite.cell),
            "candidate": elite.candidate.id,
            "train_fitness": elite.fitness,
        }


def write_rows(rows: Iterator[Mapping[str, Any]], form: str, stream: IO[str]) -> int:
    """Writes rows as JSON lines or CSV and returns their number; CSV holds nested values as JSON texts."""
    count = 0
    writer: Any = None
    for row in rows:
        count += 1
        if form == "jsonl":
            write_row(row, stream)
            continue
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return count


def write_row(row: Mapping[str, Any], stream: IO[str]) -> None:
    """Writes a row as one JSON line."""
    stream.write(escaped(json.dumps(row, ensure_ascii=False)) + "\n")


def _cell(value: Any) -> Any:
    """A value for a CSV row, without invisible characters other than tabs and line ends.

    Puts an apostrophe before a text that a spreadsheet would read as a formula, because a model may have
    written that text.
    """
    if isinstance(value, dict | list):
        return json.dumps(value)
    if not isinstance(value, str):
        return value
    text = unseen.clean(value, tab="\t")
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
