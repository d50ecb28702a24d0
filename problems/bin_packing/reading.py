"""Reads users' items: JSON lines, CSV, OR-Library's or BPPLIB's text; errors name the row and the reason."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from ..base import InstanceFileError
from ..files import JsonFault, decimal, number_of, parse_json, read_name, read_text, shown, split_lines
from .laws import ItemDraw

MAX_ITEMS = 100_000
MAX_DIGITS = 6
MAX_CAPACITY = 10**12
_READ_OVER = ("note", "comment")
"""Keys and columns that say nothing about the instance."""
_KEYS = ("capacity", "sizes", "id", "stratum", *_READ_OVER)
"""Of an object of JSON lines."""
_FINEST = Decimal(1).scaleb(-MAX_DIGITS)

FORMAT = (
    "JSON lines (.jsonl): one object per line with `capacity` and `sizes` (list, in order of arrival), "
    "optionally `id` and `stratum`; `note` and `comment` are read over, others refused. CSV (.csv): header "
    "`instance,capacity,size`, perhaps `note` or `comment`, no other column; one row per item, rows of an "
    "instance together. OR-Library text (.txt): number of instances, then for each its name, a line with "
    "capacity, number of items and a listed value, and one size per line. BPPLIB text (.txt, .bpp): one "
    "number per line: number of items, capacity, then the sizes. Sizes and capacity are in any one "
    f"unit, 0 < size ≤ capacity; decimals with at most {MAX_DIGITS} digits after the point are scaled to "
    f"integers exactly; at most {MAX_ITEMS:,} items an instance."
)


@dataclass(frozen=True, slots=True)
class PackingEntry:
    """One instance of a user's file: `place` is where it begins (`row 7`), `source` names file, scaling."""

    id: str
    stratum: str
    draw: ItemDraw
    source: str
    place: str


@dataclass(frozen=True, slots=True)
class _Raw:
    """Numbers as written, each with its place in the file; `more` is added to the source."""

    id: str
    stratum: str
    capacity: tuple[str, Any]
    sizes: Sequence[tuple[str, Any]]
    more: str = ""


def read_items(path: Path) -> list[PackingEntry]:
    """Every instance of a file, sizes in integer units.

    Raises:
        InstanceFileError: names file, row, what was got and what was expected.
    """
    readers = {".jsonl": _json_lines, ".csv": _csv_rows, ".txt": _text, ".bpp": _text}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        _fail(path, "name", path.name, f"a file that ends in {', '.join(readers)}")
    text = read_text(path)
    entries: list[PackingEntry] = []
    seen: set[str] = set()
    for raw in reader(path, text):
        if raw.id in seen:
            _fail(path, raw.capacity[0], raw.id, "an instance name that no earlier instance has")
        seen.add(raw.id)
        entries.append(_entry(path, raw))
    if not entries:
        _fail(path, "file", "no instance", "at least one")
    return entries


def _entry(path: Path, raw: _Raw) -> PackingEntry:
    """Checks every number and scales the instance to integers."""
    place = raw.capacity[0]
    if not raw.sizes:
        _fail(path, place, "an empty instance", "at least one item")
    if len(raw.sizes) > MAX_ITEMS:
        _fail(path, place, f"{len(raw.sizes)} items", f"at most {MAX_ITEMS}")
    capacity = _number(path, place, "capacity", raw.capacity[1])
    if capacity <= 0 or capacity > MAX_CAPACITY:
        _fail(path, f"{place}, capacity", raw.capacity[1], f"a number > 0 and at most {MAX_CAPACITY}")
    sizes: list[Decimal] = []
    for where, written in raw.sizes:
        size = _number(path, where, "size", written)
        if not 0 < size <= capacity:
            _fail(path, f"{where}, size", written, f"a size > 0 and at most the capacity {capacity}")
        sizes.append(size)
    digits = max(_digits(number) for number in (capacity, *sizes))
    factor = 10**digits
    draw = ItemDraw(int(capacity * factor), [int(size * factor) for size in sizes])
    scaled = f", numbers × {factor}" if digits else ""
    return PackingEntry(raw.id, raw.stratum, draw, f"file {path.name}, {place}{scaled}{raw.more}", place)


def _number(path: Path, place: str, column: str, written: Any) -> Decimal:
    """A written number, exact; refused if it is none or has too many digits after the point."""
    if isinstance(written, bool) or not isinstance(written, int | Decimal | str):
        _fail(path, f"{place}, {column}", written, "a number")
    number = number_of(written)
    if number is None:
        _fail(path, f"{place}, {column}", written, "a number in plain digits")
    if not number.is_finite():
        _fail(path, f"{place}, {column}", written, "a finite number")
    if number.adjusted() > 15:
        _fail(path, f"{place}, {column}", shown(number), f"a number of at most {MAX_CAPACITY}")
    if number != number.quantize(_FINEST):
        why = f"a decimal with at most {MAX_DIGITS} digits after the point, so that it can be scaled exactly"
        _fail(path, f"{place}, {column}", written, why)
    return number


def _digits(number: Decimal) -> int:
    """Digits after the point, trailing zeros aside."""
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _json_lines(path: Path, text: str) -> Iterator[_Raw]:
    for number, line in enumerate(split_lines(text), 1):
        if not line.strip():
            continue
        place = f"row {number}"
        try:
            entry = parse_json(line, parse_float=decimal, parse_constant=Decimal)
        except JsonFault as fault:
            column = f", column {fault.column}" if fault.column else ""
            _fail(path, place + column, fault.got, fault.expected)
        unknown = [key for key in entry if key not in _KEYS] if isinstance(entry, dict) else []
        if unknown:
            _fail(path, place, f"the key {unknown[0]}", f"an object with keys of {', '.join(_KEYS)} alone")
        if not isinstance(entry, dict) or not isinstance(entry.get("sizes"), list) or "capacity" not in entry:
            _fail(path, place, line, "an object with `capacity` and `sizes` (a list)")
        sizes = [(f"{place}, item {j}", size) for j, size in enumerate(entry["sizes"])]
        yield _Raw(
            read_name(entry.get("id", f"{path.stem}-{number}"), f"{path.name} {place}, id"),
            read_name(entry.get("stratum", path.stem), f"{path.name} {place}, stratum"),
            (place, entry["capacity"]),
            sizes,
        )


def _csv_rows(path: Path, text: str) -> Iterator[_Raw]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        yield from _csv_instances(path, rows)
    except csv.Error as error:
        expected = f"comma-separated values, each of at most {csv.field_size_limit()} characters"
        # The reader below counts the line at fault, the DictReader only lines that it gave.
        _fail(path, f"row {rows.reader.line_num}", f"no CSV ({error})", expected)


def _csv_instances(path: Path, rows: csv.DictReader[str]) -> Iterator[_Raw]:
    columns, header = {"instance", "capacity", "size"}, list(rows.fieldnames or ())
    others = set(header) - columns - set(_READ_OVER)
    if not columns <= set(header) or others or len(set(header)) < len(header):
        expected = "a header with the columns instance,capacity,size, each once (note is read over)"
        _fail(path, "row 1", ",".join(header), expected)
    current: _Raw | None = None
    sizes: list[tuple[str, Any]] = []
    for row in rows:
        place = f"row {rows.line_num}"
        if any(row[column] is None for column in columns):
            _fail(path, place, "fewer columns", "one value for each column of the header")
        if None in row:
            _fail(path, place, "more columns", "one value for each column of the header")
        if current is None or row["instance"] != current.id:
            if current is not None:
                yield current
            sizes = []
            name = read_name(row["instance"], f"{path.name} {place}, instance")
            current = _Raw(name, path.stem, (place, row["capacity"]), sizes)
        elif row["capacity"] != current.capacity[1]:
            expected = f"{current.capacity[1]}, as in the instance's first row"
            _fail(path, f"{place}, capacity", row["capacity"], expected)
        sizes.append((place, row["size"]))
    if current is not None:
        yield current


_Lines: TypeAlias = "list[tuple[str, list[str]]]"
"""Place in the file and words of each line that holds any."""


def _text(path: Path, text: str) -> Iterator[_Raw]:
    """One of two formats, told apart by the number of lines with a single word: BPPLIB's have no other."""
    lines = [
        (f"row {number}", line.split()) for number, line in enumerate(split_lines(text), 1) if line.strip()
    ]
    single = len(lines) > 2 and all(len(words) == 1 for _, words in lines)
    return _bpplib(path, lines) if single else _or_library(path, lines)


def _bpplib(path: Path, lines: _Lines) -> Iterator[_Raw]:
    """BPPLIB's format, also Scholl's: M. Delorme, M. Iori, S. Martello, Optim. Lett. 12 (2018) 235–250."""
    (place, (items,)), (second, (capacity,)), *rows = lines
    if not _is_count(items):
        _fail(path, place, items, "the number of items")
    if len(rows) != int(items):
        _fail(path, place, f"{len(rows)} sizes below", f"{items}, as this row says")
    yield _Raw(path.stem, path.stem, (second, capacity), [(where, word) for where, (word,) in rows])


def _or_library(path: Path, lines: _Lines) -> Iterator[_Raw]:
    """OR-Library's format: J. E. Beasley, J. Oper. Res. Soc. 41 (1990) 1069–1072."""
    place, head = lines[0] if lines else ("row 1", [])
    if len(head) != 1 or not _is_count(head[0]):
        _fail(path, place, " ".join(head), "the number of instances")
    position = 1
    for _ in range(int(head[0])):
        if position + 1 >= len(lines):
            _fail(path, "end", "no further row", f"{head[0]} instances, as the first row says")
        (named, name), (place, numbers) = lines[position], lines[position + 1]
        if len(name) != 1:
            _fail(path, named, " ".join(name), "the name of an instance, one word")
        if len(numbers) != 3 or not _is_count(numbers[1]):
            _fail(path, place, " ".join(numbers), "capacity, number of items and a listed value")
        items = int(numbers[1])
        rows = lines[position + 2 : position + 2 + items]
        if len(rows) < items:
            _fail(path, place, f"{len(rows)} rows of sizes to the end", f"{items}, as this row says")
        for where, words in rows:
            if len(words) != 1:
                _fail(path, where, " ".join(words), "one size")
        sizes = [(where, words[0]) for where, words in rows]
        id = read_name(name[0], f"{path.name} {named}")
        yield _Raw(id, path.stem, (place, numbers[0]), sizes, f", listed value {numbers[2]}")
        position += 2 + items
    if position < len(lines):
        _fail(path, lines[position][0], " ".join(lines[position][1]), f"the end after {head[0]} instances")


def _is_count(word: str) -> bool:
    """Whether a word is a whole number that `int` reads: it refuses `²`, a digit, and thousands of digits."""
    return word.isdecimal() and len(word) <= 18


def _fail(path: Path, place: str, got: Any, expected: str) -> NoReturn:
    text = str(got) if isinstance(got, str | Decimal) else json.dumps(got, default=str)
    raise InstanceFileError(f"{path.name} {place}: got {text[:60]!r}, expected {expected}")
