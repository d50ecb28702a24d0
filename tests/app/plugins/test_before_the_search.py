"""What happens before a search: start programs on one instance, then references, kept when interrupted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.views.live import StepPace, bar

Planted = Callable[..., Path]
Command = Callable[..., object]
LINE = 'durations = sorted(instance.public["durations"], reverse=True)'
NOTED = f"open('asked', 'a').write(instance.id + ' ')\n        {LINE}"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_failing_start_program_is_named_before_any_reference(planted: Planted, gapsmith: Command) -> None:
    """The smallest training instance shows that the start program raises; no reference was asked for."""
    path = planted((LINE, NOTED), ("loads = [0] * machines\n    plan", "loads = [0] * nothing\n    plan"))
    done = gapsmith("run", str(path), "--evaluations", "3")
    assert done.returncode == 6
    assert "start program shortest-first: raised on train-" in done.stderr
    assert not Path("asked").exists()
    assert not list(Path("runs").glob("*"))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("import os\ndef assign(durations, machines): return []", "mine.py: import of os", "it may import"),
        ("def assign(durations, machines)\n    return []", "mine.py, line 1", "Python cannot read"),
        ("def other(): return []", "no `assign`", "it must define `def assign("),
        ("def assign(durations, machines):\n    return 1 / 0", "mine.py line 2", "evaluate"),
    ],
)
def test_a_program_of_the_users_is_named_by_its_file(
    planted: Planted, gapsmith: Command, text: str, message: str, hint: str
) -> None:
    """Errors of `--start` name the file that was given, and the hint fits the error."""
    Path("mine.py").write_text(text, "utf-8")
    done = gapsmith("run", str(planted()), "--start", "mine.py", "--evaluations", "3")
    assert done.returncode == 6
    assert message in done.stderr
    assert hint in done.stderr
    assert "heuristic.py" not in done.stderr


def test_references_are_computed_once_whatever_comment_is_written(
    planted: Planted, gapsmith: Command
) -> None:
    """A comment and another start program leave the references in the cache valid; another bound does not."""
    path = planted((LINE, NOTED))
    compute = ("references", "compute", str(path), "--split", "train")
    gapsmith(*compute)
    asked = Path("asked").read_text("utf-8")
    assert len(asked.split()) == 20
    text = path.read_text("utf-8")
    path.write_text(text.replace("The shortest job first,", "The shortest first,") + "# a comment\n", "utf-8")
    gapsmith(*compute)
    assert Path("asked").read_text("utf-8") == asked
    path.write_text(text.replace("durations[0])", "durations[0], 1)"), "utf-8")
    gapsmith(*compute)
    assert len(Path("asked").read_text("utf-8").split()) == 40


@pytest.mark.slow
def test_an_interruption_keeps_the_references_that_are_there(planted: Planted, gapsmith: Command) -> None:
    """After Ctrl-C the message says how to go on, and the next command asks for the other references."""
    stop = "if 'valid' in instance.id and 'test' not in open('asked').read(): raise KeyboardInterrupt"
    fewer = ('{"train": 20, "valid": 20, "test": 40}', '{"train": 6, "valid": 6, "test": 12}')
    path = planted(
        fewer, (LINE, f"open('asked', 'a').write(instance.id + ' ')\n        {stop}\n        {LINE}")
    )
    words = ("run", str(path), "--evaluations", "3", "--workers", "1", "--set", "search.pool=1")
    done = gapsmith(*words)
    assert done.returncode == 130
    assert "the same command goes on with the others" in done.stderr
    with Path("asked").open("a", encoding="utf-8") as asked:  # a reference under way may still be noted
        asked.write("test ")
    assert gapsmith(*words).returncode == 0
    first, second = (part.split() for part in Path("asked").read_text("utf-8").split("test ", 1))
    assert {name for name in first if name.startswith("train")}.isdisjoint(second)
    assert len(set(first) | set(second)) == 24


def test_a_dry_run_says_what_references_will_take_and_waits_for_one_only(
    planted: Planted, gapsmith: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan names count, time and how to shorten it; where all are there, it says nothing of them."""
    path = planted((LINE, NOTED))
    monkeypatch.setattr("gapsmith.app.setup.instances.LONG_SECONDS", 0.0)
    done = gapsmith("run", str(path), "--dry-run", "--workers", "1", "--json")
    lines = json.loads(done.stdout)["lines"]
    assert lines[0].startswith("references: 80 to compute before the search, about ")
    assert "references compute" in lines[0]
    assert lines[1] == "baselines: 2 to run on 80 instances before the search, if the cache lacks them"
    assert len(Path("asked").read_text("utf-8").split()) < 5
    monkeypatch.undo()


def test_a_dry_run_without_a_model_runs_next_to_nothing(
    planted: Planted, gapsmith: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One instance of each split; no pool is drawn, and no baseline is judged on validation or test."""
    path = planted((LINE, NOTED))
    done = gapsmith("run", str(path), "--dry-run", "--workers", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert len(set(Path("asked").read_text("utf-8").split())) <= 4
    kept = list(Path("cache").rglob("baseline/*/*.json"))
    assert kept
    assert all('"train"' in row.read_text("utf-8") for row in kept)


def test_the_pace_of_a_step_tells_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was done before the step began does not make it look fast."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    pace = StepPace()
    assert pace.text("references", 30, 44) == "references 30/44"
    now[0] += 10
    assert pace.text("references", 32, 44) == "references 32/44, about 1 min 00 s left"
    assert pace.text("baselines", 0, 3) == "baselines 0/3"
    assert bar(1, 2).count("█") == bar(1, 2).count("░")
