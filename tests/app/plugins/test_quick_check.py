"""`run FILE` says what it does not know of a file, and finds what a first problem gets wrong most often."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

QUICK_CHECKS = True
Planted = Callable[..., Path]
Command = Callable[..., object]
FEWER = ('{"train": 20, "valid": 20, "test": 40}', '{"train": 6, "valid": 6, "test": 6}')
"""Fewer instances, so that references and baselines take less time."""
DRY = ("--dry-run", "--workers", "1")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_file_is_checked_quickly_once_and_named_until_all_checks_were_made(
    planted: Planted, gapsmith: Command
) -> None:
    """The first run checks; the second says that only this was done; after a whole check nothing is said."""
    path = str(planted())
    first = gapsmith("run", path, *DRY).stderr
    assert "not checked since it changed; a quick check found nothing, `gapsmith problems check" in first
    again = gapsmith("run", path, *DRY).stderr
    assert "only quickly checked since it changed" in again
    assert f"`gapsmith problems check {path}`" in again
    assert gapsmith("problems", "check", path).returncode == 0
    assert "check" not in gapsmith("run", path, *DRY).stderr
    with Path(path).open("a", encoding="utf-8") as stream:
        stream.write("# another line\n")
    assert "not checked since it changed" in gapsmith("run", path, *DRY).stderr


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ('"durations": [stream', '"minutes": 3, "durations": [stream', "signature"),
        pytest.param(
            "if type(machine) is not int or not 0 <= machine",
            "if not -5 <= machine",
            "verify-raises",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            'random.Random(f"{self.name} {set} {seed}")',
            "random.Random()",
            "deterministic",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            'f"{self.name} {set} {seed}"', 'f"{self.name} {set}"', "seed-ignored", marks=pytest.mark.slow
        ),
    ],
)
def test_what_a_quick_check_finds_is_named_and_the_run_goes_on(
    planted: Planted, gapsmith: Command, old: str, new: str, name: str
) -> None:
    """Each finding is a line with what came and how to mend it; the campaign starts all the same."""
    done = gapsmith("run", str(planted(FEWER, (old, new))), "--evaluations", "2", "--workers", "1")
    assert f": {name}: " in done.stderr
    assert "a quick check found the following" in done.stderr
    if name != "signature":  # its start programs fail, so there are no results to stand below
        assert f"did not pass its quick check ({name}); `gapsmith problems " in done.stderr.splitlines()[-1]


@pytest.mark.slow
def test_parameters_of_a_run_are_checked_with_their_values(planted: Planted, gapsmith: Command) -> None:
    """A check of the defaults says nothing of other parameters."""
    path = str(planted())
    gapsmith("problems", "check", path, "--set", "problem.jobs=10")
    assert "check" not in gapsmith("run", path, *DRY, "--set", "problem.jobs=10").stderr
    assert "not checked" in gapsmith("run", path, *DRY, "--set", "problem.jobs=12").stderr
