"""Stores of other versions, of other sizes, and on disks that cannot be written."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from gapsmith.evolve.store import connection, schema
from gapsmith.evolve.store.schema import FILE_NAME, MIGRATIONS, SHAPES, Key, StoreError

Say = Callable[..., Any]
FINISHED, MODEL = "20260102-203301-smtt-aaaa", "20260103-101500-smtt-bbbb"
LOOKS = (
    ["list"],
    ["show", MODEL],
    ["show", MODEL, "best"],
    ["best", MODEL],
    ["lineage", MODEL],
    ["watch", MODEL],
    ["export", MODEL, "--what", "scores"],
)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(params=range(1, len(MIGRATIONS)))
def oldest(runs: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A runs folder with the run of a model as an earlier version of the schema would hold it."""
    (tmp_path / MODEL).mkdir()
    path = tmp_path / MODEL / FILE_NAME
    with sqlite3.connect(path) as db:
        for step in MIGRATIONS[: request.param]:
            step(db)
        db.execute("ATTACH ? AS new", (str(runs / MODEL / FILE_NAME),))
        tables = db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
            db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        db.execute(f"PRAGMA user_version = {request.param}")
    return tmp_path


def test_every_key_of_a_record_has_one_owner(runs: Path) -> None:
    """The keys that the type checker allows are those that have a shape, and a run has no others."""
    assert set(get_args(Key)) == set(SHAPES)
    for path in runs.glob(f"*/{FILE_NAME}"):
        with sqlite3.connect(path) as db:
            assert {key for (key,) in db.execute("SELECT key FROM run")} <= set(SHAPES)


def test_a_store_of_the_oldest_schema_is_read_and_left_as_it_is(say: Say, oldest: Path) -> None:
    """Every verb that looks says of an old store what it says of a new one, and the file does not change."""
    before = _digest(oldest / MODEL / FILE_NAME)
    for words in LOOKS[1:]:
        old, new = say(*words, runs=oldest), say(*words)
        assert old.code == 0, old.err
        assert old.out == new.out
    assert _digest(oldest / MODEL / FILE_NAME) == before


def test_a_later_schema_migrates_on_a_copy(say: Say, oldest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration that a future version adds runs on a copy in memory: read, and the file stays."""
    seen: list[str] = []

    def future(database: sqlite3.Connection) -> None:
        seen.append(database.execute("PRAGMA database_list").fetchone()[2])
        database.execute("ALTER TABLE run ADD COLUMN future TEXT")

    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, future))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", len(MIGRATIONS) + 1)
    before = _digest(oldest / MODEL / FILE_NAME)
    assert say("show", MODEL, runs=oldest).out == say("show", MODEL).out
    assert seen == ["", ""]  # a database in memory has no file
    assert _digest(oldest / MODEL / FILE_NAME) == before
    with connection.open_writing(
        oldest / MODEL
    ) as database:  # whoever goes on with the run brings the file along
        assert schema.schema_version(database) == len(MIGRATIONS) + 1
    database.close()
    assert seen[2].endswith(FILE_NAME)


def test_a_migration_that_fails_leaves_a_clear_error(
    say: Say, oldest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that cannot be migrated ends with exit code 3 and the file's name, and stays as it is."""

    def broken(database: sqlite3.Connection) -> None:
        database.execute("ALTER TABLE nowhere ADD COLUMN future TEXT")

    monkeypatch.setattr(schema, "MIGRATIONS", (*MIGRATIONS, broken))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", len(MIGRATIONS) + 1)
    before = _digest(oldest / MODEL / FILE_NAME)
    said = say("show", MODEL, runs=oldest)
    assert said.code == 3
    assert FILE_NAME in said.err
    assert _digest(oldest / MODEL / FILE_NAME) == before


def test_a_newer_store_is_refused_for_writing_too(oldest: Path) -> None:
    """What a newer version wrote is never written by this one."""
    with sqlite3.connect(oldest / MODEL / FILE_NAME) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(StoreError, match="newer"):
        connection.open_writing(oldest / MODEL)


@pytest.mark.slow
def test_a_run_of_a_thousand_candidates(
    say: Say, make_run: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A longer run counts all its candidates once, whoever tells."""
    monkeypatch.setattr(sys.modules["synthetic_run"], "TRUE", 100)
    make_run(tmp_path / "thousand", candidates=1000)
    document = say("show", "thousand", "--json", runs=tmp_path).document
    assert document["iterations"] == 1000
    assert document["evaluations"] + sum(document["rejections"].values()) == 1000
    assert len(say("export", "thousand", runs=tmp_path).out.splitlines()) == document["evaluations"] + 1
    assert say("list", "--json", runs=tmp_path).document[0]["iterations"] == 1000
    assert (
        say("watch", "thousand", "--json", runs=tmp_path).document["evaluations"] == document["evaluations"]
    )


_LOOK = """
import sys
from gapsmith.cli import app
from typer.testing import CliRunner
result = CliRunner().invoke(app, sys.argv[1:])
print(result.stdout + result.stderr)
sys.exit(result.exit_code)
"""


@pytest.fixture
def read_only(runs: Path, tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs `gapsmith …` on copies of the runs on a disk that is mounted read-only, in its own namespace."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare here, so nothing can be mounted read-only")
    disk = tmp_path / "disk"
    disk.mkdir()

    def call(*words: str, of: Path = runs) -> tuple[int, str]:
        mount = f"mount -t tmpfs none {disk} && cp -r {of}/. {disk} && mount -o remount,ro {disk} || exit 99"
        command = f'{mount}; exec "$0" -c "$1" "${{@:2}}"'
        done = subprocess.run(
            [unshare, "--map-root-user", "--mount", "bash", "-c", command, sys.executable, _LOOK, *words],
            env={**os.environ, "GAPSMITH_RUNS": str(disk), "COLUMNS": "80", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
        )
        if done.returncode == 99 or "unshare:" in done.stderr:
            pytest.skip(f"no mount namespace here: {done.stderr.strip()[-200:]}")
        return done.returncode, done.stdout + done.stderr

    return call


@pytest.mark.slow
def test_finished_runs_are_read_on_a_read_only_disk(read_only: Callable[..., tuple[int, str]]) -> None:
    """A run that was closed says on a read-only disk what it says elsewhere."""
    code, said = read_only("show", FINISHED)
    assert code == 0, said
    assert "completed" in said
    assert "the latest may be missing" not in said


@pytest.mark.slow
def test_an_unclosed_run_is_read_on_a_read_only_disk_with_a_note(
    read_only: Callable[..., tuple[int, str]], runs: Path, tmp_path: Path
) -> None:
    """A store with its write-ahead log still beside it opens read-only, and the note says what that means."""
    (tmp_path / "open").mkdir()
    shutil.copytree(runs / FINISHED, tmp_path / "open" / FINISHED)
    path = tmp_path / "open" / FINISHED / FILE_NAME
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("UPDATE run SET value = '\"later\"' WHERE key = 'stop_reason'")
    database.commit()  # stays in the log: the connection is open while the copy is made
    code, said = read_only("show", FINISHED, of=tmp_path / "open")
    database.close()
    assert code == 0, said
    assert "the latest may be missing" in " ".join(said.split())


@pytest.mark.slow
def test_what_writes_says_that_the_disk_is_read_only(read_only: Callable[..., tuple[int, str]]) -> None:
    """`report` and `delete` on a read-only disk end with one clear line and no traceback."""
    for words, expected in (
        (["report", MODEL], 8),
        (["delete", MODEL, "--yes"], 8),
    ):
        code, said = read_only(*words)
        assert code == expected, said
        assert re.search(r"Read-only file system", said)
        assert "Traceback" not in said
