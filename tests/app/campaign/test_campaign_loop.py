"""A campaign on a small problem: what it finds, stores, counts and refuses."""

from __future__ import annotations

import json
import runpy
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.simplify import simplified
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.app.runs.record import open_record
from gapsmith.app.setup.reruns import setup_of_record

Run = Callable[..., tuple[dict[str, Any], Path]]


@dataclass(frozen=True)
class Longer:
    """A campaign that ended twice: summaries after 20 and after 120 iterations, and the run's folder."""

    first: dict[str, Any]
    second: dict[str, Any]
    folder: Path


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Longer:
    """One campaign for all tests that look at a longer one."""
    place = tmp_path_factory.mktemp("longer")
    problem = str(Path(__file__).with_name("flow_time.py"))
    sections = {"campaign": {"problem": problem}, "search": {"founders": "start"}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(place / "cache"))
        first, second = (
            compose.run(parse({**sections, "budget": {"iterations": n}}, "test"), place) for n in (20, 120)
        )
    return Longer(first, second, place)


def test_offline_campaign_improves_and_is_certified(longer: Longer) -> None:
    """The best candidate is better than the start program on validation, against proven optima."""
    summary, folder = longer.second, longer.folder
    start, best = summary["start"]["splits"], summary["best"]["splits"]
    assert summary["status"] == "completed"
    assert best["valid"]["fitness"] > start["valid"]["fitness"]
    assert best["test"]["reference_kinds"] == {"optimum": 2}
    assert longer.first["test_evaluations"] == 1
    assert set(summary["baselines"]) == {"shortest"}
    assert (folder / "campaign.toml").is_file()


def test_the_champion_is_compared_pair_by_pair(longer: Longer) -> None:
    """On the test split, instance by instance, against the start program and the best baseline."""
    summary, folder = longer.second, longer.folder
    start, baseline = summary["claims"]
    assert (start["against"], baseline["against"]) == ("start program", "baseline shortest")
    rows = (
        sqlite3.connect(folder / "archive.sqlite")
        .execute(
            "SELECT cast(a.excess AS INTEGER), cast(b.excess AS INTEGER) FROM executions a "
            "JOIN executions b ON b.instance = a.instance "
            "JOIN evaluations x ON x.id = a.evaluation AND x.split = 'test' AND x.program = ? "
            "JOIN evaluations y ON y.id = b.evaluation AND y.split = 'test' AND y.program = ?",
            (summary["best"]["candidate"], summary["start"]["candidate"]),
        )
        .fetchall()
    )
    assert len(rows) == start["instances"] == 2
    assert start["wins"] == sum(a < b for a, b in rows)
    assert start["losses"] == sum(a > b for a, b in rows)
    assert 0 < start["p_value"] <= 1


def test_names_of_the_field_make_no_program_longer(campaign: Run, problem: str, tmp_path: Path) -> None:
    """A simplified form has at most the statements of what was found; naming adds none."""
    named = tmp_path / "named.py"
    term = 'return [Primitive("len(times)", "number", "", "jobs"),'
    named.write_text(Path(problem).read_text().replace("return [\n", term))
    summary, folder = campaign(campaign={"problem": str(named)}, budget={"iterations": 1})
    with open_record(folder) as record:
        document = simplified(record, setup_of_record(record), summary["start"]["candidate"], 3)
    assert document["statements_after"] <= document["statements_before"]
    assert "jobs" not in document["files"]["heuristic.py"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("I cannot help with that.", "no_code"),
        ("```python\ndef order(times, weights:\n    return 1\n```", "syntax"),
        ("```python\ndef other(times, weights):\n    return []\n```", "missing_entry_point"),
        ("```python\nimport os\ndef order(times, weights):\n    return []\n```", "forbidden_import"),
    ],
)
def test_rejections_name_their_reason(campaign: Run, tmp_path: Path, reply: str, reason: str) -> None:
    """A reply that is no candidate ends as a rejection from the closed list, never as an evaluation."""
    script = tmp_path / "replies.json"
    script.write_text(json.dumps([reply]))
    summary, _ = campaign(model=[{"spec": f"scripted/{script}"}], budget={"iterations": 2})
    assert summary["rejections"] == {reason: 2}
    assert summary["evaluations"] == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("return [0] * len(times)", "invalid_answer"),
        ("return 1 / 0", "raised"),
        ("while True: pass", "timeout"),
        ("return [float('nan')] * len(times)", "invalid_answer"),
        ("return 'x' * 4_000_000", "output"),
        ("return bytearray(10**10)", "memory"),
    ],
)
def test_failures_are_data(campaign: Run, tmp_path: Path, body: str, status: str) -> None:
    """A candidate's failure is stored with its status, has no fitness and holds no cell."""
    script = tmp_path / "replies.json"
    script.write_text(json.dumps([f"```python\ndef order(times, weights):\n    {body}\n```"]))
    summary, folder = campaign(
        model=[{"spec": f"scripted/{script}"}],
        budget={"iterations": 1},
        sandbox={"cpu_seconds": 0.3, "memory_mb": 64},
    )
    database = sqlite3.connect(folder / "archive.sqlite")
    row = database.execute(
        "SELECT evaluations.status, fitness, executions.status, message FROM evaluations "
        "JOIN executions ON evaluation = evaluations.id "
        "WHERE program = (SELECT candidate FROM iterations WHERE iteration = 1)"
    ).fetchone()
    assert row[:3] == ("failed", None, status), row
    assert row[3]
    assert summary["best"]["candidate"] == summary["start"]["candidate"]


def test_beyond_a_bound_is_loud_and_never_a_fitness(tmp_path: Path, campaign: Run, problem: str) -> None:
    """A wrong reference shows as `beyond_bound`: no fitness, an event, and the excess keeps its sign."""
    text = (
        Path(problem)
        .read_text()
        .replace("value = _cost(instance, best)", "value = _cost(instance, best) + 1")
    )
    wrong = tmp_path / "wrong.py"
    wrong.write_text(text)
    reply = (
        "```python\ndef order(times, weights):\n"
        "    return sorted(range(len(times)), key=lambda j: times[j] / weights[j])\n```"
    )
    script = tmp_path / "replies.json"
    script.write_text(json.dumps([reply]))
    summary, folder = campaign(
        campaign={"problem": str(wrong)}, model=[{"spec": f"scripted/{script}"}], budget={"iterations": 1}
    )
    database = sqlite3.connect(folder / "archive.sqlite")
    rows = database.execute("SELECT excess, gap FROM executions WHERE status = 'beyond_bound'").fetchall()
    assert rows == [("-1", None)]
    assert database.execute("SELECT count(*) FROM events WHERE kind = 'beyond_bound'").fetchone() == (1,)
    assert summary["best"]["candidate"] == summary["start"]["candidate"]


def test_start_program_that_fails_is_refused(campaign: Run, tmp_path: Path, problem: str) -> None:
    """A problem whose start program raises ends with a clear error, before any search."""
    broken = tmp_path / "broken.py"
    broken.write_text(
        Path(problem).read_text().replace("2 * weights[j] + 2", "1 / 0").replace("3 * w", "1 / 0 * w")
    )
    with pytest.raises(UserError, match="heaviest: raised") as caught:
        campaign(campaign={"problem": str(broken)})
    assert caught.value.code == 6


def test_beyond_a_stop_a_resumed_run_tests_again_and_says_so(longer: Longer) -> None:
    """A new total goes on where the run ended; a second champion is counted as a second look at the test."""
    first, second = longer.first, longer.second
    assert second["iterations"] == 120
    champions = {first["best"]["candidate"], second["best"]["candidate"]} - {first["start"]["candidate"]}
    assert champions
    assert second["test_evaluations"] == len(champions)


def test_a_start_program_that_was_the_champion_counts_as_a_look_at_the_test(
    problem: str, tmp_path: Path
) -> None:
    """Of several start programs the default one alone is tested without having been chosen."""
    default = runpy.run_path(problem)["START"]
    better = default.replace("2 - 3 * weights[j]", "-weights[j] / (times[j] + 9)")
    scratch = {"search": {"founders": "start"}}
    config = {"campaign": {"problem": problem}, "budget": {"iterations": 1}, **scratch}
    starts = {name: {"heuristic.py": text} for name, text in (("heaviest", default), ("better", better))}
    folder = tmp_path / "several"
    folder.mkdir()
    first = compose.run(parse(config, "test"), folder, start=starts)
    assert first["best"]["origin"] == "start"
    assert first["best"]["candidate"] != first["start"]["candidate"]
    assert first["test_evaluations"] == 1
    second = compose.run(parse({**config, "budget": {"iterations": 12}}, "test"), folder)
    assert second["best"]["candidate"] != first["best"]["candidate"]
    assert second["test_evaluations"] == 2


def test_a_run_that_another_version_began_is_not_gone_on_with(campaign: Run, finished: Path) -> None:
    """Its record would mix two searches; nothing of it changes, and the way out is named."""
    folder = finished
    with sqlite3.connect(folder / "archive.sqlite") as store:
        row = store.execute("SELECT value FROM run WHERE key = 'versions'").fetchone()
        old = json.dumps({**json.loads(row[0]), "gapsmith": "0.0.1"})
        store.execute("UPDATE run SET value = ? WHERE key = 'versions'", (old,))
        before = list(store.iterdump())
    with pytest.raises(UserError, match=r"begun with Gapsmith 0\.0\.1, expected ") as caught:
        campaign(folder.name, budget={"iterations": 9})
    assert caught.value.code == 2
    assert f"--start {folder.name}" in str(caught.value.hint)
    with sqlite3.connect(folder / "archive.sqlite") as store:
        assert list(store.iterdump()) == before
