"""Tables of the store, their migrations, and how a store is opened for writing or reading."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

FILE_NAME = "archive.sqlite"

_VERSION_1 = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE instances (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, split TEXT NOT NULL, stratum TEXT NOT NULL,
  digest TEXT NOT NULL, public TEXT NOT NULL, hidden TEXT, scale TEXT NOT NULL, source TEXT NOT NULL
) STRICT;
CREATE TABLE instance_references (
  instance INTEGER PRIMARY KEY REFERENCES instances, value TEXT NOT NULL, kind TEXT NOT NULL, bound TEXT,
  proof TEXT, solver TEXT NOT NULL, version TEXT NOT NULL, seconds REAL, source TEXT NOT NULL
) STRICT;
CREATE TABLE candidates (
  id TEXT PRIMARY KEY, iteration INTEGER NOT NULL, island INTEGER NOT NULL, origin TEXT NOT NULL,
  operator TEXT NOT NULL, files TEXT NOT NULL, description TEXT NOT NULL
) STRICT;
CREATE TABLE parents (
  candidate TEXT NOT NULL REFERENCES candidates, position INTEGER NOT NULL,
  parent TEXT NOT NULL REFERENCES candidates, PRIMARY KEY (candidate, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE prompts (digest TEXT PRIMARY KEY, system TEXT NOT NULL, user TEXT NOT NULL) STRICT;
CREATE TABLE calls (
  id INTEGER PRIMARY KEY, iteration INTEGER NOT NULL, round INTEGER NOT NULL, attempt INTEGER NOT NULL,
  operator TEXT NOT NULL, prompt TEXT NOT NULL REFERENCES prompts, model TEXT NOT NULL,
  parameters TEXT NOT NULL, reserved_tokens INTEGER NOT NULL, reserved_usd TEXT,
  state TEXT NOT NULL CHECK (state IN ('requested', 'replied', 'failed')), answered_by TEXT, text TEXT,
  tokens_in INTEGER, tokens_out INTEGER, tokens_cached INTEGER, tokens_reasoning INTEGER, cost_usd REAL,
  seconds REAL, finish_reason TEXT, error_kind TEXT, error TEXT, unknown_outcome INTEGER, at REAL NOT NULL
) STRICT;
CREATE TABLE iterations (
  iteration INTEGER PRIMARY KEY, island INTEGER NOT NULL, parents TEXT NOT NULL, inspirations TEXT NOT NULL,
  candidate TEXT REFERENCES candidates, rejection TEXT, excerpt TEXT, origin TEXT, operator TEXT,
  told INTEGER UNIQUE, added INTEGER, asked_at REAL NOT NULL, told_at REAL,
  CHECK (candidate IS NULL OR rejection IS NULL)
) STRICT;
CREATE TABLE evaluations (
  id INTEGER PRIMARY KEY, program TEXT NOT NULL, split TEXT NOT NULL, status TEXT NOT NULL, fitness REAL,
  executions INTEGER NOT NULL, cpu_seconds REAL NOT NULL, evaluator TEXT NOT NULL, at REAL NOT NULL,
  UNIQUE (program, split)
) STRICT;
CREATE TABLE executions (
  evaluation INTEGER NOT NULL REFERENCES evaluations, position INTEGER NOT NULL,
  instance INTEGER NOT NULL REFERENCES instances, status TEXT NOT NULL, objective TEXT, excess TEXT, gap TEXT,
  cpu_seconds REAL NOT NULL, answer BLOB, message TEXT, PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
  id INTEGER PRIMARY KEY, iteration INTEGER NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL, at REAL NOT NULL
) STRICT;
CREATE INDEX evaluations_by_fitness ON evaluations (split, fitness);
CREATE INDEX calls_by_iteration ON calls (iteration);
"""


def _first(database: sqlite3.Connection) -> None:
    database.executescript(_VERSION_1)


def _second(database: sqlite3.Connection) -> None:
    database.execute("ALTER TABLE iterations ADD COLUMN rival TEXT")


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first, _second)
"""Step n brings a store from schema version n to n + 1."""

SCHEMA_VERSION = len(MIGRATIONS)


class StoreError(Exception):
    """A store cannot be read or written; the message names the file, what is wrong and what to do."""


def open_writing(folder: Path) -> sqlite3.Connection:
    """The store of a run folder for its one writer, made or brought to the current schema.

    Raises:
        StoreError: it is no store, or was written by a newer version.
    """
    path = folder / FILE_NAME
    try:
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("PRAGMA foreign_keys = ON")
        migrate(database, path)
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error
    return database


def open_reading(folder: Path) -> sqlite3.Connection:
    """The store of a run folder, read only; works in a folder that cannot be written.

    An older schema is migrated on a copy in memory, the file stays as it is.

    Raises:
        StoreError: there is no store, it cannot be read, or was written by a newer version.
    """
    path = folder / FILE_NAME
    if not path.is_file():
        raise StoreError(f"{path}: not found; expected the store of a run")
    try:
        database = _connect_reading(path)
        version = schema_version(database)
        if not version:
            raise StoreError(f"{path}: an empty file; expected the store of a run")
        if version < SCHEMA_VERSION:
            copy = sqlite3.connect(":memory:", isolation_level=None)
            database.backup(copy)
            database.close()
            database = copy
        migrate(database, path)
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error
    return database


def _connect_reading(path: Path) -> sqlite3.Connection:
    """A read-only connection; where the folder cannot be written a WAL store opens only as immutable."""
    for options in ("mode=ro", "mode=ro&immutable=1"):
        database = sqlite3.connect(f"file:{quote(str(path))}?{options}", uri=True, isolation_level=None)
        try:
            schema_version(database)
        except sqlite3.OperationalError:
            database.close()
            continue
        return database
    raise sqlite3.DatabaseError("unable to open the database file")


def schema_version(database: sqlite3.Connection) -> int:
    """The schema version a store was written with; 0 for an empty file."""
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def migrate(database: sqlite3.Connection, path: Path) -> None:
    """Brings a store to the current schema, one version at a time, each in a transaction of its own.

    Raises:
        StoreError: it was written by a newer version, or is another program's database.
    """
    version = schema_version(database)
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path}: schema version {version}, expected at most {SCHEMA_VERSION}: "
            "it was written by a newer Gapsmith; upgrade with `pip install -U gapsmith`"
        )
    if version == 0 and database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise StoreError(f"{path}: a database of another program; expected the store of a run")
    for step in MIGRATIONS[version:]:
        step(database)
        version += 1
        database.execute(f"PRAGMA user_version = {version}")


def damaged(path: Path, error: Exception) -> StoreError:
    """The error for a file that SQLite cannot make sense of."""
    return StoreError(f"{path}: {error}; the file is damaged or no store of a run")
