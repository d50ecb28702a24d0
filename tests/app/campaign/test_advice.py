"""After a campaign that beat no baseline, lines say what to try next, each from a fact of the record."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.compose import read_summary
from gapsmith.app.runs import advice as advice_module
from gapsmith.app.runs.advice import advice
from gapsmith.app.runs.champions import Conclusion
from gapsmith.app.runs.figures import REPORTED
from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.standalone import evaluate_command
from gapsmith.app.views.report import html, markdown
from gapsmith.evolve.store.progress import best_so_far
from gapsmith.evolve.store.store import Store

Run = Callable[..., tuple[dict[str, Any], Path]]


def lines(found: dict[str, Any]) -> dict[str, str]:
    """Verb and options of each command → its reason."""
    return {line["command"]: line["reason"] for line in found["advice"]}


@pytest.mark.slow
def test_a_short_search_is_told_its_budget_the_models_and_the_baseline(campaign: Run, problem: str) -> None:
    """All baselines were founders, so none is named as a start."""
    found, folder = campaign("short", budget={"iterations": 1})
    assert lines(found) == {
        "gapsmith resume short --budget 10it": "iterations ended the search after 1 evaluation, none of "
        "them better in training than what it began with",
        "gapsmith models": "no model took part: the offline proposer changes what it has, a model invents",
        f"gapsmith baselines {problem} --source shortest": "until then use the best baseline, shortest "
        "(10.37 % on test)",
    }
    with open_record(folder) as record:
        page, text = html(record), markdown(record)
    for command in lines(found):
        assert command in page
        assert command in text


def test_a_search_from_scratch_is_told_the_baseline_that_it_did_not_begin_with(
    campaign: Run, problem: str
) -> None:
    """It comes first: nothing else promises as much."""
    found, _ = campaign("scratch", budget={"iterations": 1}, search={"founders": "start"})
    first = next(iter(lines(found).items()))
    assert first == (
        f"gapsmith run {problem} --start shortest",
        "the search did not begin with the best baseline, shortest (10.37 % on test)",
    )


@pytest.mark.quick("all")
@pytest.mark.parametrize("founders", ["all", "start"])
def test_a_solved_training_set_leaves_nothing_to_find(campaign: Run, tmp_path: Path, founders: str) -> None:
    """Where a founder is never beaten; a baseline that is no founder could still be begun with."""
    mine = tmp_path / "mine.py"
    text = Path(__file__).with_name("flow_time.py").read_text()
    mine.write_text(text.replace("key=lambda j: times[j])", "key=lambda j: times[j] / weights[j])"))
    found, _ = campaign(
        "solved", campaign={"problem": str(mine)}, budget={"iterations": 1}, search={"founders": founders}
    )
    first = found["advice"][0]
    if founders == "all":
        assert [first] == found["advice"]
        assert first["reason"].startswith("a program that the search began with reaches the reference")
        assert first["command"] == f"gapsmith problems show {mine}"
    else:
        assert "--start shortest" in first["command"]


@pytest.mark.slow
def test_elites_without_time_for_validation_are_counted(campaign: Run) -> None:
    """By their number, and by how many are better in training than the champion."""
    found, folder = campaign(
        "hurried", budget={"iterations": 30, "seconds": 5e5}, search={"founders": "start"}
    )
    best, start = found["best"]["candidate"], found["start"]["candidate"]
    assert found["notes"] == []
    assert best != start
    store = Store(folder)
    for key, value in {
        "left_out": [best],
        "champion": start,
        "claims": None,
        "stop_reason": "seconds",
    }.items():
        store.set(key, value)
    store.set("search_seconds", 5e5)
    store.set("prepared_seconds", 2e5)
    store.close()
    found = read_summary(folder)
    assert found["notes"][1] == (
        "the campaign took 194 h 26 min in place of 138 h 53 min: evaluations under way were finished, "
        "preparation took 55 h 33 min"
    )
    assert found["notes"][0].endswith("138 h 53 min; 1 of the others is better in training than the champion")
    assert found["notes"][0].startswith("validated ")
    assert (
        "1 elite better in training"
        in lines(found)["gapsmith resume hurried --budget 5000000s --budget 300it"]
    )


def test_a_better_program_beyond_the_time_budget_is_named(campaign: Run, problem: str) -> None:
    """Its loss is no failure of validation: time alone keeps it from being champion."""
    _, folder = campaign("quick", budget={"iterations": 1})
    with open_record(folder) as record:
        row = {"candidate": "c0ffee00c0ffee00", "iteration": 3, "time_seconds": 0.012}
        row["splits"] = {"valid": {"mean_gap_percent": 0.09}}
        within = row | {"candidate": "beef", "time_seconds": 0.004}
        summary = dict(read_summary(folder)) | {"time_budget_seconds": 0.007, "champions": [within, row]}
        first = advice(record.reader, summary, 0)[0]
    assert first == {
        "reason": "candidate c0ffee00 has 0.09 % on validation and takes 12 ms, the time budget is 7 ms; a "
        "search that time steers keeps the best at each time",
        "command": f"gapsmith run {problem} --fronts time --time-budget 7ms",
    }


def best_in_training(folder: Path) -> str:
    """Id of the search's best candidate on the training instances."""
    with open_record(folder) as record:
        return [id for iteration, id, _ in best_so_far(record.reader) if iteration][-1]


def test_the_best_in_training_that_comes_close_to_its_cpu_limit_is_named(campaign: Run, problem: str) -> None:
    """It is no choice for a champion, so more time for an execution is what to try."""
    found, folder = campaign("near", budget={"iterations": 30}, search={"founders": "start"})
    best = best_in_training(folder)
    store = Store(folder)
    store.set("champion", found["start"]["candidate"])
    store.set("claims", None)
    store.close()
    with closing(sqlite3.connect(folder / "archive.sqlite")) as database, database:
        evaluation = "(SELECT id FROM evaluations WHERE program = ? AND split = 'train')"
        database.execute(f"UPDATE executions SET cpu_seconds = 0.9 WHERE evaluation = {evaluation}", (best,))
    assert lines(read_summary(folder))[f"gapsmith run {problem} --set sandbox.cpu_seconds=2"] == (
        f"candidate {best[:8]} is the best in training and takes up to 0.9 of its 1 CPU seconds; a champion "
        "leaves 20 % free"
    )


@pytest.mark.quick("True")
@pytest.mark.parametrize("left", [True, False])
def test_too_few_training_instances_lead_to_references_of_the_pool(
    campaign: Run, problem: str, left: bool
) -> None:
    """Where all of the pool were in use; others come into use by themselves."""
    found, folder = campaign("misled", budget={"iterations": 30}, search={"founders": "start"})
    best = best_in_training(folder)
    instances = found["best"]["splits"]["train"]["instances"]
    store = Store(folder)
    store.set("champion", found["start"]["candidate"])
    store.set("claims", None)
    store.set("pool", [instances, 2 * instances] if left else [instances])
    store.close()
    advice = lines(read_summary(folder))
    command = f"gapsmith references compute {problem} --split pool"
    if left:
        assert command not in advice
        return
    assert advice[command] == (
        f"candidate {best[:8]} is better in training than the best program before, which validation did not "
        f"confirm: {instances} training instances may be too few, and references of more have to be computed "
        "first"
    )


def test_reported_scores_make_no_claim_about_references(
    campaign: Run, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where scores are only reported, no loss of 0 means that a reference was reached."""
    _, folder = campaign("reported", budget={"iterations": 1})
    with open_record(folder) as record:
        summary = dict(read_summary(folder))
        summary["headline"] = {**summary["headline"], "verdict": Conclusion.NO_IMPROVEMENT, "split": "test"}
        monkeypatch.setattr(advice_module, "best_so_far", lambda reader: [(0, "c0ffee", 0.0)])
        assert "reaches the reference" in advice(record.reader, summary, 0)[0]["reason"]
        monkeypatch.setattr(advice_module, "trust", lambda reader: REPORTED)
        assert not any(
            "reaches the reference" in line["reason"] for line in advice(record.reader, summary, 0)
        )


@pytest.mark.slow
def test_every_advice_is_a_command_that_works_and_changes_what_it_says(
    campaign: Run, problem: str, command: Callable[..., Any]
) -> None:
    """A resumed run goes on beyond both of its limits, and is not told the same again."""
    found, _ = campaign("short", budget={"iterations": 1, "seconds": 500.0}, search={"founders": "start"})
    commands = [*lines(found)]
    assert any("resume short --budget 10it --budget 5000s" in line for line in commands)
    assert any(f"run {problem} --start shortest" in line for line in commands)
    for line in commands:
        words = shlex.split(line)[1:]
        limit = ["--budget", "1it"] if words[0] == "run" else []
        done = command(*words, *limit)
        assert done.returncode == 0, f"{line}: {done.stderr}"
    after = json.loads(command("show", "short", "--json").stdout)
    assert after["iterations"] > found["iterations"]
    assert not {line for line in lines(after) if " resume " in line} & {*commands}


def test_the_parameters_of_the_problem_are_repeated(campaign: Run, problem: str) -> None:
    """Without them the advice would be about another problem."""
    given = {"evaluation": {"instance_seed": 3}, "search": {"founders": "start"}}
    found, _ = campaign("given", budget={"iterations": 1}, **given)
    assert any(
        line.startswith(f"gapsmith run {problem} --set evaluation.instance_seed=3 ") for line in lines(found)
    )


@pytest.mark.slow
def test_the_check_that_a_run_advises_is_of_its_parameters(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    """The command in backticks checks what the run is about; after it the run says nothing more."""
    mine = tmp_path / "mine.py"
    text = Path(__file__).with_name("flow_time.py").read_text()
    makes = "    def __init__(self, jobs: int = 12):\n        self.jobs = jobs\n\n"
    mine.write_text(
        text.replace("    def sets(self):", f"{makes}    def sets(self):").replace(
            "range(12)", "range(self.jobs)"
        )
    )
    run = ("run", str(mine), "--dry-run", "--workers", "1", "--set", "problem.jobs=9")
    (advised,) = re.findall(r"`(gapsmith problems check [^`]*+)`", command(*run).stderr)
    assert advised == f"gapsmith problems check {mine} --set problem.jobs=9"
    checked = command(*shlex.split(advised)[1:])
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "check" not in command(*run).stderr


def test_fresh_instances_are_advised_where_they_can_be_drawn(campaign: Run) -> None:
    """A run whose instances came from a file or a named set has none."""
    found, folder = campaign("noisy", budget={"iterations": 1})
    claim = {"difference_percent": -1.0, "instances": 5}
    headline = {**found["headline"], "verdict": Conclusion.UNDECIDED, "split": "test", "claim": claim}
    summary = {**found, "headline": headline}
    with open_record(folder) as record:
        assert "verify noisy --fresh" in str(advice(record.reader, summary, 0))
    with closing(sqlite3.connect(folder / "archive.sqlite")) as store, store:
        ((text,),) = store.execute("SELECT value FROM run WHERE key = 'config'").fetchall()
        config = json.loads(text)
        config["evaluation"]["instances"] = ["named"]
        store.execute("UPDATE run SET value = ? WHERE key = 'config'", (json.dumps(config),))
    with open_record(folder, checked=False) as record:
        assert "--fresh" not in str(advice(record.reader, summary, 0))


def test_advice_on_a_file_names_the_file_and_its_parameters(
    campaign: Run, tmp_path: Path, command: Callable[..., Any]
) -> None:
    """Each command that speaks of the problem itself runs, and is about the instances of this run."""
    mine = tmp_path / "my own.py"
    text = Path(__file__).with_name("flow_time.py").read_text()
    makes = "    def __init__(self, jobs: int = 12, even: bool = False):\n        self.jobs = jobs\n\n"
    text = text.replace("    def sets(self):", f"{makes}    def sets(self):").replace(
        "range(12)", "range(self.jobs)"
    )
    mine.write_text(text)
    given = {"problem": {"jobs": 9, "even": True}, "search": {"founders": "start"}}
    found, folder = campaign("own", campaign={"problem": str(mine)}, budget={"iterations": 1}, **given)
    options = " --set problem.jobs=9 --set problem.even=true"
    source = f"gapsmith baselines '{mine}' --source shortest{options}"
    assert source in lines(found)
    with open_record(folder) as record:
        score = evaluate_command(record, str(folder / "best.py"))
        assert "my own.py" in markdown(record)
        reader = record.reader
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(advice_module, "best_so_far", lambda reader: [(0, "c0ffee", 0.0)])
            (solved,) = advice(reader, read_summary(folder), 0)
    assert solved["command"] == f"gapsmith problems show '{mine}'{options}"
    said = command(*shlex.split(source)[1:])
    assert said.stdout.startswith('"""Shortest first."""'), said.stderr
    shown = json.loads(command(*shlex.split(solved["command"])[1:], "--json").stdout)
    assert {one["name"]: one["value"] for one in shown["parameters"]} == given["problem"]
    assert score.endswith(options)
    judged = command(*shlex.split(score)[1:])
    assert judged.returncode == 0, judged.stderr
