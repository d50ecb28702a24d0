"""`delete` and `prune` remove what Gapsmith wrote, on request only, and never a run at work."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Say = Callable[..., Any]
FINISHED, MODEL = "20260102-203301-smtt-aaaa", "20260103-101500-smtt-bbbb"


@pytest.fixture
def copies(runs: Path, tmp_path: Path) -> Path:
    """A runs folder with copies of two runs."""
    for name in (FINISHED, MODEL):
        shutil.copytree(runs / name, tmp_path / name)
    return tmp_path


def test_delete_needs_to_be_told(say: Say, copies: Path) -> None:
    """Without --yes nothing goes; with it the run's folder is gone and the other stays."""
    assert "would delete" in say("delete", FINISHED, runs=copies).out
    assert (copies / FINISHED).is_dir()
    assert say("delete", FINISHED, "--yes", runs=copies).code == 0
    assert [path.name for path in copies.iterdir()] == [MODEL]


def test_files_of_the_user_stay(say: Say, copies: Path) -> None:
    """A file that Gapsmith did not write survives the deletion and is named."""
    (copies / FINISHED / "notes.txt").write_text("mine")
    said = say("delete", FINISHED, "--yes", "--json", runs=copies)
    assert said.document["left"] == {FINISHED: ["notes.txt"]}
    assert [path.name for path in (copies / FINISHED).iterdir()] == ["notes.txt"]


def test_a_run_at_work_is_refused(say: Say, copies: Path) -> None:
    """A run that a live process holds is not deleted (exit code 8), and prune leaves it alone."""
    with (copies / FINISHED / "campaign.log").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        said = say("delete", FINISHED, "--yes", runs=copies)
        assert said.code == 8
        assert "gapsmith stop" in said.err
        assert say("prune", "--keep", "0", "--yes", runs=copies).code == 0
    assert [path.name for path in copies.iterdir()] == [FINISHED]


def test_prune_keeps_the_latest(say: Say, copies: Path) -> None:
    """`prune --keep 1` takes the older of two runs."""
    assert say("prune", "--keep", "1", "--json", runs=copies).document["would_delete"] == [FINISHED]
    assert say("prune", "--keep", "1", "--yes", runs=copies).code == 0
    assert [path.name for path in copies.iterdir()] == [MODEL]


def test_a_link_is_not_followed(say: Say, copies: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A link to a run elsewhere is refused, and what it points to stays."""
    target = tmp_path_factory.mktemp("elsewhere") / "run"
    shutil.move(copies / FINISHED, target)
    (copies / FINISHED).symlink_to(target)
    assert say("delete", FINISHED, "--yes", runs=copies).code == 2
    assert (target / "archive.sqlite").is_file()
