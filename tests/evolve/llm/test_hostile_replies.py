"""Replies that were made to take long: each step on them ends, in proportion to their length."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from gapsmith.evolve.llm import edits
from gapsmith.evolve.llm.edits import Deadline, EditError, apply_reply, find_program
from gapsmith.evolve.llm.replies import idea_of
from gapsmith.evolve.types import RejectionReason
from gapsmith.prompts.marks import neutral_code, neutral_text, restore
from gapsmith.prompts.text import plain_code, plain_text, quote, shortened

HUNK = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
PARENT = "def f():\n" + "    x\n" * 8000 + "    return 1\n"
FAMILIES = {
    "spaces after a heading": "### Instruction" + " " * 300_000 + "x",
    "tabs": "\t" * 300_000,
    "headings": "# " * 150_000,
    "fences": "```\n" * 75_000,
    "a long fence": "`" * 150_000 + "\n" + "`" * 149_999,
    "openings": "<" * 300_000,
    "tags without end": "<a b=" * 60_000,
    "brackets": "[" * 300_000,
    "closed brackets": "]~" * 150_000,
    "dots": "<" + "\u205e" * 300_000,
    "escapes": "\x1b[" * 150_000,
    "unseen": "\u200b" * 300_000,
    "definitions": "def\n" * 75_000,
    "decoration": "*_" * 150_000,
    "hunks without end": "<<<<<<< SEARCH\n" * 20_000,
    "many hunks": HUNK.format("    return 1", "    return 1") * 4_000,
    "a hunk of equal lines": HUNK.format("    y\n" + "    x\n" * 4_000 + "    z", "q"),
    "hunks of equal lines": HUNK.format("    return 1\n" + "    x\n" * 4_000, "q") * 12,
    "fences of a line": "```\nz\n```\n" * 30_000,
    "a search of one line": HUNK.format("x" * 300_000, "y"),
}


@pytest.mark.quick(
    "spaces after a heading",
    "tabs",
    "a long fence",
    "tags without end",
    "unseen",
    "a search of one line",
    "a hunk of equal lines",
)
@pytest.mark.parametrize("name", FAMILIES)
def test_each_step_on_a_reply_is_quick(name: str) -> None:
    """Ten CPU seconds are a hundred times what 300 kB take; what was quadratic took minutes."""
    reply = FAMILIES[name]
    begun = time.thread_time()
    with suppress(EditError):
        apply_reply(reply, PARENT, "f")
    for step in (idea_of, neutral_text, neutral_code, restore, plain_text, plain_code, quote):
        step(reply)
    shortened(reply, 1200)
    assert time.thread_time() - begun < 10


def test_a_reply_beyond_all_programs_is_too_large() -> None:
    """Its thoughts do not count."""
    program = "```python\ndef f():\n    return 1\n```"
    assert apply_reply("x" * 2_000_000 + "</think>" + program, "", "f") == "def f():\n    return 1\n"
    with pytest.raises(EditError, match="expected at most 1,000,000") as caught:
        apply_reply(program + "x" * 2_000_000, "", "f")
    assert caught.value.reason is RejectionReason.TOO_LARGE


def test_no_hunk_grows_by_its_place() -> None:
    """A place that is indented by thousands of columns does not multiply the lines that come there."""
    deep = HUNK.format("    return 1", " " * 50_000 + "here")
    with pytest.raises(EditError, match="hunk 2 would be indented too deeply") as caught:
        apply_reply(deep + HUNK.format("here", "y\n" * 1_000), "def f():\n    return 1\n", "f")
    assert caught.value.reason is RejectionReason.TOO_LARGE


def test_fences_share_the_time_of_a_reply() -> None:
    """Each is compared with the parent, so that many of them take long."""
    with pytest.raises(EditError, match="takes too long"):
        find_program("```\nx\n```\n", "f", parent="def f():\n    return 1\n", deadline=Deadline(-1.0))


def test_a_reply_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever makes it slow."""
    monkeypatch.setattr(edits, "Deadline", lambda: Deadline(-1.0))
    with pytest.raises(EditError, match="takes too long") as caught:
        apply_reply(HUNK.format("a", "b"), "a\n", "f")
    assert caught.value.reason is RejectionReason.TOO_LARGE


@pytest.mark.slow
def test_sigterm_ends_a_campaign_whose_replies_are_hostile(loopback, tmp_path: Path) -> None:
    """While replies of 300 kB are read, which once held everything up for half an hour."""
    server = loopback(
        replies=["### Instruction" + " " * 60_000 + "x\n```python\ndef schedule(a, b):\n    x\n"]
    )
    config = tmp_path / "c.toml"
    config.write_text(
        '[campaign]\nproblem = "smtt"\n[budget]\nseconds = 600\n'
        f'[[model]]\nspec = "openai/x"\nbase_url = "{server.url}"\nmax_output_tokens = 1000\n'
    )
    command = [sys.executable, "-m", "gapsmith.cli", "run", str(config), "--runs", str(tmp_path / "runs")]
    environment = {**os.environ, "NO_COLOR": "1"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    for _ in range(600):
        if process.poll() is not None or len(server.seen()["requests"]) > 1:
            break
        time.sleep(0.1)
    assert process.poll() is None, process.communicate()[0]
    process.send_signal(signal.SIGTERM)
    out = process.communicate(timeout=90)[0]
    assert "resume" in out
