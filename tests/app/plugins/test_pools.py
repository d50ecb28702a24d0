"""The pool of a campaign on a plug-in: drawn before the search as far as its references are there soon."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

Planted = Callable[..., Path]
Command = Callable[..., object]
LINE = 'durations = sorted(instance.public["durations"], reverse=True)'


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def sizes() -> list[int]:
    """Sizes of the prefixes that the only run here recorded."""
    (store,) = Path("runs").glob("*/archive.sqlite")
    with closing(sqlite3.connect(store)) as opened:
        ((text,),) = opened.execute("SELECT value FROM run WHERE key = 'pool'").fetchall()
    return list(json.loads(text))


def test_quick_references_bring_the_whole_pool(planted: Planted, gapsmith: Command) -> None:
    """Eight training sets by default, in prefixes that double."""
    done = gapsmith("run", str(planted()), "--evaluations", "2", "--workers", "1")
    assert done.returncode == 0, done.stderr
    first, *more = sizes()
    assert more == [2 * first, 4 * first, 8 * first]


@pytest.mark.slow
def test_a_pool_of_one_is_the_training_set(planted: Planted, gapsmith: Command) -> None:
    """Who does not want a pool says so."""
    path = str(planted())
    done = gapsmith("run", path, "--evaluations", "2", "--workers", "1", "--set", "search.pool=1")
    assert done.returncode == 0, done.stderr
    assert len(sizes()) == 1


@pytest.mark.slow
def test_slow_references_of_a_pool_are_given_up_early(planted: Planted, gapsmith: Command) -> None:
    """Where the first doubling would take longer than a tenth of the budget, about half a second is lost."""
    noted = "open('asked', 'a').write(instance.id + ' ')"
    asked = f"if instance.id.startswith('pool'): {noted}; __import__('time').sleep(0.2)\n        {LINE}"
    path = str(planted((LINE, asked)))
    done = gapsmith("run", path, "--evaluations", "2", "--seconds", "20", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert len(sizes()) == 1
    assert 0 < len(Path("asked").read_text("utf-8").split()) <= 5  # of the ten that the tenth has time for


@pytest.mark.slow
def test_references_of_a_pool_are_computed_beforehand(planted: Planted, gapsmith: Command) -> None:
    """Then a short campaign has the whole pool, whatever its references took."""
    asked = f"__import__('time').sleep(0.1 if instance.id.startswith('pool') else 0)\n        {LINE}"
    path = str(planted((LINE, asked)))
    done = gapsmith("references", "compute", path, "--split", "pool", "--workers", "8")
    assert done.returncode == 0, done.stderr
    gapsmith("run", path, "--evaluations", "2", "--seconds", "10", "--workers", "1")
    first, *more = sizes()
    assert more == [2 * first, 4 * first, 8 * first]


@pytest.mark.slow
def test_a_campaign_verifies_and_replays_with_its_pool(planted: Planted, gapsmith: Command) -> None:
    """Both draw the pool again."""
    gapsmith("run", str(planted()), "--evaluations", "2", "--workers", "1")
    for verb in ("verify", "replay"):
        done = gapsmith(verb, "latest", "--workers", "1")
        assert done.returncode == 0, done.stdout + done.stderr
