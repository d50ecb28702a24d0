"""A run keeps the problem, the instances and the references that it began with."""

from __future__ import annotations

import json
import runpy
import shlex
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.verify import verify
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.app.runs.folders import Group
from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.resume import missing_member, stored_config
from gapsmith.app.runs.standalone import evaluate_command
from gapsmith.app.runs.trust import Trust
from gapsmith.app.setup.reruns import setup_of_record
from gapsmith.cli import app
from gapsmith.evolve.budget import StopReason
from typer.testing import CliRunner

Campaign = Callable[..., tuple[dict[str, Any], Path]]


def _go_on(folder: Path, iterations: int) -> dict[str, Any]:
    return compose.run(stored_config(folder, {"iterations": iterations}, None), folder)


def _jobs(path: Path, shift: int) -> None:
    """Twelve small instances of total tardiness, all due dates later by a shift."""
    rows = [{"p": [3 + k, 5, 2 + k], "d": [4 + shift, 6 + k + shift, 9]} for k in range(12)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _own(tmp_path: Path, iterations: int) -> tuple[Path, Path]:
    """A file of instances and a run on it."""
    file, folder = tmp_path / "own.jsonl", tmp_path / "runs" / "own"
    _jobs(file, 0)
    folder.mkdir(parents=True)
    sections = {
        "campaign": {"problem": "smtt"},
        "budget": {"iterations": iterations},
        "evaluation": {"instances": [str(file)]},
        "sandbox": {"cpu_seconds": 3.0},
    }
    compose.run(parse(sections, "test"), folder)
    return file, folder


def test_resume_refuses_a_problem_whose_source_changed(
    campaign: Campaign, tmp_path: Path, problem: str
) -> None:
    """Other objectives would be mixed; the record stays as it was, and goes on once the file is restored."""
    mine = tmp_path / "mine.py"
    shutil.copy(problem, mine)
    _, folder = campaign("changed", campaign={"problem": str(mine)}, budget={"iterations": 4})
    with open_record(folder) as record:
        before = record.problem, record.reader.record("evaluator")
    mine.write_text(mine.read_text().replace("total += time *", "total += 2 * time *"))
    with pytest.raises(UserError, match="a source text changed"):
        _go_on(folder, 8)
    with pytest.raises(UserError, match="changed since the run began") as refused:
        compose.run(stored_config(folder, {"iterations": 8}, None, Trust(run=True)), folder)
    assert refused.value.hint is not None
    assert f"--start {folder.name}" in refused.value.hint
    with open_record(folder) as record:
        assert (record.problem, record.reader.record("evaluator")) == before
    shutil.copy(problem, mine)
    assert _go_on(folder, 8)["iterations"] == 8


@pytest.mark.parametrize("change", ["edited", "gone"])
@pytest.mark.slow
def test_resume_goes_on_with_the_instances_it_began_with(tmp_path: Path, change: str) -> None:
    """A user's file that is edited or deleted meanwhile changes nothing: the run has its instances."""
    file, folder = _own(tmp_path, 4)
    with open_record(folder) as record:
        before = {id: instance.digest for id, instance in record.instances.items()}
    if change == "gone":
        file.unlink()
    else:
        _jobs(file, 2)
    assert _go_on(folder, 8)["iterations"] == 8
    with open_record(folder) as record:
        assert {id: instance.digest for id, instance in record.instances.items()} == before


@pytest.mark.slow
def test_a_run_on_a_users_own_instances_can_be_checked(tmp_path: Path) -> None:
    """`verify` reads the file again and says when it changed; the printed command scores the same."""
    file, folder = _own(tmp_path, 3)
    with open_record(folder) as record:
        document = verify(record, setup_of_record(record))
        assert (document["differences"], document["compared"]["instances drawn"]) == ([], 12)
        command = shlex.split(evaluate_command(record, str(folder / compose.BEST_NAME)))
        recorded = record.figures(record.best or "", "test")
    assert recorded is not None
    said = json.loads(CliRunner().invoke(app, [*command[1:], "--json"]).stdout)
    assert (said["summary"]["instances"], said["summary"]["fitness"]) == (3, recorded.fitness)
    _jobs(file, 2)
    with open_record(folder) as record:
        assert all(
            "drawn again" in found["what"] for found in verify(record, setup_of_record(record))["differences"]
        )
        assert len(verify(record, setup_of_record(record))["differences"]) == 12
    file.unlink()
    with open_record(folder) as record:
        document = verify(record, setup_of_record(record))
    assert document["differences"] == []
    gone = [entry["now"] for entry in document["changed"] if entry["what"] == "instances"]
    assert [str(file) in now for now in gone] == [True]


@pytest.mark.slow
def test_an_interrupted_group_is_finished(
    problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`resume GROUP` goes on with what was interrupted, begins what is missing, and leaves the rest alone."""
    monkeypatch.setenv("GAPSMITH_RUNS", str(tmp_path / "runs"))
    mine = tmp_path / "mine.py"
    mine.write_text(runpy.run_path(problem)["START"].replace("2 - 3", "4 - 5"))

    def call(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [*words, "--workers", "1"])
        return done.exit_code, done.stdout

    def interrupt(campaign: Any, view: Any, interrupted: Event) -> None:
        interrupted.set()
        campaign.interrupt(StopReason.INTERRUPTED)

    with monkeypatch.context() as patched:
        patched.setattr("gapsmith.app.commands.session.interrupts", lambda: nullcontext(interrupt))
        words = ["--repeat", "2", "--seed", "5", "--iterations", "4", "--start", str(mine)]
        code, said = call("run", problem, *words)
    (first,) = (tmp_path / "runs").iterdir()
    group = first.name.removesuffix("-s1")
    assert (code, f"0 of 2 runs are completed: `gapsmith resume {group}` goes on" in said) == (130, True)
    code, said = call("resume", group, "--json")
    found = json.loads(said)
    assert (code, found["group"]) == (0, group)
    assert [(r["run"], r["seed"]) for r in found["runs"]] == [(f"{group}-s1", 5), (f"{group}-s2", 6)]
    assert {(r["status"], r["iterations"]) for r in found["runs"]} == {("completed", 4)}
    assert len({run["start"]["candidate"] for run in found["runs"]}) == 1
    assert json.loads(call("resume", group, "--json")[1]) == found


@pytest.mark.slow
def test_a_run_killed_while_it_was_set_up_keeps_its_own_start_program(
    problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What `--start` named is begun from, not the problem's own start program, here and in the group."""
    folder = tmp_path / "runs" / "g-s1"
    folder.mkdir(parents=True)
    mine = {"mine": {"main.py": runpy.run_path(problem)["START"].replace("2 - 3", "4 - 5")}}
    search = {"founders": "start"}
    config = parse({"campaign": {"problem": problem}, "budget": {"iterations": 1}, "search": search}, "test")

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(compose, "_baselines", dies)
        with pytest.raises(KeyboardInterrupt):
            compose.run(config, folder, start=mine, group=Group("g", 2))
    assert missing_member(2, folder, {}, None)[1] == mine
    compose.run(stored_config(folder, {}, None), folder)
    with open_record(folder) as record:
        starts = [record.candidate(id) for id in record.reader.candidate_ids()]
        assert [start.operator for start in starts if start.iteration == 0] == ["mine"]
        assert record.reader.record("given_starts") is None
    assert missing_member(2, folder, {}, None)[1] == mine
