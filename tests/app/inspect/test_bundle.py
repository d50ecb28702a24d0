"""`export --bundle` and `verify FILE.zip`: a run goes to others, and a hostile file is refused."""

from __future__ import annotations

import re
import sqlite3
import stat
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.analysis import verify
from gapsmith.app.errors import CHECK_FAILED, UserError
from gapsmith.app.runs import export

Say = Callable[..., Any]
OFFLINE = "20260102-203301-smtt-aaaa"
MODEL = "20260103-101500-smtt-bbbb"


@pytest.fixture
def packed(say: Say, tmp_path: Path) -> Path:
    """The bundle of a run whose prompts and replies are known."""
    path = tmp_path / "shared.zip"
    assert say("export", MODEL, "--bundle", "-o", str(path)).code == 0
    return path


def store_of(path: Path, folder: Path) -> Path:
    """The store of a bundle, taken out by `zipfile` alone."""
    with zipfile.ZipFile(path) as archive:
        return Path(archive.extract("archive.sqlite", folder))


def test_a_bundle_holds_the_record_without_prompts(packed: Path, runs: Path, tmp_path: Path) -> None:
    """Candidates, instances and references are all there; no prompt, reply or call is, in any byte."""
    with zipfile.ZipFile(packed) as archive:
        assert sorted(archive.namelist()) == ["README.txt", "archive.sqlite", "champion.py"]
        assert "def schedule(" in archive.read("champion.py").decode()
    path = store_of(packed, tmp_path)
    with (
        closing(sqlite3.connect(runs / MODEL / "archive.sqlite")) as old,
        closing(sqlite3.connect(path)) as new,
    ):
        for table in ("candidates", "instances", "instance_references", "evaluations", "executions"):
            query = f"SELECT * FROM {table} ORDER BY 1, 2"
            assert new.execute(query).fetchall() == old.execute(query).fetchall()
        (prompt,) = old.execute("SELECT user FROM prompts LIMIT 1").fetchone()
        assert new.execute("SELECT count(*) FROM calls").fetchone() == (0,)
        assert new.execute("SELECT count(*) FROM prompts").fetchone() == (0,)
    assert len(prompt) > 20
    assert prompt.encode()[:60] not in path.read_bytes()


def test_addresses_and_names_of_keys_stay_at_home(
    say: Say, make_run: Callable[..., Path], tmp_path: Path
) -> None:
    """Where a model was asked, and which variable held its key, are not in the bundle."""
    folder = make_run(tmp_path / "20260108-000000-smtt-dddd", candidates=6, model=True)
    with closing(sqlite3.connect(folder / "archive.sqlite")) as store, store:
        store.execute(
            "UPDATE run SET value = json_set(value, '$.model[0].base_url', 'http://inner.example:8000', "
            "'$.model[0].api_key_env', 'INNER_KEY') WHERE key = 'config'"
        )
    assert b"inner.example" in (folder / "archive.sqlite").read_bytes()
    path = tmp_path / "shared.zip"
    assert say("export", str(folder), "--bundle", "-o", str(path)).code == 0
    content = store_of(path, tmp_path / "out").read_bytes()
    assert b"inner.example" not in content
    assert b"INNER_KEY" not in content
    assert b"openai/test-model" in content


def test_what_quotes_a_reply_or_a_place_stays_at_home(
    say: Say, make_run: Callable[..., Path], tmp_path: Path
) -> None:
    """Excerpts of rejected replies, operations, notes, faults and the folder of templates are not there."""
    folder = make_run(tmp_path / "20260108-000000-smtt-eeee", candidates=6, model=True)
    with closing(sqlite3.connect(folder / "archive.sqlite")) as store, store:
        (last,) = store.execute("SELECT max(iteration) FROM iterations").fetchone()
        store.execute(
            "INSERT INTO iterations (iteration, island, parents, inspirations, rejection, excerpt, asked_at) "
            "VALUES (?, 0, '[]', '[]', 'no_code', 'SECRET reply', 1.0)",
            (last + 1,),
        )
        store.execute(
            "INSERT INTO operations (kind, arguments, state, answer, executions, cpu_seconds, at) "
            "VALUES ('experiment', '{\"script\": \"SECRET\"}', 'done', '\"SECRET answer\"', 0, 0.0, 1.0)"
        )
        for kind in ("note", "fault", "ledger", "worker", "explained"):
            row = (kind, '{"text": "SECRET text", "error": "SECRET at http://inner.example"}')
            store.execute("INSERT INTO events (iteration, kind, data, at) VALUES (1, ?, ?, 1.0)", row)
        store.execute(
            "UPDATE run SET value = json_set(value, '$.prompts.folder', '/home/SECRET') WHERE key = 'config'"
        )
        kept = store.execute("SELECT count(*) FROM events WHERE kind IN ('best', 'reached')").fetchone()
    path = tmp_path / "shared.zip"
    assert say("export", str(folder), "--bundle", "-o", str(path)).code == 0
    taken = store_of(path, tmp_path / "out")
    assert b"SECRET" in (folder / "archive.sqlite").read_bytes()
    assert b"SECRET" not in taken.read_bytes()
    with closing(sqlite3.connect(taken)) as new:
        assert kept[0] > 0
        assert new.execute("SELECT count(*) FROM events WHERE kind IN ('best', 'reached')").fetchone() == kept
    with zipfile.ZipFile(path) as archive:
        assert b"SECRET" not in archive.read("champion.py") + archive.read("README.txt")


@pytest.mark.slow
def test_a_bundle_is_verified_and_a_changed_one_is_not(say: Say, packed: Path, tmp_path: Path) -> None:
    """The bundle of a run holds; with one figure changed, `verify` names the difference and fails."""
    said = say("verify", str(packed), "--references", "1", "--json")
    assert said.code == 0, said.err
    assert said.document["run"] == "shared"
    assert said.document["differences"] == []
    assert said.document["checked"] > 100
    path = store_of(packed, tmp_path)
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE evaluations SET fitness = fitness / 2 WHERE split = 'train' AND fitness < 0")
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(changed, "w") as archive:
        archive.write(path, "archive.sqlite")
    said = say("verify", str(changed), "--references", "0", "--json")
    assert said.code != 0
    assert said.document["differences"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\nimport os\n",
        lambda text: text.replace("utf-8", "unicode_escape", 1),
        lambda text: text.replace("\n#\n", "\n#\rimport os\n", 1),
    ],
)
def test_a_swapped_champion_is_a_difference(
    say: Say, packed: Path, tmp_path: Path, change: Callable[[str], str]
) -> None:
    """Another champion.py beside an honest store, a coding that makes code of comments, a hidden line."""
    with zipfile.ZipFile(packed) as archive:
        whole = {name: archive.read(name) for name in archive.namelist()}
    changed = change(whole["champion.py"].decode())
    assert changed.encode() != whole["champion.py"]
    with zipfile.ZipFile(tmp_path / "swapped.zip", "w") as archive:
        for name, data in (whole | {"champion.py": changed.encode()}).items():
            archive.writestr(name, data)
    said = say("verify", str(tmp_path / "swapped.zip"), "--references", "0", "--json")
    assert said.code != 0
    assert [row["what"] for row in said.document["differences"]] == ["champion.py of the bundle"]


def test_a_foreign_bundle_says_how_long_its_programs_may_take(
    say: Say, packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that use up the limits of the record take hours; the caller reads that before they begin."""
    path = store_of(packed, tmp_path)
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(
            "UPDATE run SET value = json_set(value, '$.sandbox.cpu_seconds', 15.5) WHERE key = 'config'"
        )
        (executions,) = store.execute("SELECT count(*) FROM executions").fetchone()
    with zipfile.ZipFile(tmp_path / "slow.zip", "w") as archive:
        archive.write(path, "archive.sqlite")

    def stop(*given: object, **more: object) -> None:
        raise UserError(CHECK_FAILED, "here the programs begin")

    monkeypatch.setattr(verify, "verify", stop)
    said = say("verify", str(tmp_path / "slow.zip"), "--references", "0")
    words, found, _ = said.err.partition("here the programs begin")
    assert found
    limit = re.search(r"by its limits they and the references may take ([0-9]+) h ([0-9]+) min", words)
    assert limit is not None, words
    assert 600 < 3600 * int(limit[1]) + 60 * int(limit[2]) <= 15.5 * executions
    assert "may take" not in say("verify", str(packed), "--references", "0").err


def _link(archive: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("archive.sqlite")
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(entry, "/etc/passwd")


def _twice(archive: zipfile.ZipFile) -> None:
    archive.writestr("archive.sqlite", b"one")
    with pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("archive.sqlite", b"two")


def _bomb(archive: zipfile.ZipFile) -> None:
    archive.writestr("archive.sqlite", b"\0" * 3_000_000, zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize(
    ("fill", "said"),
    [
        (lambda archive: archive.writestr("../archive.sqlite", b""), "other ones"),
        (lambda archive: archive.writestr("/tmp/archive.sqlite", b""), "other ones"),
        (lambda archive: archive.writestr("README.txt", b""), "other ones"),
        (lambda archive: [archive.writestr(f"f{n}", b"") for n in range(50)], "other ones"),
        (lambda archive: archive.writestr("archive.sqlite", b"x" * 99, zipfile.ZIP_BZIP2), "unusual"),
        (_link, "no plain file"),
        (_twice, "other ones"),
        (_bomb, "more than"),
        (lambda archive: archive.writestr("archive.sqlite", b"no database at all"), "not a database"),
    ],
)
def test_a_hostile_bundle_is_refused(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fill: Callable[..., Any], said: str
) -> None:
    """Paths out, links, doubles, other packing, many or large entries: one clear error and no file."""
    monkeypatch.setattr(export, "_MOST_BYTES", 2_000_000)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(work))
    path = tmp_path / "hostile.zip"
    with zipfile.ZipFile(path, "w") as archive:
        fill(archive)
    answer = say("verify", str(path))
    assert answer.code != 0
    assert said in answer.err.replace("\n", " ")
    assert "Traceback" not in answer.err
    assert list(work.iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hostile.zip", "work"]


def test_a_list_of_many_entries_is_not_read(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would take memory before entries can be counted is refused by the length of the list."""
    monkeypatch.setattr(export, "_MOST_AT_ONCE", 2**16)
    path = tmp_path / "hostile.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1_500):
            archive.writestr(f"{number:08d}", b"")
    assert "a list of entries of 81,000 bytes" in say("verify", str(path)).err.replace("\n", " ")


def test_a_damaged_bundle_is_refused(say: Say, packed: Path) -> None:
    """A file that was cut, changed inside, or is no .zip at all gets a clear error."""
    content = packed.read_bytes()
    middle = len(content) // 2
    stored = content.index(b"archive.sqlite") + len(b"archive.sqlite")
    unpackable = content[:stored] + b"\xff" * 8 + content[stored + 8 :]
    changed = content[:middle] + b"xxxxxxxx" + content[middle + 8 :]
    for damaged in (content[:middle], changed, unpackable, b"text"):
        packed.write_bytes(damaged)
        answer = say("verify", str(packed))
        assert answer.code != 0
        assert "no readable .zip" in answer.err.replace("\n", " "), answer.err


def test_a_bundle_asks_for_its_form(say: Say, tmp_path: Path) -> None:
    """Another ending, and options of other exports, are refused; a run without a champion has no bundle."""
    assert ".zip" in say("export", OFFLINE, "--bundle", "-o", str(tmp_path / "x.tar")).err
    assert "--bundle" in say("export", OFFLINE, "--bundle", "--what", "events").err
