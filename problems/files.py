"""Shared parts of the readers of users' files: names, lines, and JSON stricter than Python's."""

from __future__ import annotations

import glob
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from .base import InstanceFileError
from .plain import NAME, brief, is_name

_MOST_BYTES = 512 << 20
"""Of a file; a larger one would fill the memory."""
_DIGITS = 60
"""Integers with more digits are read as decimals, because Python refuses more than 4300 digits."""
_LONGEST_NUMBER = 10_000
"""Characters of a number: exact arithmetic with a million digits takes minutes."""
_NUMBER = re.compile(r"[-+]?(?:[0-9]++(?:[.][0-9]*+)?|[.][0-9]++)(?:[eE][-+]?[0-9]++)?")


class JsonFault(ValueError):
    """A text that is not accepted as JSON.

    Attributes:
        got, expected: found and expected text, for the reader's message.
        line, column: position in the text, from 1; 0 if unknown.
    """

    def __init__(self, got: str, expected: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"got {got}, expected {expected}")
        self.got, self.expected, self.line, self.column = got, expected, line, column


def check_file_name(path: Path) -> None:
    """Refuses a file whose name cannot name a set, or instances without their own ids.

    Raises:
        InstanceFileError: the file's name, with or without its ending, is not a valid name.
    """
    if not (is_name(path.name) and is_name(path.stem)):
        raise InstanceFileError(f"file name: got {path.name!r}, expected {NAME}; rename the file")


def read_text(path: Path) -> str:
    """The text of a user's file, whose name must be able to name a set.

    Raises:
        InstanceFileError: the name is not valid, or the file is no readable UTF-8 text.
    """
    check_file_name(path)
    return text_of(path)


def text_of(path: Path) -> str:
    """The text of a user's file of any name.

    Raises:
        InstanceFileError: the file is no readable UTF-8 text.
    """
    try:
        # A pipe or device has no end: the opening waits for nothing, and such a file is not read.
        with open(path, encoding="utf-8-sig", opener=_at_once) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
                raise InstanceFileError(
                    f"{path}: got a pipe, a device or more than {_MOST_BYTES >> 20} MiB, expected a text"
                )
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InstanceFileError(f"{path}: cannot be read: {error}; expected UTF-8 text") from error


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def link_out(source: Path, names: Sequence[str]) -> str | None:
    """Says which name is a link that leads out of a folder, or out of the folder in which a pattern begins.

    What such a link leads to would be read, and would stand in records and prompts. None if there is none.
    """
    folder = next(part for part in (source, *source.parents) if not glob.has_magic(str(part)))
    real = folder.resolve()
    for name in names:
        try:
            inside = Path(name).resolve().is_relative_to(real)
        except (OSError, RuntimeError):  # a circle of links
            inside = False
        if not inside:
            return f"{name}: a link that leads out of {folder}"
    return None


def beside(path: Path, name: str) -> Path:
    """The file of this name beside a user's file, which belongs to the instance.

    Raises:
        InstanceFileError: a link leads out of the folder.
    """
    other = path.with_name(name)
    if other.is_symlink() and os.path.dirname(os.path.realpath(other)) not in {
        os.path.realpath(path.parent),
        os.path.dirname(os.path.realpath(path)),
    }:
        raise InstanceFileError(
            f"{other}: a link that leads out of {path.parent}; put a copy of the file there"
        )
    return other


def read_name(value: object, where: str) -> str:
    """The name of an instance or a stratum; an integer becomes its digits, since instances may be numbered.

    Raises:
        InstanceFileError: the value is not a valid name; the message begins with `where`.
    """
    name = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not is_name(name):
        raise InstanceFileError(f"{where}: got {shown(value)}, expected {NAME}")
    return name


def split_lines(text: str) -> list[str]:
    r"""The lines of a text whose line ends are all \n, as `Path.read_text` gives them.

    `str.splitlines` would also split at U+2028, U+0085 and others, which JSON texts and CSV cells may hold.
    """
    return text.split("\n")


def parse_json(
    text: str,
    parse_float: Callable[[str], Any] = float,
    parse_constant: Callable[[str], Any] = float,
) -> Any:
    """The value of a JSON text; a very long integer becomes a Decimal, which the readers refuse.

    Raises:
        JsonFault: the text is not JSON, is nested too deeply, or repeats a key within an object.
    """
    try:
        return json.loads(
            text,
            parse_int=_integer,
            parse_float=parse_float,
            parse_constant=parse_constant,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise JsonFault(f"no JSON ({error.msg})", "JSON", error.lineno, error.colno) from error
    except RecursionError as error:
        raise JsonFault("no JSON that can be read (nested too deep)", "few levels of nesting") from error


def decimal(text: str) -> Decimal:
    """The exact value of a JSON number.

    Raises:
        JsonFault: the exponent is too large for a decimal, or the number is too long.
    """
    if len(text) > _LONGEST_NUMBER:
        raise JsonFault(f"a number of {len(text):,} characters", f"at most {_LONGEST_NUMBER:,}")
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise JsonFault(f"the number {shown(text)}", "a smaller exponent") from error


def number_of(written: int | Decimal | str) -> Decimal | None:
    """The exact value of a number, in a text with plain digits; None for a text that is none, or is too long.

    Python would also read digits of other scripts, and `1_0` as 10.
    """
    if isinstance(written, str):
        written = written.strip()
        if len(written) > _LONGEST_NUMBER or not _NUMBER.fullmatch(written):
            return None
    try:
        return Decimal(written)
    except InvalidOperation:
        return None


def shown(value: object) -> str:
    """A value for a message, shortened if long."""
    if not isinstance(value, Decimal):
        return brief(value)
    if value.as_tuple().exponent == 0 and value.adjusted() >= _DIGITS:
        return f"an integer of {value.adjusted() + 1:,} digits, which is too large"
    return str(value) if len(str(value)) <= _DIGITS else f"{value:.3e}"


def _integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= _DIGITS else Decimal(text)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; refuses a repeated key, for which Python would silently keep the last value."""
    document = dict(pairs)
    if len(document) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key in document if times[key] > 1)
        raise JsonFault(f"the key {shown(twice)} twice", "each key of an object once")
    return document
