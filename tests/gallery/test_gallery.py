"""Entries of the gallery give the objectives that they recorded, and their page shows what was measured."""

from __future__ import annotations

import json
import lzma
import os
import re
import runpy
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.commands.options import build_config
from gapsmith.app.config import Config
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.prepare import setup_over
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.edits import EditError, apply_hunks, find_hunks
from gapsmith.sandbox.base import MAIN_FILE

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "benchmarks" / "gallery.py"))
GALLERY = ROOT / "gallery"
NAMES = SCRIPT["names"]()
QUICK = ("flow-shop-rule", "job-shop-rule", "task-graph-rule", "weighted-tardiness-rule")
"""Entries whose objectives the default suite asks for again; the slow suite asks for those of all."""


def entry_of(name: str) -> dict[str, Any]:
    """What a person wrote about an entry."""
    return SCRIPT["entry_of"](GALLERY / name)


def evidence_of(name: str) -> dict[str, Any]:
    """What was measured of an entry."""
    return json.loads((GALLERY / name / "evidence.json").read_text("utf-8"))


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("name", NAMES)
def test_a_program_still_gives_its_recorded_objectives(name: str, slots: Callable[..., Any]) -> None:
    """`found.py` answers the pinned instances as on the day of the measurement."""
    entry, pinned = entry_of(name), evidence_of(name)["pinned"]
    config: Config = build_config(entry["problem"], ["evaluation.secret=", "sandbox.cpu_seconds=20"])
    loaded = load_problem(entry["problem"])
    drawn = loaded.instances(pinned["set"], pinned["seed"])
    instances = [one for one in drawn if one.id in pinned["objectives"]]
    setup = setup_over(loaded, config, {pinned["set"]: instances})
    program = setup.evaluator.program({MAIN_FILE: (GALLERY / name / "found.py").read_text("utf-8")})
    with slots(setup.policy) as slot:
        answers = [setup.evaluator.answer(program, one, slot) for one in instances]
    objectives = {
        one.id: loaded.problem.verify(one, answer).objective
        for one, answer in zip(instances, answers, strict=True)
    }
    assert objectives == pytest.approx(pinned["objectives"])


@pytest.mark.parametrize("name", [name for name in NAMES if "cassette" in entry_of(name)])
def test_a_model_wrote_the_program(name: str, tmp_path: Path) -> None:
    """`found.py` stands in a reply or a question letter by letter, or a reply's edits make it."""
    packed = ROOT / "benchmarks" / "model_campaigns" / entry_of(name)["cassette"]
    path = tmp_path / "cassette.jsonl"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    exchanges = Cassette.load(path).exchanges
    program = (GALLERY / name / "found.py").read_text("utf-8").strip()
    replies = [(e.prompt.user, e.completion.text) for e in exchanges if e.completion]
    made = (text.strip() for question, reply in replies for text in edited(question, reply))
    assert any(program in question or program in reply for question, reply in replies) or program in made


def edited(question: str, reply: str) -> Iterator[str]:
    """The programs that a question shows, with the edits of its reply, as far as these fit."""
    hunks = find_hunks(reply)
    for shown in re.findall(r"```python\n(.*?)```", question, re.S) if hunks else ():
        with suppress(EditError):
            yield apply_hunks(shown.strip(), hunks)


@pytest.mark.quick("kv-scheduling-rule", "model-placement")
@pytest.mark.parametrize("name", NAMES)
def test_the_command_that_proves_references_takes_its_words(name: str, gapsmith: Callable[..., Any]) -> None:
    """The command that proves an entry's references again takes its words, and agrees on one of them."""
    for command in entry_of(name)["campaign"]["prove"]:
        done = gapsmith(*command.split()[1:], "--sample", "1")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_is_no_baseline_and_no_start_program(name: str) -> None:
    """No problem ships a program of the gallery."""
    problem = load_problem(entry_of(name)["problem"]).problem
    shipped = {text.strip() for text in [*problem.baselines().values(), *problem.start_programs().values()]}
    programs = SCRIPT["programs"](GALLERY / name, entry_of(name))
    assert not shipped & {text.strip() for text in programs.values()}


PAGES = SCRIPT["pages"]()


@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_what_was_measured(name: str) -> None:
    """Forms, the best baseline and the solver stand in a page with their recorded gaps; 250 words hold it."""
    page, rows = PAGES[f"{name}.md"], evidence_of(name)["tables"][0]["rows"]
    forms = [row for row in rows if row["program"] in SCRIPT["FORMS"] and row["gap"] is not None]
    complete = [row for row in rows if row["kind"] == "baseline" and not row["failed"]]
    for row in [*forms, min(complete, key=lambda row: row["gap"])]:
        name_and_gap = rf"^\| `{re.escape(row['program'])}`.* \| {row['gap']:.2f} "
        assert re.search(name_and_gap, page, re.M), row["program"]
    text = re.sub(r"^```.*?^```$", "", page, flags=re.S | re.M)
    assert sum(any(c.isalnum() for c in word) for word in text.split()) <= 250


def test_the_index_links_every_entry() -> None:
    """The table of the index has a row for each page."""
    linked = re.findall(r"\]\(([\w-]+\.md)\) \|", PAGES["index.md"])
    assert linked == [f"{name}.md" for name in NAMES]


def test_the_list_of_a_clone_is_of_today() -> None:
    """`gallery/README.md` is what the script writes, with a row for each entry."""
    text = (GALLERY / "README.md").read_text("utf-8")
    assert re.findall(r"\]\(([\w-]+)\) \|", text) == NAMES
    assert text == SCRIPT["readme"]()


KEYS = {"proposer", "model", "date", "recorded", "calls", "tokens", "settings", "reviewer"}


@pytest.mark.parametrize("name", NAMES)
def test_an_entry_says_where_it_comes_from(name: str) -> None:
    """Each key of the provenance is there; calls are those of the cassette."""
    entry = entry_of(name)
    assert set(entry["provenance"]) == KEYS
    if "cassette" in entry:
        assert entry["provenance"]["calls"] == RECORDED["cassettes"][entry["cassette"]]["calls"]
    else:
        assert entry["provenance"]["calls"] == 0


CAMPAIGNS = ROOT / "benchmarks" / "model_campaigns"
RECORDED = tomllib.loads((CAMPAIGNS / "provenance.toml").read_text("utf-8"))


def test_every_cassette_says_where_it_comes_from() -> None:
    """Each packed cassette has its row, with as many calls as it holds exchanges."""
    counted = {}
    for path in sorted(CAMPAIGNS.rglob("*.xz")):
        lines = lzma.decompress(path.read_bytes()).decode("utf-8").splitlines()
        counted[path.relative_to(CAMPAIGNS).as_posix()] = sum("prompt" in json.loads(line) for line in lines)
    assert {name: row["calls"] for name, row in RECORDED["cassettes"].items()} == counted


OFFLINE = [name for name in NAMES if "cassette" not in entry_of(name)]


MODEL = [name for name in NAMES if entry_of(name)["campaign"].get("replayed")]
"""Entries whose recorded replies are known to make the program again; those of older searches say so."""
TURN = os.environ.get("GAPSMITH_GALLERY_REPLAY") or MODEL[date.today().toordinal() % len(MODEL)]
"""The entry whose model campaign is replayed today; `all` in the variable replays every one."""


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", [name for name in MODEL if TURN in ("all", name)])
def test_recorded_replies_make_the_program_again(
    name: str, gapsmith: Callable[..., Any], tmp_path: Path
) -> None:
    """The command of the entry, with the cassette, makes a campaign that evaluates `found.py`."""
    kept = f"benchmarks/model_campaigns/{entry_of(name)['cassette']}"
    packed = ROOT / kept
    cassette = tmp_path / packed.stem
    cassette.write_bytes(lzma.decompress(packed.read_bytes()))
    command = entry_of(name)["campaign"]["replay"][1]
    words = command.replace(kept.removesuffix(".xz"), str(cassette)).split()[1:]
    done = gapsmith(*words, "--runs", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    rows = gapsmith("export", "latest", "--runs", str(tmp_path)).stdout.splitlines()
    program = (GALLERY / name / "found.py").read_text("utf-8").strip()
    complete = [row for row in map(json.loads, rows) if row["train_status"] == "complete"]
    assert program in [text.strip() for row in complete for text in row["files"].values()]


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", OFFLINE)
def test_a_campaign_finds_its_program_again(name: str, gapsmith: Callable[..., Any], tmp_path: Path) -> None:
    """The command of the entry makes a campaign with `found.py`: its champion, or a leader by chance."""
    verb, *words = entry_of(name)["campaign"]["replay"][0].split()[1:]
    done = gapsmith(verb, *words, "--runs", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    program = (GALLERY / name / "found.py").read_text("utf-8").strip()
    best = gapsmith("best", "latest", "--runs", str(tmp_path)).stdout.strip()
    if entry_of(name)["campaign"].get("champion", True):
        assert best == program
    else:
        rows = map(json.loads, gapsmith("export", "latest", "--runs", str(tmp_path)).stdout.splitlines())
        valid = {row["files"]["heuristic.py"].strip(): row["valid_fitness"] for row in rows}
        fitness = {text: value for text, value in valid.items() if value is not None}
        assert max(fitness, key=fitness.__getitem__) == program != best
