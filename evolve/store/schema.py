"""Tables of the store, their migrations and checks, and the shapes of stored values."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

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


# The keys of a run's record, and the shapes of their values.

_SECTION = {str: object}
_FIGURES = {
    **dict.fromkeys(("fitness", "mean_gap_percent"), float),
    **dict.fromkeys(("failed", "far_beyond"), int),
    "mean_gap_ci95_percent": [float],
    "reference_kinds": {str: int},
}
Key = Literal[
    "bench",  # where programs come from outside: what may be used beside the campaign's budget
    "champion",
    "claims",
    "config",
    "created",
    "docstrings",
    "drawing",
    "ending",
    "evaluator",
    "founder_seconds",
    "founders",
    "gates",
    "given_starts",
    "group",
    "layers",
    "left_out",  # elites that a budget of seconds had no time to validate
    "members",
    "model",
    "neighbours",  # how a workbench's champion does on the problem's other named sets
    "pool",
    "prepared_seconds",  # wall seconds before the search, all starts and resumes together
    "problem",
    "reserved_seconds",  # wall seconds that a budget kept for preparation, validation and test
    "seal",
    "search_seconds",
    "search_version",  # of the decisions of campaigns with models; runs of before have none
    "simplified",
    "solver",
    "start",
    "start_given",  # whether a user gave the start programs
    "start_programs",
    "starts",
    "stop_reason",
    "timing",
    "types",  # of the entry point's parameters, which offline edits lend to programs without annotations
    "unsafe_without",
    "versions",
]
"""Every key of the table `run`: who writes or reads another one fails the type check."""
SHAPES: dict[Key, Any] = {
    "bench": {str: float},
    "neighbours": [
        {"set": str, "instances": int, "paired": _SECTION, "specialised": bool, "failures": _SECTION}
    ],
    "start": str,
    "start_given": bool,
    "starts": [str],
    "start_programs": [str],
    "founders": {str: str},
    "founder_seconds": {str: float},
    "timing": {str: float},
    "champion": str,
    "left_out": [str],
    "stop_reason": str,
    "ending": str,
    "created": str,
    "group": str,
    "members": int,
    "docstrings": bool,
    "types": [[str]],
    "search_seconds": float,
    "search_version": int,
    "prepared_seconds": float,
    "reserved_seconds": float,
    "unsafe_without": [str],
    "evaluator": str,
    "versions": {str: object},
    "gates": [[int]],
    "layers": {str: bool},
    "simplified": {str: {"files": {str: str}}},
    "solver": {
        str: {"effort": float, "time_seconds": float, "splits": {"valid": _FIGURES, "test": _FIGURES}}
    },
    "pool": [int],
    "given_starts": {str: {str: str}},
    "claims": [
        {
            **dict.fromkeys(("wins", "ties", "losses", "instances"), int),
            **{"against": str, "p_value": float, "difference_percent": float, "ci95_percent": [float]},
        }
    ],
    "drawing": object,
    "model": [str],
    "seal": object,
    "problem": {
        **dict.fromkeys(
            (
                *("name", "version", "sense", "unit", "entry_point", "origin", "digest", "driver"),
                *("statement", "strata"),
            ),
            str,
        ),
        "sets": {str: str},
        "parameters": _SECTION,
    },
    "config": {
        **dict.fromkeys(("campaign", "budget", "evaluation", "archive", "sandbox", "problem"), _SECTION),
        "model": [_SECTION],
    },
}
"""Shapes of the values of the table `run`: a type, a list of one shape, texts to one shape, or named fields.

None stands for a value that is not known yet, and fields that a shape does not name may be anything.
"""


_NEEDED: Mapping[Key, frozenset[str]] = {
    "claims": frozenset(("against", "p_value", "wins", "ties", "losses")),
    "neighbours": frozenset(("set", "instances", "paired", "specialised")),
}
"""Keys whose rows, if there are any, have at least these fields."""


def read_value(key: Key, text: str) -> Any:
    """The value (JSON) of the run's record under a key.

    Raises:
        ValueError: it is no JSON, not finite, or not of the shape that the key has.
    """
    value = json.loads(text, parse_constant=_refused, parse_float=_finite)
    if key == "model" and isinstance(value, str):
        return value
    needed = _NEEDED.get(key, frozenset())
    if not _fits(value, SHAPES[key]) or not all(needed <= {*row} for row in _rows(value)):
        raise ValueError(f"{text[:60]!r} has not the shape of {key!r}")
    return value


def _rows(value: Any) -> list[Any]:
    """The mappings of a list; empty for other values."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise ValueError(f"{text[:60]} is not finite")
    return number


def _fits(value: Any, shape: Any) -> bool:
    if value is None or shape is object:
        return True
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(entry, shape[0]) for entry in value)
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return False
        each = shape.get(str, object)
        return all(_fits(entry, shape.get(name, each)) for name, entry in value.items())
    if isinstance(value, bool):
        return bool(shape is bool)
    return isinstance(value, (int, float) if shape is float else shape)
