"""The one door to a store: the file is examined first, and a store to read gets limits and a deadline.

A run folder may come from another user: nothing in its store is executed, followed or waited for.
"""

from __future__ import annotations

import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from . import schema
from .schema import FILE_NAME, StoreError, check_schema, migrate, schema_version

READ_SECONDS = 60.0
"""Wall time that the queries of one reader may take together."""
GLANCE_SECONDS = 5.0
"""The same for a reader of a few values, such as a row of `gapsmith list`."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What damage raises; the latter where SQLite's message quotes bytes of the file."""
MAX_VALUE_BYTES = 2**26
"""Bytes of the longest text or row that is written or read."""
MAX_RESULT_BYTES = 2**28
"""Bytes of the rows that one query may hold in memory."""
_MAX_COPY_BYTES = 2**30
_OPERATIONS = 10_000
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MAX_VALUE_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 10,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


class Clock:
    """The wall time (seconds) that the queries of a reader have left; time between queries does not count."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds
        self._since: float | None = None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Counts the time of one query."""
        self._since = time.monotonic()
        try:
            yield
        finally:
            self._left -= time.monotonic() - self._since
            self._since = None

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        elapsed = 0.0 if self._since is None else time.monotonic() - self._since
        return elapsed > self._left


def open_writing(folder: Path) -> sqlite3.Connection:
    """The store of a run folder for its one writer, made or brought to the current schema.

    Raises:
        StoreError: it is no store, or was written by a newer version.
    """
    path = folder / FILE_NAME
    there = _examine(path)
    try:
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
        with _closed_on_error(database):
            _distrust(database)
            version = check_schema(database, path)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA foreign_keys = ON")
            migrate(database, version)
    except UNREADABLE as error:
        if not there and isinstance(error, sqlite3.OperationalError):
            _unmake(path)
            raise StoreError(
                f"{path}: {error}; nothing of the run is stored: make room, then start the run again"
            ) from error
        raise damaged(path, error) from error
    return database


def _unmake(path: Path) -> None:
    """Removes a store that could not be made whole."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def open_reading(folder: Path, clock: Clock, *, checked: bool) -> sqlite3.Connection:
    """The store of a run folder, read only; works in a folder that cannot be written.

    An older schema is migrated on a copy in memory, the file stays as it is. With `checked` the whole file
    is compared with its schema first: pages, rows and the types of values.

    Raises:
        StoreError: there is no store, it cannot be read, or was written by a newer version.
    """
    path = folder / FILE_NAME
    if not _examine(path):
        raise StoreError(f"{path}: not found; expected the store of a run")
    try:
        with clock.running():
            database = _connect_reading(path, clock)
            with _closed_on_error(database):
                version = check_schema(database, path)
                if not version:
                    raise StoreError(f"{path}: an empty file; expected the store of a run")
                old = version < schema.SCHEMA_VERSION
                if checked or old:
                    _check_rows(database, path)
                if old:
                    database = _migrated_copy(database, path, version)
                    database.set_progress_handler(lambda: clock.over, _OPERATIONS)
                database.execute("PRAGMA query_only = ON")
    except UNREADABLE as error:
        raise late(path) if clock.over else damaged(path, error) from error
    return database


def damaged(path: Path, error: Exception) -> StoreError:
    """The error for a file that SQLite cannot make sense of.

    Raises:
        KeyboardInterrupt: a Ctrl-C came while a query ran; SQLite gives it as a query that was interrupted.
    """
    if getattr(error, "sqlite_errorname", None) == "SQLITE_INTERRUPT":
        raise KeyboardInterrupt from error
    return StoreError(f"{path}: {error}; the file is damaged or no store of a run")


def late(path: Path) -> StoreError:
    """The error for a file whose queries take longer than those of a run do."""
    return StoreError(
        f"{path}: reading takes too long; the file is damaged, was made to be slow, or the disk is very slow"
    )


def _examine(path: Path) -> bool:
    """Whether there is a file, which is then a plain one, as are SQLite's own files beside it.

    Only names are looked at: opening and closing the file here would drop the locks that SQLite holds on it
    elsewhere in this process.

    Raises:
        StoreError: one of them is a link, a pipe, a device or a folder, or cannot be looked at, or there is a
            rollback journal.
    """
    exists = False
    for suffix in ("-wal", "-shm", "-journal", ""):
        file = path.with_name(path.name + suffix)
        try:
            found = file.lstat()
        except FileNotFoundError:
            exists = False
            continue
        except OSError as error:
            raise StoreError(f"{file}: {error.strerror}; expected the store of a run") from error
        if not stat.S_ISREG(found.st_mode):
            kind = _KINDS.get(stat.S_IFMT(found.st_mode), "a device")
            raise StoreError(f"{file}: {kind}, expected a plain file")
        if suffix == "-journal" and found.st_size:
            # A writer would play it back, and with that delete whatever file it names as its super-journal.
            raise StoreError(
                f"{file}: a rollback journal, which no run leaves; remove the file if the run is your own"
            )
        exists = True
    return exists


_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFDIR: "a folder",
    stat.S_IFSOCK: "a socket",
}


def _distrust(database: sqlite3.Connection) -> None:
    for category, limit in _LIMITS.items():
        database.setlimit(category, limit)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")


def _connect_reading(path: Path, clock: Clock) -> sqlite3.Connection:
    """A read-only connection; where the folder cannot be written a WAL store opens only as immutable."""
    for options in ("mode=ro", "mode=ro&immutable=1"):
        database = sqlite3.connect(f"file:{quote(str(path))}?{options}", uri=True, isolation_level=None)
        try:
            database.set_progress_handler(lambda: clock.over, _OPERATIONS)
            _distrust(database)
            schema_version(database)
        except sqlite3.OperationalError:
            database.close()
            continue
        return database
    raise sqlite3.DatabaseError("unable to open the database file")


def _check_rows(database: sqlite3.Connection, path: Path) -> None:
    """Compares every page and row with the schema.

    Raises:
        StoreError: one contradicts it.
    """
    ((finding,),) = database.execute("PRAGMA quick_check(1)").fetchall()
    if finding != "ok":
        raise StoreError(f"{path}: {str(finding)[:200]}; the file is damaged")


def _migrated_copy(database: sqlite3.Connection, path: Path, version: int) -> sqlite3.Connection:
    size = path.stat().st_size
    if size > _MAX_COPY_BYTES:
        raise StoreError(
            f"{path}: {size / 2**30:.1f} GiB of an older schema, expected at most "
            f"{_MAX_COPY_BYTES / 2**30:.0f} GiB; `gapsmith resume` brings the file to the current one"
        )
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with _closed_on_error(copy):
        database.backup(copy)
        database.close()
        _distrust(copy)
        migrate(copy, version)
    return copy


@contextmanager
def _closed_on_error(database: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        database.close()
        raise
