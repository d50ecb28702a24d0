"""Rows of a record for other programs, as JSON lines or CSV."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from ...evolve.store.exports import export_rows
from ...sandbox import unseen
from ..words import escaped
from .record import RunRecord

CASSETTE = "cassette"
"""What models were asked and said, usable without the run: `--model replay/FILE.jsonl`."""

ELITES = "elites"
"""Who holds which cell of the archive at the end of the record."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(\d++(/\d+|(\.\d+)?(e[+-]?\d+)?)|\.\d+(e[+-]?\d+)?|inf)")
"""Exact numbers as they are stored: `-12`, `-7/3`, `-0.5`."""


def rows(record: RunRecord, what: str) -> Iterator[dict[str, Any]]:
    """Rows of an export, one at a time."""
    if what == CASSETTE:
        from ..proposers import cassette_of

        yield from cassette_of(record.reader).rows()
        return
    if what == ELITES:
        yield from _elites(record)
        return
    yield from export_rows(record.reader, what)


def _elites(record: RunRecord) -> Iterator[dict[str, Any]]:
    """One row for each filled cell of each island, best elite first."""
    for elite in record.archive.elites() if record.archive is not None else ():
        yield {
            "island": elite.island,
            "cell": list(elite.cell),
            "candidate": elite.candidate.id,
            "train_fitness": elite.fitness,
        }


def write_rows(found: Iterator[Mapping[str, Any]], form: str, stream: IO[str]) -> int:
    """Writes rows as JSON lines or CSV; returns how many. Nested values are JSON texts in CSV."""
    count = 0
    writer: Any = None
    for row in found:
        count += 1
        if form == "jsonl":
            stream.write(escaped(json.dumps(row, ensure_ascii=False)) + "\n")
            continue
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return count


def _cell(value: Any) -> Any:
    """A value of a CSV row, without characters that nobody sees but for tabs and line ends.

    What a spreadsheet would take for a formula gets an apostrophe: a model may have written it.
    """
    if isinstance(value, dict | list):
        return json.dumps(value)
    if not isinstance(value, str):
        return value
    text = unseen.clean(value, tab="\t")
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
