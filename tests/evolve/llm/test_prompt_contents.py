"""What the prompts of a scripted campaign hold, decision by decision, and that a replay sends the same."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.evolve.llm.cassette import Cassette, CassetteModel
from gapsmith.evolve.llm.settings import PromptSettings
from gapsmith.prompts.marks import neutral_code

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "explanation" / "prompts.md"
SCRIPT = runpy.run_path(str(ROOT / "benchmarks" / "thirtieth_prompt.py"))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """The campaign, its requests, its record, and after each outcome the best program and all ideas."""
    model, states = SCRIPT["Scripted"](), {0: None}

    def watch(campaign: Any) -> None:
        search = campaign.search
        states[search.tally.told] = search.archive.best

    campaign, cassette = SCRIPT["run"](tmp_path_factory.mktemp("told"), model, watch=watch)
    return SimpleNamespace(campaign=campaign, requests=model.requests, cassette=cassette, states=states)


def section(user: str, title: str) -> str:
    """The text below a heading up to the next one; empty without it."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", user, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def questions(requests: list[Any]) -> list[tuple[int, str]]:
    """Iteration and user text of each first question."""
    return [(r.iteration, r.prompt.user) for r in requests if r.round == 1]


def test_the_best_program_stands_in_every_prompt(told: SimpleNamespace) -> None:
    """As told by then: as the program to change, beside it, or named as the best so far."""
    found = questions(told.requests)
    assert [number for number, _ in found] == list(range(1, SCRIPT["ITERATIONS"] + 1))
    for number, user in found:
        best = told.states[number - 1]
        text = told.campaign.search.start.candidate.files if best is None else best.candidate.files
        assert neutral_code(next(iter(text.values()))).rstrip() in user, number
        assert "the best so far" in user or "## The best program so far" in user


def test_the_ledger_lists_what_was_told_newest_first(told: SimpleNamespace) -> None:
    """Each candidate stands with its reply's own sentence, after those that came later."""
    search = told.campaign.search
    made = {c.iteration: c.idea for c in search.memory.candidates.values() if c.iteration}
    assert len(made) > 20
    for number, user in questions(told.requests):
        if user.startswith("# Repair a program"):  # that holds the failure alone
            continue
        lines = section(user, "What was tried so far").splitlines()
        shown = [line for line in lines if line.startswith("> ")]
        ideas = [made[n] for n in range(number - 1, 0, -1) if n in made][:20]
        for line, idea in zip(shown, ideas, strict=False):
            assert idea in line or "failed" in line
        assert len(shown) >= len(ideas)
        assert ("(this program)" in "".join(shown)) <= bool(ideas)


def test_notes_are_written_every_ten_outcomes_and_shown_from_then_on(told: SimpleNamespace) -> None:
    """The call stands before the ask's own question; its page is in the prompts after that ask's outcome."""
    written = [request.iteration for request in told.requests if request.round == 0]
    assert written == [11, 21]
    for number, user in questions(told.requests):
        pages = [SCRIPT["notes_of"](n) for n in written if n < number]
        shown = section(user, "Notes")
        quoted = "".join(f"> {line}\n" for line in pages[-1].split("\n")) if pages else ""
        assert (quoted in shown) if pages else not shown
    second = next(r.prompt.user for r in told.requests if (r.iteration, r.round) == (21, 0))
    assert "after 10 iterations" in section(second, "Notes")
    assert "# Rewrite the notes" in second


@pytest.mark.slow
def test_a_replay_sends_the_same_prompts(told: SimpleNamespace, tmp_path: Path) -> None:
    """Every reply of the record is found by its prompt, notes included, and the end is the same."""
    exchanges = told.cassette.exchanges
    campaign, again = SCRIPT["run"](tmp_path, CassetteModel("scripted", Cassette(exchanges)))
    assert campaign.trouble is None
    assert [e.prompt.digest for e in again.exchanges] == [e.prompt.digest for e in exchanges]
    assert campaign.search.archive.best.candidate.id == told.campaign.search.archive.best.candidate.id


def test_notes_and_ledger_can_be_switched_off(tmp_path: Path) -> None:
    """A run without them asks no call more and shows neither, so a comparison can say what they are worth."""
    model = SCRIPT["Scripted"]()
    SCRIPT["run"](tmp_path, model, PromptSettings(notes=0, ledger=False), 14)
    assert all(request.round for request in model.requests)
    for _, user in questions(model.requests):
        assert not section(user, "Notes")
        assert not section(user, "What was tried so far")
    assert any(section(user, "What happened on instances") for _, user in questions(model.requests))


def test_the_page_shows_the_thirtieth_prompt(told: SimpleNamespace) -> None:
    """The page of prompts holds what a command writes: `python benchmarks/thirtieth_prompt.py --write`."""
    prompt = next(r.prompt for r in told.requests if (r.iteration, r.round) == (30, 1))
    assert SCRIPT["block"](prompt) in PAGE.read_text("utf-8")
