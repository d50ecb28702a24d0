"""A run for others as one .zip: its store without prompts and replies, and its champion.

The file of somebody else is hostile input: few entries of known names, no links, no more bytes than allowed,
only store and champion are taken out. What the store says is a foreign record; the champion never runs.
"""

from __future__ import annotations

import io
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ...evolve.store.exports import copy_without_calls
from ...evolve.store.schema import FILE_NAME
from ..errors import INVALID, NO_CANDIDATE, UserError
from .record import RunRecord
from .standalone import program_text

_CHAMPION = "champion.py"
_README = "README.txt"
_NAMES = (FILE_NAME, _CHAMPION, _README)
_MOST_BYTES = 2**30
"""Of the store in a bundle, however small its compressed form is."""
_MOST_TEXT = 2**21
"""Bytes of the champion in a bundle."""
_CHUNK = 2**20
_MOST_AT_ONCE = 2 * _CHUNK
"""Bytes of a bundle that are read at once; its list of entries has a few hundred."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def write_bundle(record: RunRecord, stream: IO[bytes]) -> None:
    """Writes a run's champion, instances, references and record, without prompts, replies and addresses.

    Raises:
        UserError: no candidate is feasible.
    """
    if record.best is None:
        raise UserError(
            NO_CANDIDATE, f"{record.name}: no feasible candidate yet, so there is nothing to verify"
        )
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / FILE_NAME
        copy_without_calls(record.reader, store)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.write(store, FILE_NAME)
            bundle.writestr(_CHAMPION, program_text(record, record.best, _CHAMPION))
            bundle.writestr(_README, _words(record))


def _words(record: RunRecord) -> str:
    return (
        f"{record.headline['text']}\n\n"
        "Check this with Gapsmith: gapsmith verify FILE.zip\n"
        f"It compares {_CHAMPION} with the record and runs the record's champion and the baselines\n"
        "again on the recorded instances. It compares every answer and gap, draws the instances again\n"
        "and proves a sample of the references again.\n"
    )


def is_bundle(text: str) -> bool:
    """Whether an argument names a bundle and no run."""
    return text.endswith(".zip") and Path(text).is_file()


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The run folder that a bundle holds, for the time of the block.

    Raises:
        UserError: the file is no bundle, or larger than any.
    """
    name = path.stem if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}", path.stem) else "bundle"
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / name
        folder.mkdir()
        try:
            with _Pieces(path) as file, zipfile.ZipFile(file) as bundle:
                _take(bundle, folder)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            RuntimeError,
            NotImplementedError,
            ValueError,
        ) as error:
            raise _refusal(path, f"no readable .zip ({type(error).__name__})") from error
        except zipfile.LargeZipFile as error:
            raise _refusal(path, "too large") from error
        except _Unfit as error:
            raise _refusal(path, str(error)) from error
        yield folder


class _Unfit(Exception):
    """What is wrong with a bundle."""


class _Pieces(io.FileIO):
    """A file of which no more than `_MOST_AT_ONCE` bytes are read at once.

    The list of a .zip's entries is read at once, and two million entries take gigabytes before they can be
    counted.
    """

    def read(self, size: int | None = -1) -> bytes:
        """Bytes of the file.

        Raises:
            _Unfit: more are wanted at once than any bundle needs.
        """
        if size is not None and size > _MOST_AT_ONCE:
            raise _Unfit(f"holds a list of entries of {size:,} bytes")
        return super().read(size) or b""


def _refusal(path: Path, why: str) -> UserError:
    return UserError(
        INVALID,
        f"{path}: {why}; expected a bundle",
        "make one with `gapsmith export RUN --bundle -o FILE.zip`",
    )


def champion_difference(folder: Path, record: RunRecord) -> dict[str, str] | None:
    """How the champion of an unpacked bundle differs from that of its store; None if it does not.

    Comments of the header may differ, for they name versions; the first line, which says the coding, may not.
    """
    try:
        text = (folder / _CHAMPION).read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        text = ""
    assert record.best is not None, "a run without a champion was refused"
    stored = program_text(record, record.best, _CHAMPION)
    if _code(text) == _code(stored):
        return None
    told = ("the store's", "another text, which was not run")
    return {"what": f"{_CHAMPION} of the bundle", "recorded": told[0], "now": told[1]}


def _code(text: str) -> tuple[str, list[str]]:
    """The first line of a program, and the lines from the first one on that is no comment.

    A line with a carriage return is no comment here: Python ends the line there and runs the rest.
    """
    lines = text.split("\n")
    header = 0
    while header < len(lines) and lines[header].startswith("#") and lines[header].isprintable():
        header += 1
    return lines[0], lines[header:]


def _take(bundle: zipfile.ZipFile, folder: Path) -> None:
    """Copies the store and the champion out of a bundle.

    Raises:
        _Unfit: the bundle holds other things, a link, an encrypted entry, or too many bytes.
    """
    entries = bundle.infolist()
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names) or not set(names) <= set(_NAMES) or FILE_NAME not in names:
        raise _Unfit(f"holds {len(names)} entries, among them other ones than {', '.join(_NAMES)}")
    for entry in entries:
        mode = entry.external_attr >> 16
        if entry.flag_bits & 1 or entry.compress_type not in _METHODS:
            raise _Unfit(f"{entry.filename} is encrypted or packed in an unusual way")
        if entry.is_dir() or (stat.S_IFMT(mode) and not stat.S_ISREG(mode)):
            raise _Unfit(f"{entry.filename} is no plain file")
    for name, most in ((FILE_NAME, _MOST_BYTES), (_CHAMPION, _MOST_TEXT)):
        if name in names:
            _copy(bundle, folder / name, most)


def _copy(bundle: zipfile.ZipFile, target: Path, most: int) -> None:
    """Copies one entry of a bundle, of at most `most` bytes.

    Raises:
        _Unfit: the entry has more.
    """
    size = 0
    with bundle.open(target.name) as source, target.open("xb") as stream:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > most:
                raise _Unfit(f"{target.name} has more than {most:,} bytes")
            stream.write(chunk)
