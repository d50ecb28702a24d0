"""Totals of a stored run, and what is told of how to go on with it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.resume import missing_member, stored_config
from gapsmith.app.versions import versions
from gapsmith.evolve.llm.base import ErrorKind, ModelError
from gapsmith.evolve.settings import SEARCH_VERSION

Say = Callable[..., Any]
FINISHED = "20260102-203301-smtt-aaaa"
MODEL = "20260103-101500-smtt-bbbb"


@pytest.fixture
def copied(runs: Path, tmp_path: Path) -> Path:
    """A run of a model of the test's own, as the installed version would have begun it."""
    shutil.copytree(runs / MODEL, tmp_path / MODEL)
    with sqlite3.connect(tmp_path / MODEL / "archive.sqlite") as db:
        db.execute("UPDATE run SET value = ? WHERE key = 'versions'", (json.dumps(versions()),))
        db.execute("INSERT INTO run (key, value) VALUES ('search_version', ?)", (json.dumps(SEARCH_VERSION),))
    return tmp_path / MODEL


def test_the_total_that_a_hint_names_is_accepted(say: Say, copied: Path) -> None:
    """A large amount is told whole, so that the option that is printed is not refused again."""
    with sqlite3.connect(copied / "archive.sqlite") as db:
        db.execute("UPDATE calls SET cost_usd = 0")
        db.execute("UPDATE calls SET cost_usd = 6000000.0054 WHERE id = 1")
    said = say("resume", MODEL, "--usd", "2", runs=copied.parent)
    assert (said.code, "expected at least the 6000000.01 of before" in said.err) == (2, True), said.err
    assert "for 2 more: --budget 6000002.01usd\n" in said.err


def test_tokens_count_though_a_server_tells_one_kind_alone(say: Say, copied: Path) -> None:
    """What was not told counts nothing; what was told counts, in `watch` and for a new total."""
    with sqlite3.connect(copied / "archive.sqlite") as db:
        db.execute("UPDATE calls SET tokens_out = NULL")
        (used,) = db.execute("SELECT sum(tokens_in) FROM calls").fetchone()
    assert say("watch", MODEL, "--json", runs=copied.parent).document["tokens"] == used > 1
    said = say("resume", MODEL, "--tokens", "1", runs=copied.parent)
    assert (said.code, f"expected at least the {used} of before" in said.err) == (2, True), said.err


def test_the_command_that_goes_on_finds_the_run(
    say: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After trouble with a model the hint names the run's folder, which is right wherever the runs are."""

    def fails(config: Any, folder: Path, **_: Any) -> None:
        raise ModelError(ErrorKind.CONNECTION, "nobody answers")

    monkeypatch.setattr("gapsmith.app.compose.run", fails)
    place = tmp_path / "my runs"
    said = say("run", "smtt", "--runs", str(place))
    found = re.search(r"`gapsmith resume (.*)` goes on", said.err)
    assert found is not None, said.err
    (folder,) = shlex.split(found[1])
    assert (said.code, Path(folder).parent) == (8, place)


def test_commands_after_a_run_named_by_its_path_find_it(say: Say, runs: Path, tmp_path: Path) -> None:
    """`show PATH` and `resume PATH` of a run elsewhere print commands that say where."""
    elsewhere = tmp_path / "my runs"
    shutil.copytree(runs / FINISHED, elsewhere / FINISHED)
    for verb in ("show", "resume"):
        said = say(verb, str(elsewhere / FINISHED), width=300)
        commands = [line.split("#")[0] for line in said.out.splitlines() if line.startswith("  gapsmith ")]
        assert [shlex.split(line)[-2:] for line in commands] == [["--runs", str(elsewhere)]] * 3, said.err
    assert "--runs" not in say("show", str(runs / FINISHED)).out


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ModelError(ErrorKind.CONNECTION, "nobody answers")])
def test_the_command_that_goes_on_finishes_the_group(
    say: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stop: Any
) -> None:
    """Whatever ends the second of three runs, the hint names all of them, so that the third is begun too."""

    def works_once(config: Any, folder: Path, **_: Any) -> dict[str, Any]:
        if folder.name.endswith("-s2"):
            raise stop
        return {"run": folder.name, "status": "completed"}

    monkeypatch.setattr("gapsmith.app.compose.run", works_once)
    said = say("run", "smtt", "--repeat", "3", "--runs", str(tmp_path / "my runs"))
    found = re.search(r"`gapsmith resume (.*)` goes on", said.err)
    assert found is not None, said.err
    (group,) = shlex.split(found[1])
    assert (Path(group).parent, re.search(r"-s\d$", group)) == (tmp_path / "my runs", None)
    assert said.code == (130 if stop is KeyboardInterrupt else 8)


def test_a_run_of_a_group_that_was_not_begun_gets_the_options_of_resume(copied: Path) -> None:
    """Workers and totals that `resume GROUP` names hold for it too, though another run's are stored."""
    member = copied.rename(copied.with_name("group-s1"))
    before = stored_config(member, {}, None)
    config, _ = missing_member(3, member, {"iterations": 900}, 7)
    assert (config.run.workers, config.budget.iterations) == (7, 900)
    assert config.campaign.seed == before.campaign.seed + 2
    unchanged, _ = missing_member(1, member, {}, None)
    assert unchanged == before
