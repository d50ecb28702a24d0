"""`simplify` takes away what a heuristic does not need, judged on validation in the sandbox."""

from __future__ import annotations

import fcntl
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.record import open_record, stored_simplification
from gapsmith.app.views import report
from gapsmith.app.views.candidate import verdict
from gapsmith.evaluators.statistics import worse
from gapsmith.evolve.store.store import Store
from gapsmith.evolve.syntax.simplify import probes, variants

Say = Callable[..., Any]
RUN, EMPTY = "20260105-100000-smtt-simp", "20260104-090000-smtt-cccc"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A runs folder with one small finished run."""
    folder = tmp_path_factory.mktemp("simplify")
    make_run(folder / RUN, candidates=30, islands=1)
    return folder


def _padded(runs: Path) -> str:
    """A feasible candidate with statements that do nothing."""
    with sqlite3.connect(runs / RUN / "archive.sqlite") as db:
        (id,) = db.execute(
            "SELECT program FROM evaluations JOIN candidates ON program = candidates.id "
            "WHERE split = 'train' AND status = 'complete' "
            "AND files LIKE '%unused_0%' ORDER BY length(files) LIMIT 1"
        ).fetchone()
    return str(id)


@pytest.mark.slow
def test_statements_that_do_nothing_go(say: Say, small: Path, tmp_path: Path) -> None:
    """Useless statements are removed, the figures of both versions printed, the program runs alone."""
    path = tmp_path / "short.py"
    said = say("simplify", RUN, _padded(small), "--evaluations", "80", "-o", str(path), "--json", runs=small)
    assert said.code == 0, said.err
    document = said.document
    assert "unused_" not in document["files"]["heuristic.py"]
    assert document["statements_after"] < document["statements_before"]
    assert document["nodes_after"] < document["nodes_before"]
    assert document["valid_after"]["failed"] == 0
    assert document["loss_difference_ci95_percent"][0] <= 0
    given = json.dumps({"processing_times": [3, 4, 1], "due_dates": [4, 8, 1]})
    done = subprocess.run(
        [sys.executable, "-I", path], input=given, capture_output=True, text=True, check=True
    )
    assert sorted(json.loads(done.stdout)) == [0, 1, 2]
    assert "as found" in path.read_text()


@pytest.mark.slow
def test_the_simplified_champion_stands_in_the_report(say: Say, small: Path, tmp_path: Path) -> None:
    """The form is kept with the run, beside the champion in the report; the search stays as it was."""
    shutil.copytree(small / RUN, tmp_path / RUN)
    small = tmp_path
    with sqlite3.connect(small / RUN / "archive.sqlite") as db:
        db.execute("UPDATE run SET value = ? WHERE key = 'champion'", (json.dumps(_padded(small)),))
    before = say("export", RUN, runs=small).out
    said = say("simplify", RUN, "--evaluations", "25", runs=small)
    assert said.code == 0, said.err
    assert "as found" in said.out
    assert "one-sided level 0.2" in " ".join(said.out.split())
    assert (small / RUN / "simplified.py").is_file()
    with open_record(small / RUN) as record:
        assert "Simplified, on the validation split" in report.markdown(record)
    assert say("export", RUN, runs=small).out == before


@pytest.mark.slow
def test_a_smaller_form_is_not_lost(say: Say, small: Path, tmp_path: Path) -> None:
    """Record and file of a smaller form stay, and it is said so, until `--force` replaces them."""
    shutil.copytree(small / RUN, tmp_path / RUN)
    id = _padded(tmp_path)
    words = ("simplify", RUN, id, "--evaluations", "1", "--json")
    first = say(*words, runs=tmp_path).document
    smaller = {**first, "statements_after": first["statements_after"] - 1}
    store = Store(tmp_path / RUN)
    store.set("simplified", {id: smaller})
    store.close()
    path = tmp_path / RUN / "simplified.py"
    path.write_text("smaller")
    said = say(*words, runs=tmp_path)
    assert said.code == 0, said.err
    assert "is smaller" in said.err
    assert said.document["written"] is None
    assert path.read_text() == "smaller"
    with open_record(tmp_path / RUN) as record:
        assert stored_simplification(record, id) == smaller
    assert say(*words, "--force", runs=tmp_path).document["written"] == str(path)
    assert path.read_text() != "smaller"


def test_no_more_variants_are_tried_than_asked_for(say: Say, small: Path) -> None:
    """`--evaluations` is a hard limit."""
    document = say("simplify", RUN, _padded(small), "--evaluations", "3", "--json", runs=small).document
    assert document["tried"] == 3


def test_a_run_at_work_is_left_alone(say: Say, small: Path, tmp_path: Path) -> None:
    """While a process works in a run it is refused with exit code 8."""
    shutil.copytree(small / RUN, tmp_path / RUN)
    with (tmp_path / RUN / "campaign.log").open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        said = say("simplify", RUN, runs=tmp_path)
    assert said.code == 8
    assert "gapsmith stop" in said.err


def test_what_cannot_be_simplified_is_refused(say: Say, runs: Path, small: Path, tmp_path: Path) -> None:
    """Of a run that never began, or of a candidate that fails on validation: one clear line."""
    (tmp_path / "empty").mkdir()
    Store(tmp_path / "empty").close()
    said = say("simplify", "empty", runs=tmp_path)
    assert said.code == 6
    assert "no feasible candidate" in said.err
    assert "its search has not begun" in said.err
    assert "foreign" not in said.err
    with sqlite3.connect(runs / EMPTY / "archive.sqlite") as db:
        rows = db.execute("SELECT program FROM evaluations WHERE status = 'failed'").fetchall()
    said = say("simplify", EMPTY, rows[0][0])
    assert said.code == 6
    assert "raised on valid-" in said.err
    (tmp_path / "mine.py").write_text("mine")
    assert say("simplify", RUN, "-o", str(tmp_path / "mine.py"), runs=small).code == 2


def test_worse_means_beyond_noise() -> None:
    """Equal or better on average is never worse; a loss without any gain is, one among gains is not."""
    first = [float(n) for n in range(20)]
    assert not worse(first, first, 0.2)
    assert not worse([value - 1 for value in first], first, 0.2)
    assert worse([value + 0.001 for value in first], first, 0.2)
    assert worse([first[0] + 1, *first[1:]], first, 0.2)
    mixed = [value + (1.0 if n % 2 else -0.99) for n, value in enumerate(first)]
    assert not worse(mixed, first, 0.2)


@pytest.mark.parametrize(
    "number",
    ["10 ** 400 / 7 + 1e308 * 10", f"{'9' * 4000} * {'9' * 4000}", f"{'9' * 400} / 3.0", "1e999 - 1e999"],
)
def test_numbers_without_end_are_left_alone(number: str) -> None:
    """Constants that overflow, or have too many digits to print, are not folded and raise nothing."""
    text = f"def rule(a):\n    waste = 1\n    return a * ({number})\n"
    assert any("waste" not in variant for variant in variants(text, "rule"))
    huge = f"def rule(a):\n    return a + 0x{'f' * 20_000}\n"
    assert variants(huge, "rule") == []


def test_an_early_exit_is_not_taken_for_waste() -> None:
    """Leaving a loop that has nothing more to do saves time, which no loss shows: no variant lacks it."""
    loop = "for _ in range(20):\n        a = a * 1\n        if a < 3:\n            break"
    text = f"def rule(a):\n    {loop}\n    return a\n"
    found = variants(text, "rule")
    assert any("a * 1" not in variant for variant in found)
    assert not [variant for variant in found if "range(20)" in variant and "break" not in variant]


def test_a_slower_form_is_called_so() -> None:
    """Time refuses no variant, so the verdict says when the reduced form takes much more of it."""
    document = {"accepted": 1, "tried": 2, "level": 0.2, "loss_difference_percent": 0.0}
    document |= {"loss_difference_ci95_percent": None, "renamed": False}
    figures = [{"cpu_seconds_median": seconds} for seconds in (0.010, 0.012, 0.040)]
    said = [verdict({**document, "valid_before": figures[0], "valid_after": after}) for after in figures[1:]]
    assert ["times the CPU time" in text for text in said] == [False, True]
    assert "4.0 times" in said[1]


def test_what_is_never_reached_goes() -> None:
    """Statements behind a return are one variant, and `x - (x - y)` may become `y`."""
    start, end = "def f(a, b):\n    if a:\n        return b", "\n    return a - (a - (b - a))"
    text = f"{start}\n        b = 2{end}\n    return 3\n"
    found = variants(text, "f")
    assert start + end in found
    assert any("return b - a\n    return 3" in variant for variant in found)


def test_conditions_that_never_hold_are_named(say: Say, small: Path, tmp_path: Path) -> None:
    """A condition that no validation instance makes true stands in the document and below the table."""
    folder = tmp_path / RUN
    shutil.copytree(small / RUN, folder)
    text = (
        "def schedule(processing_times, due_dates):\n"
        "    jobs = sorted(range(len(due_dates)), key=lambda j: due_dates[j])\n"
        "    if len(jobs) > 100000:\n"
        "        return jobs[::-1]\n"
        "    if len(jobs) > 1:\n"
        "        return sorted(jobs)\n"
        "    return jobs\n"
    )
    with sqlite3.connect(folder / "archive.sqlite") as db:
        id = _padded(small)
        db.execute("UPDATE candidates SET files = ? WHERE id = ?", (json.dumps({"heuristic.py": text}), id))
    words = ("simplify", RUN, id, "--evaluations", "1")
    said = say(*words, "--json", runs=tmp_path)
    assert said.code == 0, said.err
    (row,) = said.document["never_true"]
    assert row["condition"].endswith("> 100000")
    assert f"line {row['line']}, if {row['condition']}" in " ".join(say(*words, runs=tmp_path).out.split())


def test_no_condition_is_named_where_a_failure_could_hide() -> None:
    """A program that catches exceptions would hide that a condition held."""
    assert list(probes("def f(a):\n    if a:\n        return 1\n    return 2\n")) == [
        (2, "a", "def f(a):\n    if a:\n        raise RuntimeError\n    return 2")
    ]
    assert (
        list(probes("def f(a):\n    try:\n        if a:\n            pass\n    except E:\n        pass\n"))
        == []
    )
