"""Stores that somebody made to hang, crash or mislead whoever reads them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evolve.store import connection
from gapsmith.evolve.store.connection import Clock, open_reading, open_writing
from gapsmith.evolve.store.course import bench_notes
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.store.schema import FILE_NAME, StoreError

Say = Callable[..., Any]
GOOD, BAD = "20260101-000000-good", "20260102-000000-bad"
READING = (
    ["show", BAD],
    ["show", BAD, "best", "--json"],
    ["watch", BAD, "--json"],
    ["export", BAD, "--what", "scores"],
    ["export", BAD, "--what", "events"],
    ["lineage", BAD],
    ["diff", BAD, "start", "best"],
    ["compare", BAD, GOOD],
    ["report", BAD, "--force"],
    ["show", BAD, "--strata"],
    ["best", BAD],
)
COUNTING = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A folder with two small finished runs."""
    folder = tmp_path_factory.mktemp("sound")
    make_run(folder / GOOD, candidates=6)
    make_run(folder / BAD, candidates=6, model=True, seed=2)
    return folder


@pytest.fixture
def pair(sound: Path, tmp_path: Path) -> Path:
    """A copy of the two runs, one of them to be spoilt."""
    return Path(shutil.copytree(sound, tmp_path / "runs"))


def _store(runs: Path) -> Path:
    return runs / BAD / FILE_NAME


def _spoil(runs: Path, *statements: str) -> None:
    database = sqlite3.connect(_store(runs), isolation_level=None)
    for statement in statements:
        database.execute(statement)
    database.close()


def _refused(say: Say, runs: Path, words: str, verbs: tuple[list[str], ...] = READING) -> None:
    """`list` goes on and says what is wrong with the one run; every other verb ends with that."""
    listed = {row["run"]: row for row in say("list", "--json", runs=runs).document}
    assert listed[GOOD]["status"] == "completed"
    assert listed[BAD]["status"] == "unreadable"
    assert words in listed[BAD]["note"]
    for verb in verbs:
        said = say(*verb, runs=runs)
        assert said.code == 3, (verb, said.err)
        assert words in said.err


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ((f"CREATE VIEW extra AS {COUNTING} SELECT * FROM n",), "view 'extra'"),
        (("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM run; END",), "trigger 't'"),
        (("ALTER TABLE calls ADD COLUMN extra TEXT DEFAULT 'x'",), "table 'calls'"),
        (("CREATE VIRTUAL TABLE extra USING fts5(t)",), "'extra"),
        (("DROP TABLE events", f"CREATE VIEW events AS {COUNTING} SELECT * FROM n"), "'events'"),
        (("DROP INDEX calls_by_iteration",), "index 'calls_by_iteration' is missing"),
        (("CREATE INDEX i ON run (abs(length(key)))",), "index 'i'"),
    ],
)
def test_a_schema_that_is_not_a_run_s_is_refused(
    say: Say, pair: Path, statements: tuple[str, ...], words: str
) -> None:
    """Views, triggers and whatever else SQLite would execute for a reader are refused by name."""
    _spoil(pair, *statements)
    _refused(say, pair, words, READING[:1])
    with pytest.raises(StoreError, match="tables of a run"):
        open_writing(pair / BAD)


@pytest.mark.parametrize("suffix", ["", "-wal", "-journal", "-shm"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_what_is_no_plain_file_is_not_opened(say: Say, pair: Path, suffix: str, kind: str) -> None:
    """Pipes, links and folders in the place of the store, or of SQLite's files beside it, are refused."""
    path = _store(pair).with_name(FILE_NAME + suffix)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(pair / GOOD / FILE_NAME)
    else:
        path.mkdir()
    _refused(say, pair, "expected a plain file", READING[: not suffix])
    with pytest.raises(StoreError, match="plain file"):
        open_writing(pair / BAD)


def test_a_log_that_is_a_pipe_does_not_hold_up_a_list(say: Say, pair: Path) -> None:
    """Whether a run is alive is asked of its log without waiting for the other end of a pipe."""
    (pair / BAD / "campaign.log").unlink(missing_ok=True)
    os.mkfifo(pair / BAD / "campaign.log")
    assert [row["status"] for row in say("list", "--json", runs=pair).document] == ["completed"] * 2
    assert say("stop", BAD, runs=pair).code == 0


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE run SET value = '{' WHERE key = 'problem'", "problem: the record is damaged"),
        ("UPDATE run SET value = '[]' WHERE key = 'problem'", "problem: the record is damaged"),
        ("UPDATE run SET value = '[[1]]' WHERE key = 'model'", "model: the record is damaged"),
        ("UPDATE run SET value = printf('%.*c', 100000, '[') WHERE key = 'model'", "model: the record is"),
        ("UPDATE run SET value = CAST(x'22eda08022' AS TEXT) WHERE key = 'stop_reason'", "UTF-8"),
    ],
)
def test_broken_json_is_a_clear_error(say: Say, pair: Path, statement: str, words: str) -> None:
    """JSON that does not parse, has another shape, is nested too deeply or is no UTF-8 ends with its key."""
    _spoil(pair, statement)
    _refused(say, pair, words, READING[:1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET data = '{'",
        "UPDATE events SET data = '[]'",
        "UPDATE candidates SET files = '{\"a\": 1}'",
        "UPDATE candidates SET description = '{}'",
        "UPDATE iterations SET parents = '5'",
        "UPDATE iterations SET rejection = 'other', candidate = NULL",
        "UPDATE instances SET public = '[]'",
        "UPDATE instances SET split = 'else'",
        "UPDATE instances SET scale = 'x'",
        "UPDATE instance_references SET kind = 'x'",
        "UPDATE executions SET gap = printf('%.*c', 5000, '9')",
        "UPDATE executions SET instance = 1 + instance",
        "UPDATE evaluations SET status = 'x'",
        "UPDATE calls SET parameters = '{'",
        "UPDATE run SET value = '\"ffff\"' WHERE key IN ('start', 'champion')",
        "UPDATE run SET value = '[[1]]' WHERE key = 'starts'",
        "UPDATE run SET value = '{}' WHERE key = 'config'",
        "UPDATE iterations SET island = 100000000",
        "DELETE FROM instances",
        "DELETE FROM candidates",
        "DELETE FROM run",
        "UPDATE calls SET seconds = 9e999, tokens_in = 4611686018427387904",
        "UPDATE executions SET gap = '1e999'",
    ],
)
def test_rows_that_make_no_sense_are_no_bugs(say: Say, pair: Path, statement: str) -> None:
    """Whatever the rows hold, each verb says something or names the damage; none calls it a bug."""
    _spoil(pair, "PRAGMA foreign_keys = OFF", statement)
    for verb in (["list", "--json"], *(v for v in READING if v[0] != "report")):
        said = say(*verb, runs=pair)
        assert said.code in (0, 2, 3, 6), (verb, said.err)


@pytest.mark.parametrize(
    ("statement", "verb", "words"),
    [
        ("UPDATE events SET data = '{'", ["watch", BAD, "--json"], "events"),
        ("UPDATE run SET value = '{}' WHERE key = 'config'", ["show", BAD, "--strata"], "island"),
        ("UPDATE instances SET split = 'else'", ["show", BAD, "--strata"], "is not an instance of the split"),
        ("UPDATE calls SET seconds = 9e999", ["show", BAD, "best", "--json"], "not finite"),
    ],
)
def test_rows_that_contradict_each_other_are_named(
    say: Say, pair: Path, statement: str, verb: list[str], words: str
) -> None:
    """What a view cannot make sense of is looked for in the record before it counts as a bug."""
    _spoil(pair, statement)
    said = say(*verb, runs=pair)
    assert said.code == 3
    assert words in said.err


def test_values_of_a_wrong_type_are_found_when_a_store_is_opened(say: Say, pair: Path) -> None:
    """Tables whose rows were written under another schema are compared with this one's types."""
    database = sqlite3.connect(_store(pair), isolation_level=None)
    (sql,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'evaluations'").fetchone()
    database.execute("PRAGMA writable_schema = ON")
    loose = sql.replace(") STRICT", ")").replace("fitness REAL", "fitness")
    database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'evaluations'", (loose,))
    database.close()
    _spoil(pair, "UPDATE evaluations SET fitness = 'high'")
    database = sqlite3.connect(_store(pair), isolation_level=None)
    database.execute("PRAGMA writable_schema = ON")
    database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'evaluations'", (sql,))
    database.close()
    said = say("show", BAD, runs=pair)
    assert said.code == 3
    assert "evaluations.fitness" in said.err
    assert say("list", runs=pair).code == 0


def test_candidates_that_are_their_own_ancestors_end(say: Say, pair: Path) -> None:
    """A circle of parents does not hold up `lineage`."""
    _spoil(
        pair,
        "PRAGMA foreign_keys = OFF",
        "INSERT OR REPLACE INTO parents SELECT a.id, 0, b.id FROM candidates a, candidates b",
    )
    said = say("lineage", BAD, runs=pair)
    assert said.code == 3
    assert "no younger than its parent" in said.err


def test_ctrl_c_while_a_query_runs_is_no_damage(pair: Path) -> None:
    """SQLite gives a Ctrl-C that comes within a query as its own error; it stays a Ctrl-C."""

    class Interrupted(Clock):
        pressed = False

        @property
        def over(self) -> bool:
            if self.pressed:
                self.pressed = False
                raise KeyboardInterrupt
            return False

    clock = Interrupted(60.0)
    reader = Reader(open_reading(pair / BAD, clock, checked=False), clock)
    clock.pressed = True
    with pytest.raises(KeyboardInterrupt):
        reader.rows(f"{COUNTING} SELECT count(*) FROM n")
    assert reader.record("stop_reason")


def test_a_query_that_does_not_end_is_ended(pair: Path) -> None:
    """What a reader's queries take together is limited, and the time between them does not count."""
    clock = Clock(0.2)
    reader = Reader(open_reading(pair / BAD, clock, checked=False), clock)
    assert reader.record("stop_reason")
    with pytest.raises(StoreError, match="takes too long"):
        reader.rows(f"{COUNTING} SELECT count(*) FROM n")
    with pytest.raises(StoreError, match="takes too long"):
        list(reader.stream(f"{COUNTING} SELECT i FROM n"))
    reader.close()


def test_a_result_that_fills_the_memory_is_refused(pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long values and long results end with an error that names the file."""
    monkeypatch.setattr("gapsmith.evolve.store.reader.MAX_RESULT_BYTES", 2**20)
    reader = Reader.open(pair / BAD)
    for query in (
        f"{COUNTING} SELECT printf('%.*c', 9000, 'x') FROM n",
        "SELECT zeroblob(100000000)",
    ):
        with pytest.raises(StoreError, match=FILE_NAME):
            reader.rows(query)
    reader.close()


def test_a_reader_cannot_write(pair: Path) -> None:
    """Nothing that a reader executes changes the store or another file."""
    reader = Reader.open(pair / BAD)
    for statement in ("DELETE FROM run", f"ATTACH '{pair}/other.sqlite' AS other"):
        with pytest.raises((StoreError, sqlite3.Error)):
            reader.rows(statement)
    reader.close()
    assert not (pair / "other.sqlite").exists()


@pytest.mark.parametrize("size", [4096 * 2**20, 2**40])
def test_a_file_of_gigantic_size_ends_soon(say: Say, pair: Path, size: int) -> None:
    """A sparse file whose header claims all of its pages is refused without being read."""
    path = _store(pair)
    with path.open("r+b") as stream:
        stream.truncate(size)
        stream.seek(28)
        stream.write(min(size // 4096, 2**32 - 2).to_bytes(4, "big"))
    for verb in (["show", BAD], ["list"]):
        assert say(*verb, runs=pair).code in (0, 3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_bytes_that_were_overwritten_are_no_bugs(say: Say, pair: Path, seed: int) -> None:
    """A store with random bytes in it is read or refused, but never a bug."""
    import random

    draw = random.Random(seed)
    content = bytearray(_store(pair).read_bytes())
    for _ in range(draw.choice((1, 20, 400))):
        content[draw.randrange(len(content))] = draw.randrange(256)
    _store(pair).write_bytes(content)
    for verb in (["list"], ["show", BAD], ["export", BAD, "--what", "events"], ["lineage", BAD]):
        said = say(*verb, runs=pair)
        assert said.code in (0, 2, 3, 6), (verb, said.err)


def test_a_run_that_is_being_written_opens(pair: Path) -> None:
    """A store with an open writer and its log beside it is read with all that was committed."""
    writer = open_writing(pair / BAD)
    writer.execute("REPLACE INTO run VALUES ('group', ?)", (json.dumps("late"),))
    assert (pair / BAD / f"{FILE_NAME}-wal").exists()
    reader = Reader.open(pair / BAD)
    assert reader.record("group") == "late"
    writer.execute("REPLACE INTO run VALUES ('group', ?)", (json.dumps("later"),))
    assert reader.record("group") == "later"
    reader.close()
    writer.close()


def test_a_reader_leaves_the_locks_of_a_writer(pair: Path) -> None:
    """Opening a reader beside a writer of the same process does not drop what the writer holds."""
    writer = open_writing(pair / BAD)
    writer.execute("BEGIN IMMEDIATE")
    Reader.open(pair / BAD).close()
    code = f"import sqlite3; sqlite3.connect({str(_store(pair))!r}, timeout=0).execute('BEGIN IMMEDIATE')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "locked" in done.stderr
    writer.execute("ROLLBACK")
    writer.close()


def test_files_of_a_run_folder_are_replaced_and_not_followed(tmp_path: Path) -> None:
    """A link in the place of a file that a verb writes leaves its target as it is."""
    from gapsmith.app.runs.folders import put_text

    target, link = tmp_path / "precious", tmp_path / "simplified.py"
    target.write_text("mine")
    link.symlink_to(target)
    put_text(link, "new")
    assert (target.read_text(), link.read_text(), link.is_symlink()) == ("mine", "new", False)


def test_the_limits_hold_what_runs_hold() -> None:
    """The longest program, a prompt and an instance of a million numbers fit one value."""
    assert connection.MAX_VALUE_BYTES > 8 * 10**6


TEXTS = {
    "nested brackets": "def schedule(a, b):\n    return " + "(" * 5000 + "1" + ")" * 5000,
    "a chain of attributes": "def schedule(a, b):\n    return a" + ".b" * 15_000,
    "a chain of signs": "def schedule(a, b):\n    return " + "-" * 60_000 + "1",
    "a lone surrogate": "def schedule(a, b):\n    return '\ud800'",
    "a null character": "def schedule(a, b):\n    return 1\0",
    "no Python": "<html>(((",
    "many statements": "def schedule(a, b):\n" + "    a = 1\n" * 6_000,
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_candidate_s_is_not_parsed(say: Say, pair: Path, tmp_path: Path, name: str) -> None:
    """`best -o` names what no describe job would have admitted; `show` and `best` print the text."""
    _store_texts(pair, TEXTS[name] + "  # __main__")
    said = say("best", BAD, "-o", str(tmp_path / "best.py"), runs=pair)
    assert said.code == 3
    assert "the record is damaged: " in said.err
    assert not (tmp_path / "best.py").exists()
    for verb in (["show", BAD, "best"], ["best", BAD], ["diff", BAD, "start", "best"]):
        assert say(*verb, runs=pair).code == 0


@pytest.mark.parametrize("files", [{}, {"heuristic.py": "x = 1\n" * 20_000}], ids=["none", "large"])
def test_files_beyond_the_cap_are_damage(say: Say, pair: Path, files: dict[str, str]) -> None:
    """A candidate of no files, or of more bytes than any run admits, is not read."""
    _spoil(pair, f"UPDATE candidates SET files = '{json.dumps(files)}'")
    for verb in (["show", BAD, "best"], ["best", BAD]):
        said = say(*verb, runs=pair)
        assert (said.code, "the record is damaged" in said.err) == (3, True), said.err


def _store_texts(runs: Path, text: str) -> None:
    """Gives every candidate of the spoilt run one text."""
    database = sqlite3.connect(_store(runs), isolation_level=None)
    for id, files in database.execute("SELECT id, files FROM candidates").fetchall():
        name = next(iter(json.loads(files)))
        database.execute("UPDATE candidates SET files = ? WHERE id = ?", (json.dumps({name: text}), id))
    database.close()


def _with_document(key: str, value: object) -> tuple[str, ...]:
    return (
        f"INSERT OR REPLACE INTO run VALUES ('{key}', '{json.dumps(value)}')",
        "DELETE FROM run WHERE key = 'seal'",
    )


@pytest.mark.slow
def test_a_long_operator_holds_up_no_terminal(say: Say, pair: Path) -> None:
    """An operator of millions of characters is damage; such a reason to stop is shown shortened."""
    _spoil(pair, "UPDATE candidates SET operator = printf('%.*c', 3000000, 'L')")
    for words in (["show", BAD, "best"], ["lineage", BAD], ["diff", BAD]):
        answer = say(*words, runs=pair)
        assert answer.code == 3, answer
        assert "operator of more than 1000 characters" in answer.err.replace("\n", " ")
        assert "LLLL" not in answer.out
    _spoil(
        pair,
        "UPDATE candidates SET operator = 'scripted'",
        "UPDATE run SET value = json_quote(printf('%.*c', 3000000, 'L')) WHERE key = 'stop_reason'",
    )
    for words in (["show", BAD], ["watch", BAD, "--json"]):
        answer = say(*words, runs=pair)
        assert answer.code == 0
        assert 200 < answer.out.count("L") < 1000


@pytest.mark.parametrize(
    ("key", "value", "verb"),
    [
        ("layers", ["x"], ["show", BAD]),
        ("layers", {"seccomp": "yes"}, ["show", BAD]),
        ("claims", [{"against": "start program"}], ["show", BAD]),
        ("claims", [{}], ["show", BAD, "--json"]),
        ("claims", [{"against": "x", "p_value": "y", "wins": 1, "ties": 1, "losses": 1}], ["show", BAD]),
        ("simplified", [1], ["report", BAD, "--force"]),
        ("problem", {"name": "smtt", "entry_point": "f", "driver": [1]}, ["best", BAD, "-o", "x.py"]),
    ],
)
def test_documents_of_a_foreign_record_are_no_bugs(
    say: Say, pair: Path, monkeypatch: pytest.MonkeyPatch, key: str, value: object, verb: list[str]
) -> None:
    """A document of another shape, or without its fields, ends with its name; nobody is told of a bug."""
    monkeypatch.chdir(pair)
    _spoil(pair, *_with_document(key, value))
    said = say(*verb, runs=pair)
    assert said.code == 3, said.err
    assert "the record" in said.err
    assert not (pair / "x.py").exists()


@pytest.mark.parametrize(
    "spec",
    [
        "x" * 10**6,
        "a." * 5000 + "b:c",
        f"{'x' * 300}.py",
        f"folder/{'é' * 200}.py",
        "openevolve:~nobody-of-this-name/task",
        "shinka:" + "x" * 300,
        "a\0b.py",
        "\ud800:x",
        "/dev/zero.py",
        "openevolve:/proc/self",
    ],
    ids=lambda spec: ascii(spec)[:30],
)
def test_a_problem_s_name_in_a_record_is_no_bug(say: Say, pair: Path, spec: str) -> None:
    """Names that no file, user or module can have end with a sentence, before anything is loaded."""
    database = sqlite3.connect(_store(pair), isolation_level=None)
    (text,) = database.execute("SELECT value FROM run WHERE key = 'config'").fetchone()
    config = json.loads(text)
    config["campaign"]["problem"] = spec
    database.execute("UPDATE run SET value = ? WHERE key = 'config'", (json.dumps(config),))
    database.close()
    said = say("verify", BAD, runs=pair)
    assert said.code in (2, 3), said.err
    assert "bug" not in said.err
    assert len(said.err) < 3000


CONFIGURATIONS = {
    "nested brackets": "a = " + "[" * 100_000,
    "a dotted key": ".".join(["a"] * 50_000) + " = 1",
    "a dotted key inside": "x = {" + '"a" . ' * 20_000 + "a = 1}",
    "a long integer": "[budget]\niterations = " + "9" * 5_000,
    "a large file": "#" * 300_000,
}


@pytest.mark.parametrize("name", [*CONFIGURATIONS, "a pipe", "a device"])
def test_a_configuration_that_holds_up_its_reader_is_refused(say: Say, pair: Path, name: str) -> None:
    """A `campaign.toml` that is no plain file, or takes TOML's reader minutes, ends with a clear error."""
    path = pair / BAD / "campaign.toml"
    path.unlink(missing_ok=True)
    if name in CONFIGURATIONS:
        path.write_text(CONFIGURATIONS[name])
    elif name == "a pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    said = say("config", "show", str(path), runs=pair)
    assert said.code == 3, said.err
    assert str(path) in said.err.replace("\n    ", "")


def test_a_journal_that_names_another_file_deletes_nothing(say: Say, pair: Path, tmp_path: Path) -> None:
    """SQLite deletes the super-journal that a rollback journal names; no run is opened beside one."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    store, name = _store(pair), str(precious).encode()
    magic, pages = bytes.fromhex("d9d505f920a163d7"), store.stat().st_size // 4096
    header = magic + b"".join(n.to_bytes(4, "big") for n in (0, 0, pages, 512, 4096))
    page = (2**30 // 4096 + 1).to_bytes(4, "big")
    end = page + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + magic
    store.with_name(FILE_NAME + "-journal").write_bytes(header.ljust(512, b"\0") + end)
    with pytest.raises(StoreError, match="rollback journal"):
        open_writing(pair / BAD)
    assert precious.exists()
    _refused(say, pair, "rollback journal", READING[:1])


def test_numbers_beyond_all_floats_are_no_bug(say: Say, pair: Path) -> None:
    """What is computed of huge stored numbers is null in rows, and a clear error in one document."""
    _spoil(pair, "UPDATE executions SET objective = '1e308', excess = '-1e308', cpu_seconds = 9e999")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    show = ["show", BAD, "--json"]
    for verb in (show, [*show, "best"], ["export", BAD, "--what", "scores"]):
        said = say(*verb, runs=pair)
        assert said.code in (0, 3), (verb, said.err)
        for line in said.out.splitlines() if verb[0] == "export" else [said.out]:
            json.loads(line, parse_constant=refuse)


def test_pictures_hold_no_unseen_characters(say: Say, pair: Path, recwarn: pytest.WarningsRecorder) -> None:
    """Names of a record are cleaned and cut before they are drawn; matplotlib warns of those that are not."""
    hostile = "substr(operator, 1, 1) || char(27) || char(8238) || printf('%.*c', 900, 'x')"
    _spoil(
        pair,
        f"UPDATE candidates SET operator = {hostile}",
        f"UPDATE iterations SET operator = {hostile}",
    )
    for kind in ("lineage", "operators"):
        path = pair / f"{kind}.svg"
        assert say("plot", BAD, kind, "-o", str(path), runs=pair).code == 0
        assert not {"\x07", "\x1b", "\u202e"} & {*path.read_text("utf-8")}
    assert not [str(one.message) for one in recwarn if "Glyph" in str(one.message)]


@pytest.mark.parametrize("asked", ['"x"', "[1]", "1e999", '{"a": 1}'])
def test_a_note_that_is_none_is_damage(pair: Path, asked: str) -> None:
    """A workbench and a resumed run name the store; what they read of a ledger is no bug."""
    note = f'{{"text": "a", "asked": {asked}}}'
    _spoil(pair, f"INSERT INTO events (iteration, kind, data, at) VALUES (0, 'ledger', '{note}', 1)")
    reader = Reader.open(pair / BAD)
    with pytest.raises(StoreError, match="the record is damaged"):
        bench_notes(reader)
    reader.close()


@pytest.mark.parametrize("data", ["{}", "[]", "1", '"x"', '{"text": {"a": []}, "fitness": "x"}'])
@pytest.mark.parametrize("kind", ["note", "best"])
def test_an_event_that_is_none_is_no_bug(say: Say, pair: Path, kind: str, data: str) -> None:
    """What is shown of a run with such an event is damage or a text."""
    _spoil(pair, f"INSERT INTO events (iteration, kind, data, at) VALUES (0, '{kind}', '{data}', 1)")
    said = say("show", BAD, runs=pair)
    assert (said.code, "is damaged" in said.err) in ((0, False), (3, True)), said.err


@pytest.mark.parametrize(
    "row", [{}, {"set": "x"}, {"set": 1, "instances": 1, "paired": None, "specialised": None}]
)
def test_a_set_of_a_bench_that_is_none_is_damage(pair: Path, row: dict[str, Any]) -> None:
    """What a finished workbench prints of other sets is read whole, or named as damage."""
    _spoil(pair, *_with_document("neighbours", [row]))
    reader = Reader.open(pair / BAD)
    with pytest.raises(StoreError, match="neighbours"):
        reader.record("neighbours")
    reader.close()


def test_an_id_that_is_no_unicode_is_no_bug(say: Say, pair: Path) -> None:
    """Bytes of a command line that are no UTF-8 name no candidate."""
    assert say("show", BAD, "\udcff", runs=pair).code == 2


def test_a_program_that_does_not_end_is_refused(say: Say, pair: Path) -> None:
    """A device in the place of a program is read as far as a program can go."""
    said = say("evaluate", "smtt", "/dev/zero", runs=pair)
    assert (said.code, "more than 1,048,576 bytes, expected a program" in said.err) == (3, True), said.err
