"""Instance files as people keep them: one file, a folder, a pattern, or a collection's archive."""

from __future__ import annotations

import bz2
import glob
import gzip
import json
import lzma
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import IO, Any, cast

from ...problems.base import Instance, InstanceFileError, ReadsInstances
from ...problems.files import link_out
from ..errors import INVALID, USAGE, UserError
from ..formatting import count
from .loader import LoadedProblem

_FILE_ENDINGS = (".csv", ".json", ".jsonl", ".txt")
_ARCHIVES = (".zip", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2")
_MOST_FILES = 10_000
_MOST_BYTES = 512 * 1024 * 1024
"""Of all unpacked files of an archive together."""
_CHUNK = 1024 * 1024
_MOST_STRATA = 8
"""Strata above which instances of a collection are grouped by size instead."""
_SIZES = ("small", "medium", "large")
_SHOWN = 5
"""Refusals that a message holds."""
_MOST_ENTRIES = 10 * _MOST_FILES
"""Of a tar archive, those that are left out too (count)."""
_MOST_HEADER_BYTES = 4 * 1024 * 1024
"""Of what stands before one entry of a tar archive: it names its own length, and is read whole."""
_DAMAGE = (
    OSError,
    MemoryError,
    ValueError,  # a name that no file can have
    EOFError,
    RuntimeError,  # an encrypted archive
    NotImplementedError,  # a compression that Python lacks
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading one file of a source gave.

    Attributes:
        name: of the file: relative to its folder, or as in its archive.
        instances: as read; empty where it was refused.
        fault: why it was refused, None otherwise.
    """

    name: str
    instances: tuple[Instance, ...] = ()
    fault: str | None = None


def names_file(text: str) -> bool:
    """Whether a text that may name a set means files: one exists, or a folder, pattern or ending is named."""
    path = Path(text)
    return path.exists() or len(path.parts) > 1 or path.suffix in _FILE_ENDINGS or _is_many(text)


def are_there(text: str) -> bool:
    """Whether files that a text names exist, so that they would be read."""
    return os.path.exists(text) or (glob.has_magic(text) and next(glob.iglob(text), None) is not None)


def _is_many(text: str) -> bool:
    """Whether a text names more than one plain file."""
    return glob.has_magic(text) or text.lower().endswith((*_ARCHIVES, ".gz")) or Path(text).is_dir()


def read_source(loaded: LoadedProblem, text: str) -> Sequence[Instance]:
    """The instances of a file, of all files of a folder or pattern, or of an archive (zip, tar, gz).

    Instances of several files get ids of their own, and, where they would fall into more than eight strata,
    three strata by size.

    Raises:
        UserError: the problem reads no files, or any file cannot be read; says which, and why.
    """
    readings = list(readings_of(loaded, text))
    refused = [reading for reading in readings if reading.fault is not None]
    if refused:
        raise _refusal(loaded, text, readings, refused)
    instances = [instance for reading in readings for instance in reading.instances]
    if not instances:
        raise UserError(INVALID, f"{text}: no instances, expected at least one")
    return _as_one_set(readings, Path(text).name) if _is_many(text) else instances


def readings_of(loaded: LoadedProblem, text: str) -> Iterator[Reading]:
    """Reads each file of a source, refusals as data.

    Raises:
        UserError: the problem reads no files, or there is no file, or the archive is damaged or too large.
    """
    with _files(text) as files:
        for name, path in files:
            yield _read_one(loaded, path, name)


def _read_one(loaded: LoadedProblem, path: Path, name: str) -> Reading:
    if not isinstance(loaded.problem, ReadsInstances):
        reader = "give the problem a reader (`@problem.read`, or `read_instances` of a class)"
        hint = f"{reader}; where a set may stand, name one of its sets instead"
        raise UserError(USAGE, f"{loaded.name}: reads no instance files", hint)
    try:
        instances = tuple(loaded.problem.read_instances(path))
    except InstanceFileError as error:
        return Reading(name, fault=str(error).replace(str(path), name))
    except OSError as error:
        return Reading(name, fault=f"{name}: {error.strerror}, expected a file with instances")
    if not instances:
        return Reading(name, fault=f"{name}: no instances, expected at least one")
    return Reading(name, instances)


def _refusal(
    loaded: LoadedProblem, text: str, readings: Sequence[Reading], refused: Sequence[Reading]
) -> UserError:
    """One error that names the refused files; no file is left out in silence."""
    form = f"format: `gapsmith problems show {loaded.named}`"
    if len(readings) == 1:
        return UserError(INVALID, str(refused[0].fault), form)
    lines = [f"\n  {reading.fault}" for reading in refused[:_SHOWN]]
    more = len(refused) - _SHOWN
    if more > 0:
        lines.append(f"\n  and {more} more: `gapsmith problems read {loaded.named} {quote(text)}` lists all")
    return UserError(
        INVALID,
        f"{text}: {len(refused)} of {count(len(readings), 'file')} cannot be read{''.join(lines)}",
        f"name the others with a pattern, such as 'FOLDER/*.txt', or mend them; {form}",
    )


def _as_one_set(readings: Sequence[Reading], name: str) -> list[Instance]:
    """Instances of several files as a set of a name, with ids that no two share and a handful of strata."""
    instances: list[Instance] = []
    ids: set[str] = set()
    for reading in readings:
        stem = PurePosixPath(reading.name).stem
        for instance in reading.instances:
            candidates = (instance.id, f"{stem}-{instance.id}", f"{len(instances) + 1}-{instance.id}")
            id = next(candidate for candidate in candidates if candidate not in ids)
            ids.add(id)
            instances.append(replace(instance, id=id, split=name))
    return by_size(instances) if len({i.stratum for i in instances}) > _MOST_STRATA else instances


def by_size(instances: Sequence[Instance]) -> list[Instance]:
    """Instances whose strata are thirds by size: the length of the public part as JSON text (characters)."""
    sizes = [len(json.dumps(dict(instance.public))) for instance in instances]
    ordered = sorted(sizes)
    bounds = [ordered[len(ordered) * third // 3] for third in (1, 2)]
    return [
        replace(instance, stratum=_SIZES[sum(size >= bound for bound in bounds)])
        for instance, size in zip(instances, sizes, strict=True)
    ]


@contextmanager
def _files(text: str) -> Iterator[Iterator[tuple[str, Path]]]:
    """The files of a source as (name, path); those of an archive lie in a folder that goes afterwards."""
    path = Path(text)
    lower = text.lower()
    if path.is_file() and lower.endswith((*_ARCHIVES, ".gz")):
        with tempfile.TemporaryDirectory(prefix="gapsmith-instances-") as folder:
            try:
                unpacked = _unpacked(path, Path(folder))
            except _DAMAGE as error:
                said = str(error) or type(error).__name__
                raise UserError(INVALID, f"{path}: cannot be unpacked: {said}", "unpack it by hand") from None
            yield iter(unpacked)
        return
    if path.is_file():
        names = [text]
    else:
        names = _in_folder(path) if path.is_dir() else sorted(glob.glob(text, recursive=True))
    files = [(name, Path(name)) for name in names if Path(name).is_file()]
    if not files:
        expected = "expected a file, folder, pattern or archive of instances"
        what = "no files" if path.is_dir() or glob.has_magic(text) else "no such file"
        raise UserError(INVALID, f"{text}: {what}, {expected}")
    _check_number(path, len(files))
    if _is_many(text) and (outside := link_out(path, names)):
        raise UserError(INVALID, outside, "put a copy of the file there, or name the file itself")
    yield iter(files)


def _in_folder(folder: Path) -> list[str]:
    """Files of a folder and those below it, hidden ones and linked folders left out."""
    names = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        names += [os.path.join(place, name) for name in files if not name.startswith(".")]
    return sorted(names)


def _check_number(path: Path, number: int) -> None:
    if number > _MOST_FILES:
        raise UserError(
            INVALID, f"{path}: got {number} files, expected at most {_MOST_FILES}", "name a part of them"
        )


def _unpacked(path: Path, folder: Path) -> list[tuple[str, Path]]:
    """Unpacks an archive's plain files, each into a folder of its own: names in archives are not trusted."""
    files: list[tuple[str, Path]] = []
    left = _MOST_BYTES
    for name, stream in _members(path):
        _check_number(path, len(files) + 1)
        target = folder / str(len(files)) / PurePosixPath(name).name
        target.parent.mkdir()
        with stream, target.open("wb") as file:
            while chunk := stream.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise UserError(
                        INVALID,
                        f"{path}: more than {_MOST_BYTES // 2**20} MiB unpacked",
                        "unpack it by hand and name a part of its files",
                    )
                file.write(chunk)
        files.append((name, target))
    if not files:
        raise UserError(INVALID, f"{path}: holds no files, expected files with instances")
    return sorted(files)


def _members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Plain files of an archive by their names in it; links, devices and hidden files are left out."""
    lower = path.name.lower()
    if lower.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.is_dir() and _is_plain(entry.filename):
                    yield entry.filename, archive.open(entry)
    elif lower.endswith(_ARCHIVES):
        yield from _members_of_tar(path)
    else:
        with gzip.open(path) as packed:
            yield path.name[: -len(".gz")], cast(IO[bytes], packed)


def _members_of_tar(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with path.open("rb") as file:
        start = file.read(6)
    openers: dict[bytes, Callable[[Path, str], Any]] = {
        b"\x1f\x8b": gzip.open,
        b"BZh": bz2.open,
        b"\xfd7zXZ\0": lzma.open,
    }
    opener = next((one for mark, one in openers.items() if start.startswith(mark)), Path.open)
    with cast(IO[bytes], opener(path, "rb")) as packed:
        bounded = _Bounded(packed)
        with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r:") as tar:
            for number, member in enumerate(tar):
                if number >= _MOST_ENTRIES:
                    raise tarfile.ReadError(f"more than {_MOST_ENTRIES} entries")
                stream = tar.extractfile(member) if member.isreg() and _is_plain(member.name) else None
                if stream is not None:
                    bounded.left = _MOST_BYTES + 2 * _CHUNK  # `_unpacked` counts all files together
                    yield member.name, stream
                bounded.left = _MOST_HEADER_BYTES


class _Bounded:
    """A stream that gives no more than a number of bytes.

    Attributes:
        left: bytes that may be read from here on (count).
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.left = _MOST_HEADER_BYTES

    def read(self, size: int = -1) -> bytes:
        """The next bytes.

        Raises:
            ReadError: they are too many.
        """
        if not 0 <= size <= self.left:
            raise tarfile.ReadError("the description of an entry is too long")
        self.left -= size
        return self._stream.read(size)

    def seek(self, place: int) -> int:
        """Goes to a place from the beginning (byte)."""
        return self._stream.seek(place)

    def tell(self) -> int:
        """The place from the beginning (byte)."""
        return self._stream.tell()


def _is_plain(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and parts[0] != "__MACOSX" and not any(part.startswith(".") for part in parts)
