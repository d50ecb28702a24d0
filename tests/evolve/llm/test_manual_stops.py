"""Campaigns by hand that are stopped: what a person has yet to answer stays open, and is gone on with."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from gapsmith.app import compose
from gapsmith.app.compose import Watcher
from gapsmith.app.config import ArchiveSection, BudgetSection, PromptsSection, SearchSection, parse
from gapsmith.app.runs.resume import stored_config
from gapsmith.app.setup import timing
from gapsmith.cli import app
from gapsmith.evolve.budget import StopReason
from gapsmith.evolve.llm.mailbox import LetterState, letters, put_reply
from typer.testing import CliRunner

PROBLEM = str(Path(__file__).parents[2] / "app" / "campaign" / "flow_time.py")
RULE = "```python\ndef order(times, weights):\n    return sorted(range(len(times)), key=lambda j: {})\n```"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty run folder, and a cache of the test's own."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


def config_of(**campaign):
    """A campaign by hand of two iterations."""
    sections = {"campaign": {"problem": PROBLEM, **campaign}, "model": [{"spec": "manual"}]}
    return parse({**sections, "budget": {"iterations": 2}, "search": {"tune_share": 0.0}}, "test")


@pytest.mark.quick("interrupted-False")
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize(
    "reason", [StopReason.INTERRUPTED, pytest.param(StopReason.STOP_FILE, marks=pytest.mark.slow)]
)
def test_a_stopped_campaign_does_not_wait_for_a_person(folder, reason, last):
    """It ends by what stopped it, the prompt stays open, and a reply written meanwhile is told on resume."""
    box = folder / "mailbox"

    def stop(campaign):
        if not letters(box):
            return
        if reason is StopReason.STOP_FILE:
            (folder / "STOP").touch()
        else:
            campaign.interrupt(reason)

    config = config_of(in_flight=1)
    if last:  # nothing more is to be asked, whoever stops it
        config = config.model_copy(update={"budget": BudgetSection(iterations=1)})
    found = compose.run(config, folder, watcher=Watcher(observe=stop))
    assert found["stop_reason"] == reason.value
    prompt = (box / "0001.md").read_bytes()
    assert [letter.state for letter in letters(box)] == [LetterState.OPEN]
    put_reply(box, "0001", RULE.format("times[j] / weights[j]"))

    def skip(campaign):
        if (box / "0002.md").exists() and not (box / "0002.reply.md").exists():
            put_reply(box, "0002", "skip")

    config = stored_config(folder, {"iterations": 2}, None)
    found = compose.run(config, folder, watcher=Watcher(observe=skip))
    assert (found["stop_reason"], found["iterations"], found["evaluations"]) == ("iterations", 2, 1)
    assert (box / "0001.md").read_bytes() == prompt


@pytest.mark.slow
def test_a_reply_that_was_paid_is_used_though_others_were_told_meanwhile(folder):
    """Failures told since would change arm and prompt of the open iteration: it is asked as it was then."""
    box = folder / "mailbox"
    broken = {"0002": "times[j] / 0", "0003": "times[j] + None", "0004": "missing"}
    sections = {
        "budget": BudgetSection(iterations=4),
        "prompts": PromptsSection(),
        "archive": ArchiveSection(islands=1),
        "search": SearchSection(tune_share=0.0, fresh_share=0.0, fresh_until=0, pool_share=1.0),
    }
    config = config_of(in_flight=2, seed=11).model_copy(update=sections)

    def answer(campaign):
        for letter in letters(box)[1:]:
            if letter.state is LetterState.OPEN:
                put_reply(box, letter.name, RULE.format(broken[letter.name]))
        if campaign.search.tally.told == 3:
            campaign.interrupt(StopReason.INTERRUPTED)

    compose.run(config, folder, watcher=Watcher(observe=answer))
    prompt = (box / "0001.md").read_bytes()
    with closing(sqlite3.connect(folder / "archive.sqlite")) as store, store:  # killed before it was told
        changes = "state = 'replied', error_kind = NULL, error = NULL, answered_by = 'manual', text = ?"
        given = RULE.format("times[j] / weights[j]")
        store.execute(f"UPDATE calls SET {changes} WHERE iteration = 1", (given,))

    def unchanged(campaign):
        assert (box / "0001.md").read_bytes() == prompt

    found = compose.run(stored_config(folder, {}, None), folder, watcher=Watcher(observe=unchanged))
    assert (found["stop_reason"], found["iterations"], found["best"]["iteration"]) == ("iterations", 4, 1)


def test_the_second_interrupt_says_how_to_go_on(tmp_path, monkeypatch):
    """The run is saved all the same; one that has not begun leaves nothing to go on with."""

    def interrupted(config, folder, *, watcher, **others):
        if begun:
            watcher.started(None)
        raise KeyboardInterrupt

    monkeypatch.setattr(compose, "run", interrupted)
    monkeypatch.setattr(timing, "time_line", lambda campaign: None)
    for begun in (True, False):
        done = CliRunner().invoke(app, ["run", PROBLEM, "--runs", str(tmp_path / "my runs")])
        assert done.exit_code == 130
        assert (f"`gapsmith resume '{tmp_path}/my runs/" in done.stderr) == begun
