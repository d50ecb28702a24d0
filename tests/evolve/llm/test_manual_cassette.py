"""A campaign that was answered by hand: its cassette loads, its best reply is exact."""

import json
import lzma
from pathlib import Path

import gapsmith
import pytest
from gapsmith.app import compose
from gapsmith.app.config import parse
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.edits import find_program

CASSETTE = Path(__file__).parent / "manual_smtt.jsonl"
EXACT = 2
"""The iteration whose reply was the first without a gap in training."""


def test_cassette_holds_forty_answered_prompts():
    """Every prompt has a reply with a program, and nothing in the file looks like a key."""
    exchanges = Cassette.load(CASSETTE).exchanges
    assert [e.iteration for e in exchanges] == list(range(1, 41))
    for exchange in exchanges:
        reply = exchange.completion.text
        assert "def schedule" in reply or "<<<<<<< SEARCH" in reply
    assert "sk-" not in CASSETTE.read_text("utf-8")
    assert all(set(json.loads(line)) >= {"prompt", "completion"} for line in CASSETTE.open(encoding="utf-8"))


@pytest.mark.slow
def test_second_reply_solves_every_test_instance(tmp_path, monkeypatch):
    """The decomposition that the author wrote attains the proven optimum of all 100 held-out instances."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path))
    reply = next(e for e in Cassette.load(CASSETTE).exchanges if e.iteration == EXACT)
    source = find_program(reply.completion.text, "schedule")
    found = gapsmith.evaluate("smtt", source)["summary"]
    assert (found["instances"], found["solved"], found["failed"]) == (100, 100, 0)


@pytest.mark.slow
def test_recorded_replies_run_through_the_search(tmp_path, monkeypatch):
    """Given to a campaign on small instances, whatever it asks, they leave a champion without a gap."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "run").mkdir()
    small = {f"{split}_per_stratum": 1 for split in ("train", "valid", "test")}
    sections = {
        "problem": {"jobs": 8, **small},
        "search": {"tune_share": 0.0},
        "budget": {"iterations": 4},
        "model": [{"spec": f"scripted/{CASSETTE}"}],
    }
    found = compose.run(parse(sections, "test"), tmp_path / "run")
    figures = found["best"]["splits"]["test"]
    assert figures["solved"] == figures["instances"] > 0
    assert found["evaluations"] >= 3


KEPT = Path(__file__).parents[3] / "benchmarks" / "model_campaigns"
SHOWN = ("the best so far", "The best program so far", "the best program so far")


def questions_for_programs(packed: Path, folder: Path) -> list[str]:
    """The questions of a kept cassette, but for pages of notes and repairs."""
    path = folder / packed.stem
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    exchanges = Cassette.load(path).exchanges
    return [e.prompt.user for e in exchanges if e.operator not in ("notes", "repair")]


@pytest.mark.parametrize(
    "name",
    sorted(
        str(path.relative_to(KEPT)).partition(".")[0]
        for path in (*KEPT.glob("*.xz"), *KEPT.glob("loops/*-opening-*"))
    ),
)
def test_kept_campaigns_ask_nothing_twice_and_show_the_best_program(tmp_path, name):
    """No question of a kept campaign is asked twice, and nearly all hold the best program so far."""
    questions = questions_for_programs(KEPT / f"{name}.jsonl.xz", tmp_path)
    assert len(set(questions)) == len(questions) >= 25
    shown = sum(any(words in question for words in SHOWN) for question in questions)
    assert shown >= 0.95 * len(questions)


@pytest.mark.parametrize(
    "name", sorted(path.name[: -len("-after.jsonl.xz")] for path in KEPT.glob("loops/*-after.*"))
)
def test_the_loop_of_today_asks_nothing_twice_where_the_one_before_did(tmp_path, name):
    """Of two kept campaigns, that of today's loop asks only distinct questions, the one before does not."""
    before, after = (
        questions_for_programs(KEPT / "loops" / f"{name}-{which}.jsonl.xz", tmp_path)
        for which in ("before", "after")
    )
    assert len(set(after)) == len(after)
    assert len(set(before)) < len(before)
    shown = sum(any(words in question for words in SHOWN) for question in after)
    assert shown >= 0.95 * len(after)
