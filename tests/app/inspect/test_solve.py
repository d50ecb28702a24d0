"""An instance of one's own gets the best verified answer within seconds, with what is proved about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.analysis.solve import gallery_programs, known_programs
from gapsmith.app.plugins.built_ins import BUILT_INS
from gapsmith.app.plugins.instance_files import read_source
from gapsmith.app.plugins.loader import load_problem

Say = Callable[..., Any]
JOBS = "instance,p,d\n" + "".join(
    f"mine,{p},{d}\n" for p, d in [(7, 9), (3, 4), (5, 20), (9, 11), (2, 30), (6, 14), (8, 16)]
)


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """A file with one instance of seven jobs."""
    path = tmp_path / "jobs.csv"
    path.write_text(JOBS)
    return path


def test_the_answer_is_the_best_of_all_and_its_gap_is_proved(say: Say, jobs: Path, tmp_path: Path) -> None:
    """The problem's own verification gives the same objective; the file holds the same answer."""
    out = tmp_path / "answer.jsonl"
    document = say("solve", "smtt", str(jobs), "--budget", "60s", "-o", str(out), "--json").document
    (row,) = document["instances"]
    tried = {one["program"]: one["objective"] for one in row["tried"]}
    assert row["objective"] == min(tried.values())
    assert tried[row["program"]] == row["objective"]
    assert "gallery/total-tardiness" in tried
    assert row["left_out"] == []
    loaded = load_problem("smtt")
    (instance,) = read_source(loaded, str(jobs))
    assert loaded.problem.verify(instance, row["answer"]).objective == row["objective"]
    assert row["reference_kind"] == "optimum"
    assert row["proved"] is (row["objective"] == row["reference"]) is True
    assert row["exact_seconds"] is not None
    assert json.loads(out.read_text()) == {"instance": instance.id, "answer": row["answer"]}
    text = say("solve", "smtt", str(jobs), "--budget", "60s").out
    assert f"{row['objective']} time units, by {row['program']}" in text
    assert "proved optimal" in text
    assert "the exact method needs" in text


def test_the_best_of_a_run_is_tried_first(say: Say, jobs: Path) -> None:
    """A run of another problem is refused."""
    found = say("solve", "smtt", str(jobs), "--with", "20260102-203301-smtt-aaaa", "--json").document
    assert found["instances"][0]["tried"][0]["program"].startswith("20260102-203301-smtt-aaaa/")
    assert say("solve", "bin-packing", str(jobs), "--with", "latest").code != 0


def test_a_file_in_a_format_that_does_not_exist_is_refused_before_the_work(say: Say, tmp_path: Path) -> None:
    """Job shops have no CSV format for answers."""
    shop = tmp_path / "shop.txt"
    shop.write_text("2 2\n0 3 1 2\n1 2 0 4\n")
    done = say("solve", "job-shop", str(shop), "-o", str(tmp_path / "a.csv"))
    assert done.code == 2
    assert "no CSV format" in done.err


def test_every_program_of_the_gallery_belongs_to_a_built_in_problem() -> None:
    """A champion whose problem has another name would never be tried."""
    found = [name for problem in BUILT_INS for name in gallery_programs(problem)]
    folder = Path(__file__).parents[3] / "gallery"
    assert sorted(found) == sorted(f"gallery/{path.parent.name}" for path in folder.glob("*/entry.toml"))
    loaded = load_problem("smtt")
    assert list(known_programs(loaded, {"mine": ""}))[:2] == ["mine", "gallery/total-tardiness"]
