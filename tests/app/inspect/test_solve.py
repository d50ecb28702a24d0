"""An instance of one's own gets the best verified answer within seconds, with what is proved about it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from gapsmith.app.analysis.solve import _in_turns, _Limited, _Slots, gallery_programs, known_programs
from gapsmith.app.commands.solve import _lines
from gapsmith.app.plugins.built_ins import BUILT_INS
from gapsmith.app.plugins.instance_files import read_source
from gapsmith.app.plugins.loader import load_problem
from gapsmith.sandbox.base import Execution, ExecutionStatus, Limits, Program

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


class Slot:
    """A sandbox that notes the limits of its executions, and waits for an event before each end."""

    def __init__(self, end: Event) -> None:
        self.end = end
        self.seen: list[Limits] = []

    def describe(self) -> None:
        """Describes nothing."""

    close = describe

    def execute(self, program: Program, instance: bytes, limits: Limits, *more: Any) -> Execution:
        """An execution without an answer."""
        self.seen.append(limits)
        self.end.wait()
        return Execution(ExecutionStatus.TIMEOUT, error="late")


def test_limits_grow_with_the_instance_and_the_budget() -> None:
    """A large instance has room for its numbers and its answer; a fixed CPU limit stays."""
    done = Event()
    done.set()
    limits = Limits(cpu_seconds=1.0)
    for fixed in (False, True):
        slot: Any = Slot(done)
        for size in (100, 10_000_000):
            _Limited(slot, time.monotonic() + 600, fixed).execute(
                Program({"main.py": "x"}, "f"), b"x" * size, limits
            )
        small, large = slot.seen
        assert (small.cpu_seconds == large.cpu_seconds == 1.0) is fixed
        assert 1.0 <= small.cpu_seconds <= 300
        assert large.output_bytes == limits.output_bytes + 20_000_000
        assert limits.memory_bytes < small.memory_bytes < large.memory_bytes


@pytest.mark.slow
def test_no_program_is_waited_for_without_end() -> None:
    """A machine on which no program ends gives no answer, but an end."""
    stuck = Event()
    slots = _Slots([Slot(stuck)], False)  # type: ignore[list-item]
    evaluator: Any = StuckEvaluator()
    assert slots.trials(evaluator, None, {"one": "", "two": ""}, time.monotonic(), 0.1) == []  # type: ignore[arg-type]


class StuckEvaluator:
    """Runs programs of no problem."""

    def program(self, files: dict[str, str]) -> Program:
        """The program of a text."""
        return Program(files, "f")

    def probe(self, program: Program, instance: Any, slot: Any) -> None:
        """Runs it, and gives nothing."""
        slot.execute(program, b"{}", Limits())


def test_the_shortest_program_is_tried_second() -> None:
    """A champion may be too slow for a large instance, a simple rule is not."""
    programs = {"champion": "x" * 50, "rule": "x" * 9, "short": "x", "search": "x" * 40, "long": "x" * 60}
    assert [name for name, _ in _in_turns(programs)] == ["champion", "short", "long", "rule", "search"]
    assert _in_turns({"one": "x"}) == [("one", "x")]


@pytest.mark.slow
def test_two_hundred_thousand_jobs_get_an_answer(say: Say, tmp_path: Path) -> None:
    """An answer larger than those of campaigns may be, of a program that fits the size."""
    path = tmp_path / "many.csv"
    path.write_text("p,d\n" + "".join(f"{1 + k % 97},{k}\n" for k in range(200_000)))
    (row,) = say("solve", "smtt", str(path), "--budget", "90s", "--json").document["instances"]
    assert sorted(row["answer"]) == list(range(200_000))


@pytest.mark.parametrize("ends", [["memory", "memory"], ["memory", "timeout"]])
def test_no_answer_is_told_with_how_programs_ended(ends: list[str]) -> None:
    """By status, and where memory alone was short with the flag that gives more."""
    tried = [{"status": one} for one in ends]
    row = {"instance": "big", "instance_bytes": 10_485_760, "answer": None, "tried": tried}
    text = "\n".join(_lines(row))
    assert ("--set sandbox.memory_mb=712" in text) is (ends == ["memory", "memory"])
    assert f"(memory {ends.count('memory')}" in text
