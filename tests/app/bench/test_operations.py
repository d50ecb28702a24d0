"""The operations of a workbench: what each gives back, what it counts as, and that the run keeps it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.bench.creation import open_bench
from gapsmith.app.bench.workbench import Workbench
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.evolve.store.course import counts, operations
from gapsmith.evolve.store.reader import Reader

Done = subprocess.CompletedProcess[str]
RATIO = """def order(times, weights):
    print("jobs", len(times))
    return sorted(range(len(times)), key=lambda j: times[j] - {factor} * weights[j])
"""
SMITH = (
    "def order(times, weights):\n    return sorted(range(len(times)), key=lambda j: times[j] / weights[j])\n"
)


def test_a_submission_says_how_it_did_and_enters_the_archive(bench: Workbench) -> None:
    """An optimal rule is the new best, better than the best before beyond noise, with groups and times."""
    found = bench.submit(SMITH, "Smith's rule")
    assert (found["outcome"], found["new_best"], found["mean_gap_percent"]) == ("kept", True, 0)
    assert found["best"]["paired"]["difference_points"] < 0
    assert found["best"]["paired"]["worse"] == 0
    assert {row["group"] for row in found["groups"]} == {"s0", "s1"}
    assert 0 < found["time"]["share_of_limit"] < 1
    assert found["budget"]["evaluations"][0] == 1
    again = bench.read(found["candidate"])
    assert again["idea"] == "Smith's rule"
    assert again["files"]["heuristic.py"] == SMITH


def test_a_refused_program_costs_nothing(bench: Workbench) -> None:
    """Syntax, imports, a missing entry point and a known program are told at once and are no evaluation."""
    reasons = {
        "def order(:": "syntax",
        "import os\ndef order(times, weights):\n    return []\n": "forbidden_import",
        "def other():\n    return []\n": "missing_entry_point",
    }
    for text, reason in reasons.items():
        found = bench.submit(text)
        assert (found["outcome"], found["reason"]) == ("refused", reason)
        assert found["message"]
    assert bench.submit(SMITH)["outcome"] == "kept"
    again = bench.submit(SMITH + "\n# the same\n")
    assert again["outcome"] == "duplicate"
    assert again["mean_gap_percent"] == 0
    assert again["budget"]["evaluations"][0] == 1
    assert again["budget"]["iterations"][0] == 1


def test_a_failure_is_told_with_its_line(bench: Workbench) -> None:
    """A program that raises has failed on an instance, with its own line."""
    found = bench.submit("def order(times, weights):\n    return times[99]\n")
    assert found["outcome"] == "failed"
    assert "line 2" in found["failures"][0]["message"]
    assert found["mean_gap_percent"] is None


def test_a_change_of_one_number_is_a_program_of_its_own(bench: Workbench) -> None:
    """Whoever works by hand may change a constant alone; a proposer would be told that it repeats itself."""
    first, second = (bench.submit(RATIO.format(factor=factor)) for factor in ("1.001", "1.002"))
    assert {first["outcome"], second["outcome"]} <= {"kept", "behind", "stopped"}


def test_the_parent_is_named_or_the_best(bench: Workbench) -> None:
    """A submission comes from the best program so far unless it names another one."""
    first = bench.submit(SMITH)
    second = bench.submit(RATIO.format(factor=3))
    third = bench.submit(RATIO.format(factor=5), parent="start")
    assert bench.read(second["candidate"])["parents"] == [first["candidate"]]
    assert third["parent"]["candidate"] != first["candidate"]
    with pytest.raises(UserError, match="no candidate of this run"):
        bench.submit(RATIO.format(factor=7), parent="ffff")


def test_a_probe_shows_what_a_program_does(bench: Workbench) -> None:
    """Answer, objective, gap, time and what was printed, on the instances that are named."""
    found = bench.probe(RATIO.format(factor=2), "train-1", "train-2")
    first, second = found["instances"]
    assert (first["instance"], second["instance"]) == ("train-1", "train-2")
    assert first["printed"] == "jobs 12"
    assert sorted(json.loads(first["answer"])) == list(range(12))
    assert first["gap_percent"] >= 0
    broken = bench.probe("def order(times, weights):\n    print('here')\n    raise ValueError('no')\n")
    assert broken["instances"][0]["status"] == "raised"
    assert "line 3" in broken["instances"][0]["message"]
    assert broken["instances"][0]["printed"] == "here"


def test_an_instance_is_shown_whole(bench: Workbench) -> None:
    """Its data, its reference with the proof, and the best answer so far."""
    listed = [row["instance"] for row in bench.instance()["instances"]]
    assert {"train-0", "train-1", "train-2"} <= {*listed}
    assert not [name for name in listed if "valid" in name or "test" in name]
    bench.submit(SMITH)
    found = bench.instance("train-0")
    assert len(json.loads(found["text"])["public"]["times"]) == 12
    assert (found["reference"]["kind"], found["reference"]["proof"]) == ("optimum", "arithmetic")
    assert found["best"]["excess"] == 0


def test_programs_are_compared_in_pairs(bench: Workbench) -> None:
    """Candidates, the best, the start program and baselines by name."""
    bench.submit(SMITH)
    found = bench.compare("best", "shortest")
    assert found["paired"]["difference_points"] < 0
    assert found["b"] == "baseline/shortest"
    assert len(found["instances"]) == 3
    assert bench.compare("start", "start")["paired"]["difference_points"] == 0


def test_notes_stay(bench: Workbench) -> None:
    """A note is read again by whoever comes later; an empty one is refused."""
    bench.note("ratios help")
    assert bench.note("sums do not")["notes"] == ["ratios help", "sums do not"]
    with pytest.raises(UserError, match="no text"):
        bench.note(" ")


def test_everything_is_recorded_call_by_call(bench: Workbench, folder: Path) -> None:
    """Each operation stands in the store with its arguments and its answer."""
    bench.submit(SMITH)
    bench.probe(SMITH)
    bench.submit("def order(:")
    reader = Reader.open(folder)
    try:
        rows = operations(reader)
        assert [(row.kind, row.state) for row in rows] == [
            ("submit", "done"),
            ("probe", "done"),
            ("submit", "refused"),
        ]
        assert rows[0].arguments["program"] == SMITH
        assert rows[0].answer is not None
        assert rows[0].answer["outcome"] == "kept"
        assert rows[0].iteration == 1
        assert counts(reader)["probe"].executions == 1
    finally:
        reader.close()


def test_answers_of_several_probes_share_their_room(bench: Workbench) -> None:
    """One long answer is shown with 4,000 characters, each of eight with 500."""
    long = "def order(times, weights):\n    return [0] * 10_000\n"
    ids = [row["instance"] for row in bench.instance()["instances"]][:4]
    alone, together = bench.probe(long, ids[0])["instances"], bench.probe(long, *ids)["instances"]
    assert len(alone[0]["answer"].splitlines()[0]) == 4_000
    assert {len(row["answer"].splitlines()[0]) for row in together} == {4_000 // len(ids)}


def test_an_experiment_has_instances_and_the_objective(bench: Workbench) -> None:
    """A script runs a rule on hundreds of training instances and gets its gaps; its value comes back."""
    script = """
import bench

def rule(times, weights):
    return sorted(range(len(times)), key=lambda j: times[j] / weights[j])

def experiment():
    gaps = [bench.gap(one, bench.run(rule, one)) for one in bench.instances if one["reference"] is not None]
    print(bench.verify(bench.instances[0], [0]))
    return {"gaps": gaps, "instances": len(bench.instances)}
"""
    found = bench.experiment(script, 5)
    assert found["status"] == "ok", found["message"]
    assert set(found["value"]["gaps"]) == {0}
    assert found["value"]["instances"] > 100
    assert "invalid_answer" in found["printed"]
    assert 0 < found["budget"]["experiment_cpu_seconds"][0] < 5


def test_a_long_value_is_written_but_not_shown(bench: Workbench) -> None:
    """A learned table of 300 kB reaches whoever keeps it; the answer says its size in its place."""
    kept = list[Any]()
    found = bench.experiment("def experiment():\n    return ['x' * 100] * 3_000\n", 5, kept.append)
    assert found["status"] == "ok"
    assert found["value"] is None
    assert "bytes" in found["message"]
    assert kept == [["x" * 100] * 3_000]


def test_an_experiment_replaces_no_file_unasked(
    bench: Workbench, folder: Path, gapsmith: Callable[..., Done], tmp_path: Path
) -> None:
    """A file that exists is refused before any CPU second is spent; `--force` replaces the file."""
    script, table = tmp_path / "script.py", tmp_path / "table.json"
    script.write_text("def experiment():\n    return [1, 2]\n", "utf-8")
    table.write_text("mine", "utf-8")
    words = ("bench", "experiment", folder.name, str(script), "-o", str(table))
    assert gapsmith(*words).returncode == 2
    assert table.read_text("utf-8") == "mine"
    with closing(Reader.open(folder)) as reader:
        assert counts(reader).get("experiment", 0) == 0
    assert gapsmith(*words, "--force").returncode == 0
    assert json.loads(table.read_text("utf-8")) == [1, 2]


def test_an_experiment_may_read_the_clock(bench: Workbench) -> None:
    """`bench.seconds()` is the CPU time that the script has used, growing and below its limit."""
    script = """import bench

def experiment():
    first = bench.seconds()
    sum(range(300_000))
    return first, bench.seconds(), bench.cpu_seconds
"""
    found = bench.experiment(script, 5)
    first, second, limit = found["value"]
    assert 0 <= first < second < limit == 5


def test_an_experiment_ends_at_its_limit(bench: Workbench) -> None:
    """CPU seconds count towards the sum for all experiments, and a script beyond its own is ended."""
    found = bench.experiment("def experiment():\n    while True:\n        pass\n", 0.3)
    assert found["status"] == "timeout"
    assert found["budget"]["experiment_cpu_seconds"][0] >= 0.3


def test_a_function_is_a_program_too(bench: Workbench) -> None:
    """From a notebook a function is submitted as it stands."""

    def order(times, weights):  # type: ignore[no-untyped-def]
        return sorted(range(len(times)), key=lambda j: times[j] / weights[j])

    assert bench.submit(order)["outcome"] == "kept"


def test_the_budget_holds(folder: Path) -> None:
    """Beyond the number of evaluations nothing is evaluated any more, and probes stay possible."""
    config = Reader.open(folder).record("config")
    place = folder.with_name("small")
    place.mkdir()
    config["budget"] = {"evaluations": 1}
    open_bench(parse(config, "test", recorded=True), place)
    small = Workbench(place)
    assert small.submit(SMITH)["budget"]["evaluations"] == [1, 1]
    with pytest.raises(UserError, match="budget of evaluations is spent"):
        small.submit(RATIO.format(factor=2))
    assert small.probe(RATIO.format(factor=2))["outcome"] == "ran"
    with pytest.raises(UserError, match="no training instance"):
        small.probe(SMITH, "test-0")


@pytest.mark.slow
def test_a_finished_workbench_is_a_run_like_every_other(
    bench: Workbench, folder: Path, gapsmith: Callable[..., Done], document: Callable[..., dict[str, Any]]
) -> None:
    """Validation, one test, best.py; report, replay, verify, export and list work; nothing more is taken."""
    for factor in (2, 3):
        bench.submit(RATIO.format(factor=factor))
    bench.submit(SMITH, "Smith's rule")
    bench.experiment("def experiment():\n    return 1\n", 1)
    assert document("list")[0]["status"] == "open"
    found = document("bench", "finish", folder.name)
    assert (found["status"], found["stop_reason"]) == ("completed", "finished")
    assert found["best"]["splits"]["test"]["mean_gap_percent"] == 0
    assert found["test_evaluations"] == 1
    assert found["workbench"]["operations"]["submit"] == 3
    assert found["workbench"]["operations"]["experiment"] == 1
    assert "Submitted at a workbench" in (folder / "best.py").read_text("utf-8")
    with pytest.raises(UserError, match="finished"):
        bench.submit(RATIO.format(factor=9))
    assert document("bench", "finish", folder.name)["best"] == found["best"]
    for verb in ("replay", "verify"):
        checked = document(verb, folder.name)
        assert checked["checked"] == checked["agree"], checked
    assert gapsmith("report", folder.name, "--force").returncode == 0
    assert "Whoever submitted it says: Smith's rule" in (folder / "report.md").read_text("utf-8")
    assert gapsmith("export", folder.name, "--what", "candidates").returncode == 0


def test_a_sitting_stays_open_until_another_writes(bench: Workbench, folder: Path) -> None:
    """One object's operations share a session; after another one wrote, the first sees it; both replay."""
    first = bench.submit(RATIO.format(factor=2))
    session = bench._session._at
    assert bench.submit(RATIO.format(factor=3))["iteration"] == first["iteration"] + 1
    assert bench._session._at is session is not None
    other = Workbench(folder, wait=60.0)
    assert other.submit(RATIO.format(factor=4))["iteration"] == 3
    seen = bench.submit(RATIO.format(factor=5))
    assert seen["iteration"] == 4
    assert bench._session._at is not session
    assert [row["iteration"] for row in bench.read()["candidates"]] == [0, 0, 1, 2, 3, 4]
    bench.close()
    other.close()


def test_time_between_operations_is_no_time_of_the_search(
    bench: Workbench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What passes while nobody works at a bench does not count, nor does it when the bench is closed."""
    from gapsmith.evolve import campaign

    bench.submit(RATIO.format(factor=2))
    before = Reader.open(folder).record("search_seconds")
    real = campaign.time.monotonic

    class Later:
        @staticmethod
        def monotonic() -> float:
            return real() + 1000

    monkeypatch.setattr(campaign, "time", Later)
    bench.submit(RATIO.format(factor=3))
    bench.close()
    after = Reader.open(folder).record("search_seconds")
    assert before < after < before + 500


def test_an_error_of_ours_ends_the_sitting(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """After an exception that is no user's mistake the next operation begins from the record."""
    from gapsmith.app.bench import inspection

    bench.submit(RATIO.format(factor=2))
    with pytest.raises(UserError, match="no training instance"):
        bench.instance("nothing")
    assert bench._session._at is not None
    with monkeypatch.context() as patch:
        patch.setattr(inspection, "instance_list", lambda at: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            bench.instance()
    assert bench._session._at is None
    assert bench.submit(RATIO.format(factor=3))["iteration"] == 2


def test_nothing_of_validation_and_test_is_shown_before_the_end(
    bench: Workbench, folder: Path, document: Callable[..., dict[str, Any]], gapsmith: Callable[..., Done]
) -> None:
    """`show`, `watch`, `list` and the record that views read know training alone, of baselines too."""
    from gapsmith.app.runs.record import open_record

    bench.submit(SMITH)
    found = document("show", folder.name)
    assert found["baselines"]["shortest"]["train"]["mean_gap_percent"] > 0
    everything = [found["start"], found["best"], *found["champions"]]
    for splits in [*found["baselines"].values(), *(one["splits"] for one in everything)]:
        assert (splits["valid"], splits["test"]) == (None, None)
    assert document("watch", folder.name)["best_gap_percent"] is None
    assert document("list")[0]["best_gap_percent"] is None
    with open_record(folder) as record:
        assert record.evaluation("baseline/shortest", "train") is not None
        assert record.evaluation("baseline/shortest", "test") is None
        assert record.scores("baseline/shortest", "valid") == ()
    reader = Reader.open(folder)
    assert reader.evaluation("baseline/shortest", "test") is not None  # it is there, and not shown
    reader.close()
    words = gapsmith("show", folder.name, COLUMNS="120").stdout
    assert "1 submit" in words
    assert "shortest" in words


def test_notes_reach_the_prompts_of_models(bench: Workbench, folder: Path) -> None:
    """A model that goes on reads the notes that were written before its question, and no later ones."""
    from gapsmith.app.proposers import build_proposer
    from gapsmith.evolve.store.course import bench_notes

    bench.submit(RATIO.format(factor=2))
    bench.note("ratios help")
    bench.submit(RATIO.format(factor=3))
    bench.note("sums do not")
    with bench._session.sitting() as at:
        assert bench_notes(at.store.read) == [(1, "ratios help"), (2, "sums do not")]
        context = at.campaign.search._context
        table = {"spec": "manual"}
        config = at.setup.config.model_copy(update={"model": parse({"model": [table]}, "test").model})
        proposer = build_proposer(config, at.store, folder, at.admission, at.evaluator, sends=False)
        for number, shown in ((1, ""), (2, "- ratios help"), (3, "- ratios help\n- sums do not")):
            assert proposer._newest_page(replace(context, iteration=number)) == shown  # type: ignore[attr-defined]


def test_a_program_near_its_limit_is_told_so(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kept program that is too slow for a champion learns that at once, and not after `finish`."""
    from gapsmith.app.bench import submission

    assert bench.submit(SMITH)["message"] is None
    monkeypatch.setattr(submission, "ROOM", 1e-9)
    assert "cannot become the champion" in bench.submit(RATIO.format(factor=2))["message"]
