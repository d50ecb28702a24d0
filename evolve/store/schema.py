"""Tables of the store, their migrations, and the check that a store holds them and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import lru_cache
from pathlib import Path

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


def _third(database: sqlite3.Connection) -> None:
    database.execute("ALTER TABLE iterations ADD COLUMN prefix INTEGER")


def _fourth(database: sqlite3.Connection) -> None:
    database.execute("ALTER TABLE executions ADD COLUMN metrics TEXT")


_OPERATIONS = """
CREATE TABLE operations (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, iteration INTEGER, arguments TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'refused')), answer TEXT, executions INTEGER NOT NULL,
  cpu_seconds REAL NOT NULL, seconds REAL, at REAL NOT NULL
) STRICT
"""


def _fifth(database: sqlite3.Connection) -> None:
    database.execute(_OPERATIONS)


MIGRATIONS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first, _second, _third, _fourth, _fifth)
"""Step n brings a store from schema version n to n + 1."""

SCHEMA_VERSION = len(MIGRATIONS)


class StoreError(Exception):
    """A store cannot be read or written; the message names the file, what is wrong and what to do."""


def schema_version(database: sqlite3.Connection) -> int:
    """The schema version that a store was written with; 0 for an empty file."""
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def check_schema(database: sqlite3.Connection, path: Path) -> int:
    """The schema version of a store that holds the tables and indexes of this version and nothing else.

    A view, a trigger, a virtual table or a default value in a store that another user made would be
    executed by the queries of whoever reads it.

    Raises:
        StoreError: a newer version or another program wrote the store, or its schema was changed.
    """
    version = schema_version(database)
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path}: schema version {version}, expected at most {SCHEMA_VERSION}: "
            "it was written by a newer Gapsmith; upgrade with `pip install -U gapsmith`"
        )
    actual = _objects(database)
    if not version and actual:
        raise StoreError(f"{path}: a database of another program; expected the store of a run")
    expected = _expected(MIGRATIONS[: max(version, 0)])
    if actual != expected:
        kind, name, *_ = min(actual ^ expected)
        was = "unexpected or changed" if any(name == o[1] for o in actual) else "missing"
        raise StoreError(
            f"{path}: {kind} {name[:60]!r} is {was}; expected the tables of a run and nothing else"
        )
    return version


def _objects(database: sqlite3.Connection) -> frozenset[tuple[str, str, str, str]]:
    """Type, name, table and SQL text of whatever a schema holds, but for the indexes that SQLite adds."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master"
    rows = (tuple(map(str, row)) for row in database.execute(query))
    return frozenset(row for row in rows if row[3] != "None" or row[0] != "index")  # type: ignore[misc]


@lru_cache
def _expected(
    steps: tuple[Callable[[sqlite3.Connection], None], ...],
) -> frozenset[tuple[str, str, str, str]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        for step in steps:
            step(database)
        return _objects(database)


def migrate(database: sqlite3.Connection, version: int) -> None:
    """Brings a store from `version` to the current schema, one version at a time."""
    for step in MIGRATIONS[version:]:
        step(database)
        version += 1
        database.execute(f"PRAGMA user_version = {version}")
