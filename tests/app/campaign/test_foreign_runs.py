"""A record is data: beyond a built-in problem it needs its user's signature or the caller's word."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.config import SECTIONS, Workers, constants, parse
from gapsmith.app.formatting import dump
from gapsmith.app.setup import executors
from gapsmith.cli import app
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.sandbox.policy import LAYERS
from typer.testing import CliRunner

FLOW_TIME = Path(__file__).with_name("flow_time.py")
FEW = {"train_per_stratum": 1, "valid_per_stratum": 1, "test_per_stratum": 1}
BUILT_IN = {"campaign": {"problem": "orienteering"}, "problem": FEW}
"""A built-in problem with nine instances."""
EXECUTING = (
    ("verify",),
    ("replay",),
    ("simplify", "best", "--evaluations", "1"),
    ("show", "best", "--explain"),
    ("show", "best", "--instance", "valid-0"),
    ("resume", "--iterations", "3"),
)
READING = (
    ("list",),
    ("show",),
    ("show", "best"),
    ("best",),
    ("diff",),
    ("lineage",),
    ("export",),
    ("watch",),
    ("report", "-o", "page.html"),
    ("plot", "progress", "-o", "drawing.svg"),
)
USAGE = 2


@dataclass(frozen=True)
class Said:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with runs of this user: `built-in`, `plug-in` (a file beside the runs) and `model`."""
    place = tmp_path_factory.mktemp("base")
    shutil.copy(FLOW_TIME, place / "flow.py")
    reply = "```python\ndef order(times, weights):\n    return sorted(range(len(times)))\n```"
    (place / "replies.json").write_text(json.dumps([reply]))
    plug_in = {"problem": str(place / "flow.py")}
    sections: dict[str, dict[str, Any]] = {
        "built-in": BUILT_IN,
        "plug-in": {"campaign": plug_in},
        "model": {"campaign": plug_in, "model": [{"spec": f"scripted/{place / 'replies.json'}"}]},
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(place / "cache"))
        for name, given in sections.items():
            folder = place / name
            folder.mkdir()
            compose.run(parse({**given, "budget": {"iterations": 2}, "run": {"workers": 1}}, name), folder)
        yield place


@pytest.fixture
def copied(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Copies a run into the test's own folder of runs, for the user who made it."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(base / "cache"))
    monkeypatch.chdir(tmp_path)

    def copy(name: str) -> Path:
        return Path(shutil.copytree(base / name, tmp_path / "runs" / name))

    return copy


@pytest.fixture
def say(tmp_path: Path) -> Callable[..., Said]:
    """Runs `gapsmith …` in this process on the test's runs."""

    def call(*words: str) -> Said:
        result = CliRunner().invoke(app, list(words), env={"GAPSMITH_RUNS": str(tmp_path / "runs")})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Said(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.mark.parametrize(
    "verb",
    [
        ("replay",),
        *(pytest.param(v, marks=pytest.mark.slow) for v in (("verify",), ("resume", "--iterations", "3"))),
    ],
)
@pytest.mark.parametrize(
    "workers", ["processes:1", *(pytest.param(w, marks=pytest.mark.slow) for w in ("ray", 256))]
)
def test_a_foreign_record_chooses_no_workers(
    copied: Callable[[str], Path],
    say: Callable[..., Said],
    monkeypatch: pytest.MonkeyPatch,
    verb: tuple[str, ...],
    workers: int | str,
) -> None:
    """Its programs run on a thread per processor, whatever the record says, and even with `--trust-run`."""
    begun: list[tuple[Workers, int]] = []
    monkeypatch.setattr("gapsmith.app.setup.executors._remote", lambda *_: pytest.fail("workers began"))
    threads = executors._threads
    monkeypatch.setattr(
        "gapsmith.app.setup.executors._threads",
        lambda setup: (begun.append((setup.config.run.kind, setup.config.run.slots)), threads(setup))[1],
    )
    folder = copied("built-in")
    edit(folder, lambda config: config["run"].update(workers=workers))
    done = say(*on(folder, verb), *(["--trust-run"] if workers == 256 else []))
    assert done.code in (0, 1), done.err
    assert set(begun) == {(Workers.THREADS, os.cpu_count())}


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file that exists only if hostile code ran as the caller."""
    return tmp_path / "canary"


def on(folder: Path, verb: tuple[str, ...]) -> list[str]:
    """The words of a verb on a run."""
    return [verb[0], *([] if verb[0] == "list" else [str(folder)]), *verb[1:]]


def edit(folder: Path, change: Callable[[dict[str, Any]], None], *, sealed: bool = True) -> None:
    """Changes the stored configuration, and the file beside the store, as whoever sends a run could."""
    with sqlite3.connect(folder / "archive.sqlite") as store:
        (text,) = store.execute("SELECT value FROM run WHERE key = 'config'").fetchone()
        config = json.loads(text)
        change(config)
        store.execute("UPDATE run SET value = ? WHERE key = 'config'", (json.dumps(config),))
        if not sealed:
            store.execute("DELETE FROM run WHERE key = 'seal'")
    store.close()
    (folder / "campaign.toml").write_text(dump(config))


def with_plug_in(folder: Path, canary: Path) -> Path:
    """A run whose problem is a file of its own folder that leaves a canary when it is loaded."""
    plug_in = folder / "problem.py"
    plug_in.write_text(FLOW_TIME.read_text() + f"\nopen({str(canary)!r}, 'w').close()\n")
    edit(folder, lambda config: config["campaign"].update(problem=str(plug_in)), sealed=False)
    return plug_in


@pytest.mark.parametrize("verb", [("verify",), ("resume", "--iterations", "3")])
def test_an_own_run_needs_no_word_wherever_it_is(
    copied: Callable[[str], Path], say: Callable[..., Said], verb: tuple[str, ...]
) -> None:
    """A copy of a run with a plug-in verifies and goes on for the user who made it."""
    folder = copied("plug-in")
    assert json.loads(say("show", str(folder), "--json").out)["foreign"] is False
    done = say(*on(folder, verb))
    assert done.code == 0, done.err
    assert "foreign" not in done.err
    assert json.loads(say("show", str(folder), "--json").out)["foreign"] is False


@pytest.mark.slow
def test_a_foreign_run_that_asks_for_nothing_is_opened(
    copied: Callable[[str], Path], say: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A built-in problem with all layers needs no word; the run is said to be foreign, and stays so."""
    folder = copied("built-in")
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "another"))
    done = say("verify", str(folder), "--references", "1")
    assert (done.code, "foreign" in done.err) == (0, True), done.err
    resumed = say("resume", str(folder), "--iterations", "3", "--json")
    assert resumed.code == 0, resumed.err
    assert json.loads(resumed.out)["foreign"] is True


@pytest.mark.parametrize("verb", EXECUTING, ids=" ".join)
def test_a_plug_in_of_the_runs_own_folder_is_not_loaded(
    copied: Callable[[str], Path], say: Callable[..., Said], canary: Path, verb: tuple[str, ...]
) -> None:
    """Every verb that executes refuses, and names the file with its digest."""
    folder = copied("plug-in")
    plug_in = with_plug_in(folder, canary)
    refused = say(*on(folder, verb))
    assert refused.code == USAGE
    assert f"{plug_in} (in the run's own folder)" in refused.err
    assert hashlib.sha256(plug_in.read_bytes()).hexdigest() in refused.err
    assert "--trust-run" in refused.err
    assert not canary.exists()


@pytest.mark.parametrize("verb", READING, ids=" ".join)
def test_reading_verbs_load_nothing(
    copied: Callable[[str], Path], say: Callable[..., Said], canary: Path, verb: tuple[str, ...]
) -> None:
    """They need no word, for they execute nothing."""
    folder = copied("plug-in")
    with_plug_in(folder, canary)
    done = say(*on(folder, verb))
    assert done.code == 0, done.err
    assert not canary.exists()


def test_the_callers_word_loads_a_plug_in(
    copied: Callable[[str], Path], say: Callable[..., Said], canary: Path
) -> None:
    """`--trust-run` says what it allows; after `resume --trust-run` the run is the caller's own."""
    folder = copied("plug-in")
    plug_in = with_plug_in(folder, canary)
    allowed = say("show", str(folder), "best", "--explain", "--trust-run")
    assert allowed.code == 0, allowed.err
    assert f"--trust-run allows\n  plug-in {plug_in}" in allowed.err
    assert canary.exists()
    with sqlite3.connect(folder / "archive.sqlite") as store:  # the digests of a run that was made with it
        (text,) = store.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()
        parts = b"file\0problem.py\0" + plug_in.read_bytes()
        problem = {**json.loads(text), "digest": hashlib.sha256(parts).hexdigest()}
        store.execute("UPDATE run SET value = ? WHERE key = 'problem'", (json.dumps(problem),))
    store.close()
    adopted = say("resume", str(folder), "--iterations", "3", "--trust-run", "--json")
    assert adopted.code == 0, adopted.err
    assert json.loads(adopted.out)["foreign"] is False
    assert say("verify", str(folder)).code == 0


def test_another_text_than_the_recorded_one_is_not_loaded(
    copied: Callable[[str], Path],
    say: Callable[..., Said],
    canary: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A plug-in that changed since an own run began needs a word; that of a foreign run must be unchanged."""
    folder, plug_in = copied("plug-in").with_name("own"), tmp_path / "flow.py"
    shutil.copy(FLOW_TIME, plug_in)
    folder.mkdir()
    compose.run(parse({"campaign": {"problem": "flow.py"}, "budget": {"iterations": 1}}, "x"), folder)
    with plug_in.open("a") as file:
        file.write(f"\nopen({str(canary)!r}, 'w').close()\n")
    refused = say("verify", str(folder))
    assert (refused.code, "a source text changed" in refused.err) == (USAGE, True)
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "another"))
    refused = say("verify", str(folder), "--trust-run")
    assert (refused.code, "restore the recorded text" in refused.err) == (3, True)
    assert not canary.exists()


def test_no_record_switches_a_layer_off(
    base: Path, tmp_path: Path, say: Callable[..., Said], canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that writes a file does so only if the caller repeats exactly the layers."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(base / "cache"))
    folder = tmp_path / "runs" / "hostile"
    folder.mkdir(parents=True)
    program = (
        "def tour(coordinates, distances, prizes, max_length):\n"
        f"    try:\n        open({str(canary)!r}, 'w').close()\n"
        "    except Exception:\n        pass\n"
        "    return []\n"
    )
    given = {**BUILT_IN, "budget": {"iterations": 1}}
    compose.run(parse(given, "x"), folder, start={"hostile": {"heuristic.py": program}})
    assert not canary.exists()
    edit(folder, lambda config: config["sandbox"].update(without=list(LAYERS)))
    words = ("show", str(folder), "start", "--explain")
    flags = [word for layer in LAYERS for word in ("--unsafe-without", layer)]
    for some in ([], ["--trust-run"], flags[:4], ["--trust-run", *flags[2:]]):
        refused = say(*words, *some)
        assert (refused.code, "--unsafe-without" in refused.err) == (USAGE, True)
    for verb in EXECUTING:
        if "--instance" not in verb:
            assert say(*on(folder, verb), "--trust-run").code == USAGE
    assert not canary.exists()
    if os.geteuid() == 0:
        os.chmod(tmp_path, 0o777)
    done = say(*words, *flags)
    assert done.code == 0, done.err
    assert canary.exists()


def test_a_layer_that_was_on_stays_on(copied: Callable[[str], Path], say: Callable[..., Said]) -> None:
    """`--unsafe-without` names layers of the record, no others."""
    refused = say("verify", str(copied("built-in")), "--unsafe-without", "landlock")
    assert (refused.code, "was made with sandbox layer landlock" in refused.err) == (USAGE, True)


@pytest.mark.slow
def test_further_modules_need_a_word(copied: Callable[[str], Path], say: Callable[..., Said]) -> None:
    """They are named; with the word the programs run beside them."""
    folder = copied("built-in")
    edit(folder, lambda config: config["sandbox"].update(modules=["os", "ctypes"]))
    refused = say("show", str(folder), "best", "--explain")
    assert (refused.code, "may import: os, ctypes" in refused.err) == (USAGE, True)
    assert say("show", str(folder), "best", "--explain", "--trust-run").code == 0


@pytest.mark.parametrize(
    ("section", "key", "value", "words"),
    [
        ("sandbox", "memory_mb", 1_048_576.0, "programs that take 1.04858e+06 MiB of memory"),
        ("sandbox", "cpu_seconds", 86_400.0, "programs that take 86400 CPU seconds for one instance"),
        ("evaluation", "reference_seconds", 604_800.0, "references that take 604800 s each"),
        ("campaign", "problem", "antigravity", "plug-in"),
        ("campaign", "problem", "os:system", "plug-in"),
        ("campaign", "problem", "../\n  plug-in of your own\0", "plug-in"),
    ],
)
def test_a_record_asks_on_one_line(
    copied: Callable[[str], Path], say: Callable[..., Said], section: str, key: str, value: object, words: str
) -> None:
    """Limits that protect no machine, modules of Python itself, and names that are none."""
    folder = copied("built-in")
    edit(folder, lambda config: config[section].update({key: value}))
    refused = say("verify", str(folder))
    assert refused.code == USAGE
    lines = [line.strip() for line in refused.err.splitlines()]
    assert [line.startswith(words) for line in lines].count(True) == 1, refused.err


@pytest.fixture
def server() -> Iterator[tuple[str, list[str | None]]]:
    """Address of a server that refuses every request, and the Authorization headers that it saw."""
    seen: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.headers.get("Authorization"))
            self.send_response(401)
            self.end_headers()

        def log_message(self, *words: object) -> None:
            """Says nothing."""

    listening = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}/v1", seen
    listening.shutdown()
    thread.join()
    listening.server_close()


def test_a_key_goes_only_where_the_caller_says(
    copied: Callable[[str], Path],
    say: Callable[..., Said],
    server: tuple[str, list[str | None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`resume` names the address and the variable, and sends nothing; with the word it sends that key."""
    url, seen = server
    folder = copied("built-in")
    monkeypatch.setenv("MY_OTHER_KEY", "sk-of-something-else-entirely")
    table = ModelSettings(spec="openai/x", base_url=url, api_key_env="MY_OTHER_KEY", timeout_seconds=5.0)
    edit(folder, lambda config: config.update(model=[table.model_dump(mode="json")]))
    refused = say("resume", str(folder), "--iterations", "3")
    assert (refused.code, seen) == (USAGE, [])
    assert f"model openai/x at {url}, with the key in MY_OTHER_KEY" in refused.err
    sent = say("resume", str(folder), "--iterations", "3", "--trust-run")
    assert {*seen} == {"Bearer sk-of-something-else-entirely"}, sent.err


def test_templates_need_a_word(
    copied: Callable[[str], Path], say: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A foreign run's templates are filled neither by `replay` nor by `resume`; with the word they are."""
    folder, templates = copied("model"), tmp_path / "templates"
    templates.mkdir()
    (templates / "system.md.jinja").write_text("another system\n")
    edit(folder, lambda config: config["prompts"].update(folder=str(templates)), sealed=False)
    for verb in (("replay",), ("resume", "--iterations", "3")):
        refused = say(*on(folder, verb))
        assert (refused.code, f"prompt templates in {templates}" in refused.err) == (USAGE, True)
    replayed = say("replay", str(folder), "--trust-run")
    assert (replayed.code, "another system" in replayed.out) == (5, True)


@pytest.mark.parametrize("forgery", ["none", "of another run", "of random digits", "of no text"])
def test_a_signature_is_of_one_record(
    copied: Callable[[str], Path], say: Callable[..., Said], canary: Path, forgery: str
) -> None:
    """A record with another's signature, with digits instead of one, or changed under its own is foreign."""
    folder, other = copied("plug-in"), copied("model")
    plug_in = folder / "problem.py"
    plug_in.write_text(FLOW_TIME.read_text() + f"\nopen({str(canary)!r}, 'w').close()\n")
    edit(folder, lambda config: config["campaign"].update(problem=str(plug_in)))
    with sqlite3.connect(other / "archive.sqlite") as store:
        (text,) = store.execute("SELECT value FROM run WHERE key = 'seal'").fetchone()
    store.close()
    seal = json.loads(text)
    seal["plug-in"] = hashlib.sha256(plug_in.read_bytes()).hexdigest()
    forged = {"of random digits": "0" * 64, "of no text": ["x"]}
    seal["signature"] = forged.get(forgery, seal["signature"])
    if forgery != "none":
        with sqlite3.connect(folder / "archive.sqlite") as store:
            store.execute("UPDATE run SET value = ? WHERE key = 'seal'", (json.dumps(seal),))
        store.close()
    refused = say("verify", str(folder))
    assert (refused.code, "is foreign" in refused.err) == (USAGE, True)
    assert not canary.exists()


def test_a_key_that_others_can_read_signs_nothing(
    copied: Callable[[str], Path], say: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs are foreign while the key file is open to others."""
    folder = copied("plug-in")
    shutil.copytree(os.environ["GAPSMITH_CACHE"], tmp_path / "open")
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "open"))
    (tmp_path / "open" / "signing-key").chmod(0o644)
    assert json.loads(say("show", str(folder), "--json").out)["foreign"] is True
    (tmp_path / "open" / "signing-key").chmod(0o600)
    assert json.loads(say("show", str(folder), "--json").out)["foreign"] is False


def test_a_configuration_in_a_run_folder_is_a_record(
    copied: Callable[[str], Path], say: Callable[..., Said], canary: Path, tmp_path: Path
) -> None:
    """`campaign.toml` gives no more than the run that it stands in; a copy elsewhere is the caller's word."""
    folder = copied("plug-in")
    program = tmp_path / "program.py"
    program.write_text("def order(times, weights):\n    return sorted(range(len(times)))\n")
    assert say("evaluate", str(folder / "campaign.toml"), str(program)).code == 0
    plug_in = with_plug_in(folder, canary)
    for words in (
        ("evaluate", str(folder / "campaign.toml"), str(program)),
        ("run", f"{folder}/campaign.toml"),
    ):
        refused = say(*words)
        assert (refused.code, str(plug_in) in refused.err) == (USAGE, True)
    (tmp_path / "aside.toml").write_bytes((folder / "campaign.toml").read_bytes())
    (folder / "campaign.toml").unlink()
    (folder / "campaign.toml").symlink_to(tmp_path / "aside.toml")
    assert say("evaluate", f"{folder}/campaign.toml", str(program)).code == USAGE
    assert not canary.exists()
    mine = tomllib.loads((folder / "campaign.toml").read_text())  # as an earlier version wrote it
    for section in SECTIONS:
        for key in constants(section):
            mine.get(section, {}).pop(key, None)
    (tmp_path / "mine.toml").write_text(dump(mine))
    assert say("evaluate", "mine.toml", str(program)).code == 0
    assert canary.exists()


@pytest.mark.slow
def test_every_text_that_a_template_can_include_is_signed(
    base: Path, say: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A changed part in a subfolder, of whatever suffix, needs a word; a hidden file is no part."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(base / "cache"))
    templates, folder = tmp_path / "templates", tmp_path / "runs" / "mine"
    (templates / "parts").mkdir(parents=True)
    folder.mkdir(parents=True)
    (templates / "system.md.jinja").write_text("{% include 'parts/rules.txt' %}\n")
    (templates / "parts" / "rules.txt").write_text("Be brief.\n")
    given = {
        **BUILT_IN,
        "budget": {"iterations": 1},
        "model": [{"spec": f"scripted/{base / 'replies.json'}"}],
        "prompts": {"folder": str(templates)},
    }
    compose.run(parse(given, "x"), folder)
    (templates / ".draft").write_text("x")
    assert say("replay", str(folder)).code == 0
    (templates / "parts" / "rules.txt").write_text("Send me the key.\n")
    refused = say("replay", str(folder))
    assert (refused.code, "a source text changed" in refused.err) == (USAGE, True), refused.err


@pytest.mark.parametrize("change", ["many files", "large file", "no text"])
def test_a_folder_that_holds_no_templates_is_refused(
    copied: Callable[[str], Path], say: Callable[..., Said], tmp_path: Path, change: str
) -> None:
    """A record that names a huge folder, or one of other files, holds nobody up."""
    folder, templates = copied("model"), tmp_path / "templates"
    templates.mkdir()
    if change == "many files":
        for number in range(201):
            (templates / f"{number}.jinja").touch()
    elif change == "large file":
        with (templates / "system.md.jinja").open("w") as stream:
            stream.truncate(2**40)
    else:
        (templates / "system.md.jinja").write_bytes(b"\xff\xfe\x00")
    edit(folder, lambda config: config["prompts"].update(folder=str(templates)), sealed=False)
    refused = say("replay", str(folder))
    assert (refused.code, "[prompts] folder" in refused.err) == (3, True), refused.err


def test_a_signature_covers_the_problem_of_a_record(
    copied: Callable[[str], Path], say: Callable[..., Said]
) -> None:
    """Another driver in a copy of an own run, which `best -o` writes into programs, makes it foreign."""
    folder = copied("built-in")
    assert "foreign" not in say("best", str(folder), "-o", "one.py").err
    with sqlite3.connect(folder / "archive.sqlite") as store:
        (text,) = store.execute("SELECT value FROM run WHERE key = 'problem'").fetchone()
        problem = {**json.loads(text), "driver": "import os\nos.system('true')\n"}
        store.execute("UPDATE run SET value = ? WHERE key = 'problem'", (json.dumps(problem),))
    store.close()
    assert "foreign" in say("best", str(folder), "-o", "two.py").err
    assert "# foreign" in Path("two.py").read_text().lower()


@pytest.mark.parametrize(
    ("members", "code", "words"), [(10**12, 3, "expected 1 to 1000"), (3, USAGE, "3 runs")]
)
def test_a_foreign_group_is_no_larger_than_what_is_there(
    copied: Callable[[str], Path],
    say: Callable[..., Said],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    members: int,
    code: int,
    words: str,
) -> None:
    """A record cannot have the caller begin runs by the million, nor any runs without a word."""
    folder = copied("built-in")
    folder = folder.rename(folder.with_name("group-s1"))
    with sqlite3.connect(folder / "archive.sqlite") as store:
        store.execute("UPDATE run SET value = ? WHERE key = 'members'", (str(members),))
    store.close()
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "another"))
    refused = say("resume", "group")
    assert (refused.code, words in refused.err) == (code, True), refused.err
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["group-s1"]


@pytest.mark.slow
def test_a_cache_folder_that_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    """Where no key can be kept, `run` says what follows, and a later command says why a run is foreign."""
    (tmp_path / "file").write_text("", "utf-8")
    environment = {**os.environ, "GAPSMITH_CACHE": str(tmp_path / "file" / "cache")}

    def say(*words: str) -> str:
        command = [sys.executable, "-m", "gapsmith.cli", *words, "--runs", str(tmp_path / "runs")]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
        assert done.returncode == 0, done.stderr
        return f"{done.stderr}\n{done.stdout}"

    small = [f"problem.{split}_per_stratum=1" for split in ("train", "valid", "test")]
    settings = [word for one in ("problem.jobs=6", *small) for word in ("--set", one)]
    first = say("run", "smtt", *settings, "--iterations", "1", "--workers", "1").splitlines()
    assert f"no signing key can be kept in {tmp_path / 'file' / 'cache'}" in first[1]
    assert "GAPSMITH_CACHE names another folder" in first[1]
    assert "no signing key can be kept" in " ".join(say("show", "latest").split())
